#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Writes what is made of ide-plugin/protocol.json: the tables of ide-plugin/protocol.md and of
server/answers/answers.md, and the types of the extension of VS Code.

    tools/protocol_page.py

tests/tree/protocol_test.py compares them.
"""

import json
import os
import re
import sys
import textwrap

from protocol import BASE, Protocol, snake

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")
BEGIN = "<!-- From here on made of protocol.json by tools/protocol_page.py. -->\n"
END = "<!-- To here. -->\n"


def wrapped(text):
    return textwrap.fill(text, 116, break_long_words=False, break_on_hyphens=False)


def one_of(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


class Page:
    def __init__(self, protocol):
        self.protocol = protocol

    def name(self, member):
        return member

    def kind(self, kind):
        """A type as words of a page, with links."""
        return one_of([self.one_kind(one) for one in kind.split(" | ")])

    def one_kind(self, kind):
        if kind.endswith("[]"):
            return f"array of {self.one_kind(kind[:-2])}"
        if kind.endswith(" column"):
            return f"{self.one_kind(kind[:-7])} column"
        if kind.startswith("{"):
            return f"{self.one_kind(kind[1:-1])} by name"
        if kind.startswith("'"):
            return f"`{kind[1:-1]}`"
        return kind if kind in BASE else f"[{kind}]({self.page_of(kind)}#{kind.lower()})"

    def page_of(self, _):
        return ""

    def table(self, title, shape):
        members = self.protocol.own_members(shape)
        parent = shape.get("extends")
        if parent:
            yield f"The members of {self.one_kind(parent)}{', and' if members else '.'}"
            yield ""
        if not members:
            return
        yield f"| {title} | type | |"
        yield "|---|---|---|"
        for member in members:
            yield f"| `{self.name(member.name)}` | {self.kind(member.kind)} | {self.meaning(member)} |"
        yield ""

    def meaning(self, member):
        words = []
        if member.is_optional:
            words.append("optional")
        if member.default is not None:
            default = member.default
            words.append(f"`{default}`" if isinstance(default, str) else f"{json.dumps(default)}")
        if member.since:
            words.append(f"since {member.since}")
        return ": ".join([", ".join(words), member.meaning] if words else [member.meaning])

    def message(self, method, message):
        yield f"### `{method}`"
        yield ""
        for paragraph in [message["about"], *message.get("notes", [])]:
            yield wrapped(paragraph)
            yield ""
        if self.protocol.members(message["parameters"]):
            yield from self.table("parameter", message["parameters"])
        else:
            yield "No parameters."
            yield ""
        if "example" in message:
            yield "    " + json.dumps(message["example"])
            yield ""
        answer = message.get("answer")
        if isinstance(answer, str):
            yield f"Answers {self.kind(answer)}."
            yield ""
        elif answer:
            yield from self.table("answer", answer)

    def lines(self):
        yield "## Requests"
        yield ""
        for method, message in self.protocol.requests.items():
            yield from self.message(method, message)
        yield "## Notifications to the client"
        yield ""
        for method, message in self.protocol.notifications.items():
            yield from self.message(method, message)
        yield "## Types"
        yield ""
        yield from self.types(self.protocol.text["types"])

    def types(self, types):
        for name, shape in types.items():
            yield f"### {name}"
            yield ""
            yield wrapped(shape["about"])
            yield ""
            if "is" in shape:
                yield f"It is {self.kind(shape['is'])}."
                yield ""
            else:
                yield from self.table("member", shape)


class CommandsPage(Page):
    """What commands print; most types are those of messages."""

    def name(self, member):
        return snake(member)

    def page_of(self, kind):
        return "" if kind in self.protocol.printed else "../../ide-plugin/protocol.md"

    def meaning(self, member):
        names = re.compile(r"`([a-z]+[A-Z]\w*)`")
        return names.sub(lambda name: f"`{snake(name[1])}`", super().meaning(member))

    def lines(self):
        yield "## Commands"
        yield ""
        for command, printed in self.protocol.commands.items():
            yield f"### `{command}`"
            yield ""
            yield wrapped(printed["about"])
            yield ""
            if isinstance(printed["answer"], str):
                yield f"Prints {self.kind(printed['answer'])}."
                yield ""
            else:
                yield from self.table("member", printed["answer"])
        yield "## Types of commands alone"
        yield ""
        yield from self.types(self.protocol.printed)


def made_anew(text, lines):
    """The text of a page with its tables made anew."""
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:begin] + "\n" + "\n".join(lines) + "\n" + text[end:]


def page(text, protocol):
    return made_anew(text, Page(protocol).lines())


def commands_page(text, protocol):
    return made_anew(text, CommandsPage(protocol).lines())


# What the extension of VS Code asks for, and what it is told.
EXTENSION_REQUESTS = [
    "tasklens/run", "tasklens/stop", "tasklens/configurations", "tasklens/programs", "tasklens/runs",
    "tasklens/renameRun", "tasklens/deleteRun", "tasklens/openTrace", "tasklens/closeTrace", "tasklens/traces",
    "tasklens/tasksAt", "tasklens/reveal", "tasklens/showSite", "tasklens/advice", "tasklens/compare",
    "tasklens/page",
]  # fmt: skip
EXTENSION_HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// Those messages of ../../protocol.json that the extension uses, made by tools/protocol_page.py.
"""


