#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Writes what is made of ide-plugin/protocol.json: the tables of ide-plugin/protocol.md.

    tools/protocol_page.py

tests/tree/protocol_test.py compares them.
"""

import json
import os
import textwrap

from protocol import BASE, Protocol

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
        return kind if kind in BASE else f"[{kind}](#{kind.lower()})"

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
            yield f"| `{member.name}` | {self.kind(member.kind)} | {self.meaning(member)} |"
        yield ""

    @staticmethod
    def meaning(member):
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
        for name, shape in self.protocol.types.items():
            yield f"### {name}"
            yield ""
            yield wrapped(shape["about"])
            yield ""
            if "is" in shape:
                yield f"It is {self.kind(shape['is'])}."
                yield ""
            else:
                yield from self.table("member", shape)


def page(text, protocol):
    """The text of protocol.md with its tables made anew."""
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:begin] + "\n" + "\n".join(Page(protocol).lines()) + "\n" + text[end:]


# Each file that is made: its path, and a function from its text and the protocol to its new text.
MADE = {
    "ide-plugin/protocol.md": page,
}


def main():
    protocol = Protocol()
    for path, make in MADE.items():
        path = os.path.join(ROOT, path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(make(text, protocol))


if __name__ == "__main__":
    main()
