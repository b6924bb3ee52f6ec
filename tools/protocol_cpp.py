#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Writes what the server has of ide-plugin/protocol.json in C++:

    tools/protocol_cpp.py PROTOCOL_JSON FOLDER

    FOLDER/messages.h   a struct for each type, for the parameters and the answer of each request, for each
                        notification, and for what each command prints; and what reads and writes them
    FOLDER/members.h    the members of each, for whoever visits them (server/messages/json_writer.h)
    FOLDER/read.cc      parameters from JSON
    FOLDER/write.cc     answers and notifications as JSON (server/answers/printed.cc has what commands print)

A member `totalNs` is called `total_ns`. One that may be left out or null is a std::optional. As a parameter it is
its default, and an empty text or list where it has none. A word of several ('light' | 'dark') is a text, which is
looked at when it is read.
"""

import json
import os
import re
import sys

from protocol import Protocol, snake

HEAD = "// SPDX-License-Identifier: Apache-2.0\n// Made of ide-plugin/protocol.json by tools/protocol_cpp.py.\n"
NAMES = {"boolean": "bool", "string": "std::string", "uri": "std::string", "number": "double", "integer": "int64_t",
         "ns": "int64_t", "count": "uint64_t", "any": "AnyJson", "packed": "Packed", "null": "Nothing"}  # fmt: skip
# What a member is that nobody has set.
ZEROS = {"bool": "false", "double": "0", "int64_t": "0", "uint64_t": "0", "uint32_t": "0"}


def title(method):
    """tasklens/tasksAt as TasksAt."""
    return "".join(word[0].upper() + word[1:] for word in re.findall(r"\w+", method.split("/")[1]))


class Struct:
    """`kind` says what it is: "type", "parameters" of a request, "message": what the server sends, or "printed":
    what a command prints.
    `is_read`: of parameters, or a part of them."""

    def __init__(self, name, shape, kind, place):
        self.name, self.shape, self.kind, self.place = name, shape, kind, place
        self.is_read = kind == "parameters"
        self.about = shape.get("about", place)


class Cpp:
    def __init__(self, protocol):
        self.protocol = protocol
        self.answers = {method: message["answer"] for method, message in protocol.requests.items()}
        types = {
            name: Struct(name, shape, "printed" if name in protocol.printed else "type", name)
            for name, shape in protocol.types.items() if "is" not in shape
        }  # fmt: skip
        messages = [
            Struct(f"{title(method)}Params", message["parameters"], "parameters", f"{method} parameters")
            for method, message in protocol.requests.items()
        ]
        messages += [
            Struct(f"{title(method)}Answer", answer if isinstance(answer, dict) else {"is": answer}, "message",
                   f"{method} answer")
            for method, answer in self.answers.items()
        ]  # fmt: skip
        messages += [
            Struct(title(method), message["parameters"], "message", f"{method} parameters")
            for method, message in protocol.notifications.items()
        ]
        messages += [
            Struct(f"Printed{title('tasklens/' + command)}", printed["answer"], "printed", f"tasklens {command}")
            for command, printed in protocol.commands.items() if isinstance(printed["answer"], dict)
        ] + [
            Struct("", {"is": printed["answer"]}, "printed", command)
            for command, printed in protocol.commands.items() if isinstance(printed["answer"], str)
        ]  # fmt: skip
        self.structs = {}  # those that it is made of come before each
        self.named = {}  # types that are no struct
        for struct in messages:
            if struct.is_read and "extends" in struct.shape:
                types[struct.shape["extends"]].is_read = True
            self.add(types, struct)

    def add(self, types, struct):
        shape = struct.shape
        kinds = [member.kind for member in self.protocol.own_members(shape)]
        for kind in [*kinds, shape.get("extends", ""), shape.get("is", "")]:
            for name in re.findall(r"\b[A-Z]\w+", kind):
                if name not in types:
                    self.add_named(name)
                elif name not in self.structs:
                    self.add(types, types[name])
        if "is" not in shape:
            self.structs[struct.name] = struct

    def add_named(self, name):
        for other in re.findall(r"\b[A-Z]\w+", self.protocol.types[name]["is"]):
            self.add_named(other)
        self.named[name] = self.protocol.types[name]

    def words(self, kind):
        """The words of which the type is one, or an array of them; none: it is no word."""
        kind = kind.removesuffix("[]")
        if kind in self.protocol.types:
            return self.words(self.protocol.types[kind].get("is", ""))
        ones = [one for one in kind.split(" | ") if one != "null"]
        return [one[1:-1] for one in ones] if all(one.startswith("'") for one in ones) else []

    def kind(self, kind, is_row=False):
        """A type in C++. `is_row`: a count alone is the number of a row, or of rows."""
        ones = kind.split(" | ")
        kinds = list(dict.fromkeys(self.one_kind(one, is_row and len(ones) == 1) for one in ones if one != "null"))
        found = kinds[0] if len(kinds) == 1 else f"std::variant<{', '.join(kinds)}>"
        if not kinds:
            return NAMES["null"]
        return f"std::optional<{found}>" if "null" in ones else found

    def one_kind(self, kind, is_row):
        for suffix in ("[]", " column"):
            if kind == "packed" + suffix:
                return NAMES["packed"]
            if kind.endswith(suffix):
                return f"std::vector<{self.kind(kind[: -len(suffix)], is_row)}>"
        if kind.startswith("{"):
            return f"std::map<std::string, {self.kind(kind[1:-1], is_row)}>"
        if kind.startswith("'"):
            return NAMES["string"]
        return "uint32_t" if kind == "count" and is_row else NAMES.get(kind, kind)

    def declaration(self, struct, member):
        kind = self.kind(member.kind, struct.is_read)
        if struct.kind == "parameters" and member.default is not None:
            return f"{kind} {snake(member.name)} = {json.dumps(member.default)}"
        is_empty = kind.startswith(("std::string", "std::vector")) or self.words(member.kind)
        if member.is_optional and not (struct.kind == "parameters" and is_empty):
            kind = f"std::optional<{kind}>"
        zero = f" = {ZEROS[kind]}" if kind in ZEROS else ""
        return f"{kind} {snake(member.name)}{zero}"

    def parent(self, struct):
        """The struct that it extends: none where it has members of it as another type."""
        name = struct.shape.get("extends")
        if not name:
            return None
        parent = self.structs[name]
        inherited = self.protocol.members(parent.shape)
        for member in self.protocol.own_members(struct.shape):
            other = inherited.get(member.name)
            if other and self.declaration(struct, member) != self.declaration(parent, other):
                return None
        return parent

    def struct(self, struct):
        parent = self.parent(struct)
        inherited = self.protocol.members(parent.shape) if parent else {}
        yield f"// {struct.about}"
        yield f"struct {struct.name}{f' : {parent.name}' if parent else ''} {{"
        members = self.protocol.members(struct.shape)
        for member in members.values():
            if member.name not in inherited:
                yield f"  {self.declaration(struct, member)};  // {member.meaning}"
        yield "};"
        yield ""

    def named_answers(self):
        """The name in C++ of each answer that is of a type."""
        return {f"{title(method)}Answer": self.kind(answer)
                for method, answer in self.answers.items() if isinstance(answer, str)}  # fmt: skip

    def header(self):
        yield HEAD + "// The messages of `tasklens/...`, see ide-plugin/protocol.md. They are plain values."
        yield "#pragma once"
        yield ""
        for name in ("cstdint", "map", "optional", "string", "variant", "vector"):
            yield f"#include <{name}>"
        yield ""
        yield '#include "server/messages/values.h"'
        yield ""
        yield "namespace tasklens::messages {"
        yield ""
        for name, shape in self.named.items():
            yield f"// {shape['about']} {shape['is']}"
            yield f"using {name} = {self.kind(shape['is'])};"
        yield ""
        for struct in self.structs.values():
            yield from self.struct(struct)
        for name, kind in self.named_answers().items():
            yield f"using {name} = {kind};"
        yield ""
        for struct in self.structs.values():
            if struct.kind == "parameters":
                yield f"Status Read(const json& raw, {struct.name}& params);"
                yield f"std::vector<ParameterName> NamesOf(const {struct.name}& params);"
            elif struct.kind != "printed":
                yield f"void Write(const {struct.name}& message, json& out);"
        yield from self.written_besides(";")
        yield ""
        yield "}  // namespace tasklens::messages"

    def written_besides(self, body):
        """Answers that are one type or another, or nothing."""
        for kind in sorted({"Nothing", "Packed", *self.named_answers().values()} - self.structs.keys()):
            yield f"void Write(const {kind}& message, json& out){body}"

    def members(self):
        yield HEAD + "// Members<M>::Visit(visitor, message) calls visitor.Required(name, value, words) for each member of"
        yield "// the message, or Optional() where it may be left out. The words are those that a text may be."
        yield "// kShape is what it is called in the protocol."
        yield "#pragma once"
        yield ""
        yield "#include <tuple>"
        yield ""
        yield '#include "server/messages/messages.h"'
        yield ""
        yield "namespace tasklens::messages {"
        yield ""
        yield "template <class M>"
        yield "struct Members;"
        yield ""
        for struct in self.structs.values():
            yield "template <>"
            yield f"struct Members<{struct.name}> {{"
            yield f'  static constexpr const char* kShape = "{struct.place}";'
            yield "  template <class Visitor, class Message>"
            yield "  static void Visit(Visitor& visitor, Message& message) {"
            members = self.protocol.members(struct.shape).values()
            if not members:
                yield "    static_cast<void>(visitor), static_cast<void>(message);"
            for member in members:
                how = "Optional" if member.is_optional else "Required"
                words = ", ".join(f'"{word}"' for word in self.words(member.kind))
                arguments = f'"{member.name}", message.{snake(member.name)}' + (f", {{{words}}}" if words else "")
                yield f"    visitor.{how}({arguments});"
            yield "  }"
            yield "};"
            yield ""
        for kind, name in (("parameters", "AllParameters"), ("message", "AllMessages")):
            names = ", ".join(struct.name for struct in self.structs.values() if struct.kind == kind)
            yield f"using {name} = std::tuple<{names}>;"
        yield ""
        yield "}  // namespace tasklens::messages"

    def source(self, includes, lines):
        yield HEAD
        for include in includes:
            yield f'#include "server/{include}"'
        yield ""
        yield "namespace tasklens::messages {"
        yield ""
        yield from lines
        yield ""
        yield "}  // namespace tasklens::messages"

    def reading(self):
        for struct in self.structs.values():
            if struct.kind == "parameters":
                name = struct.name
                yield f"Status Read(const json& raw, {name}& params) {{ return ReadMembers(raw, params); }}"
                yield f"std::vector<ParameterName> NamesOf(const {name}& params) {{ return tasklens::NamesOf(params); }}"

    def writing(self):
        for struct in self.structs.values():
            if struct.kind in ("type", "message"):
                yield f"void Write(const {struct.name}& message, json& out) {{ out = JsonOf(message); }}"
        yield from self.written_besides(" { out = JsonOf(message); }")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    cpp = Cpp(Protocol(sys.argv[1]))
    made = {
        "messages.h": cpp.header(),
        "members.h": cpp.members(),
        "read.cc": cpp.source(["messages/json_reader.h"], cpp.reading()),
        "write.cc": cpp.source(["messages/json_writer.h"], cpp.writing()),
    }
    for name, lines in made.items():
        with open(os.path.join(sys.argv[2], name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