class TypeScript:
    NAMES = {"null": "null", "boolean": "boolean", "string": "string", "uri": "string", "number": "number",
             "integer": "number", "ns": "number", "count": "number", "any": "unknown"}  # fmt: skip

    def __init__(self, protocol):
        self.protocol = protocol

    def kind(self, kind):
        return " | ".join(dict.fromkeys(self.one_kind(one) for one in kind.split(" | ")))

    def one_kind(self, kind):
        for suffix in ("[]", " column"):
            if kind.endswith(suffix):
                return self.one_kind(kind[: -len(suffix)]) + "[]"
        if kind.startswith("{"):
            return f"{{ [name: string]: {self.one_kind(kind[1:-1])} }}"
        if kind.startswith("'"):
            return f'"{kind[1:-1]}"'
        return self.NAMES.get(kind, kind)

    def parent(self, shape):
        """The type that the shape extends, without what it has itself."""
        inherited = self.protocol.members(self.protocol.types[shape["extends"]])
        again = [f'"{member.name}"' for member in self.protocol.own_members(shape) if member.name in inherited]
        return f"Omit<{shape['extends']}, {' | '.join(again)}>" if again else shape["extends"]

    def members(self, shape, indent):
        for member in self.protocol.own_members(shape):
            mark = "?" if member.is_optional or member.since else ""
            yield f"{indent}{member.name}{mark}: {self.kind(member.kind)};"

    def inline(self, shape, indent):
        """An object without a name, or a type."""
        if isinstance(shape, str):
            return self.kind(shape)
        parts = [self.parent(shape)] if "extends" in shape else []
        members = list(self.members(shape, ""))
        if len(members) > 4:
            inner = "".join(f"\n{indent}  {member}" for member in members)
            parts.append(f"{{{inner}\n{indent}}}")
        elif members or not parts:
            parts.append(f"{{ {' '.join(members).rstrip(';')} }}".replace("{  }", "{}"))
        return " & ".join(parts)

    def named_by(self, shape):
        """The types that the shape is made of, in the order of protocol.json."""
        found, shapes = set(), [shape]
        while shapes:
            shape = shapes.pop()
            if isinstance(shape, dict):
                kinds = [member.kind for member in self.protocol.own_members(shape)]
                kinds += [shape[key] for key in ("extends", "is") if key in shape]
            else:
                kinds = [shape]
            names = {name for kind in kinds for name in re.findall(r"\b[A-Z]\w+", kind)} - found
            found |= names
            shapes += [self.protocol.types[name] for name in names]
        return found

    def lines(self):
        requests = {method: self.protocol.requests[method] for method in EXTENSION_REQUESTS}
        notifications = self.protocol.notifications
        used = set()
        for message in [*requests.values(), *notifications.values()]:
            used |= self.named_by(message["parameters"]) | self.named_by(message.get("answer", "null"))
        yield EXTENSION_HEAD
        for name, shape in self.protocol.types.items():
            if name not in used:
                continue
            if "is" in shape:
                yield f"export type {name} = {self.kind(shape['is'])};"
            else:
                parent = f" extends {self.parent(shape)}" if "extends" in shape else ""
                yield f"export interface {name}{parent} {{"
                yield from self.members(shape, "  ")
                yield "}"
            yield ""
        yield "export interface Requests {"
        for method, message in requests.items():
            yield f'  "{method}": {{'
            yield f"    params: {self.inline(message['parameters'], '    ')};"
            yield f"    answer: {self.inline(message['answer'], '    ')};"
            yield "  };"
        yield "}"
        yield ""
        yield "export interface Notifications {"
        for method, message in notifications.items():
            yield f'  "{method}": {self.inline(message["parameters"], "  ")};'
        yield "}"


def typescript(_, protocol):
    return "\n".join(TypeScript(protocol).lines()) + "\n"


# Each file that is made: its path, and a function from its text and the protocol to its new text.
MADE = {
    "ide-plugin/protocol.md": page,
    "server/answers/answers.md": commands_page,
    "ide-plugin/vscode/src/messages.ts": typescript,
}


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    protocol = Protocol()
    for path, make in MADE.items():
        path = os.path.join(ROOT, path)
        text = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(make(text, protocol))


if __name__ == "__main__":
    main()
