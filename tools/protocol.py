#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Reads ide-plugin/protocol.json, which says what each message of `tasklens/...` carries and what commands print
with --json, and checks messages against it:

    tools/protocol.py check CONVERSATIONS

CONVERSATIONS is as tests/npm/check_messages.js reads it. tools/protocol_page.py makes pages and types of it,
tools/protocol_cpp.py the server's structs;
tests/server/in_process/protocol_check.cc is the same check in C++.

A type is one alternative or several, with ` | ` between them:

    'word'                    this text
    null, boolean, string, number, integer, any
    count, ns, uri            an integer from 0; an integer, in nanoseconds; a string
    packed                    numbers as the base64 text of their little-endian bytes: {"i16": "AQACAA=="},
                              or i8, i32, f32, f64
    Name                      one of `types`: an object with the members that it has, no others, and those
                              of the type that it `extends`; or what it `is`
    {X}                       an object with any names, of which each has an X
    X[]                       an array
    X column                  an array (or packed numbers) that is as long as all columns of its object

A member whose name ends in `?` may be left out; as a parameter it may also be null.
"""

import base64
import binascii
import json
import os
import re
import sys

PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../ide-plugin/protocol.json")
PACKED_BYTES = {"i8": 1, "i16": 2, "i32": 4, "f32": 4, "f64": 8}


def packed_length(value):
    """How many numbers the packed column has, or None where it is none."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    [(kind, text)] = value.items()
    if kind not in PACKED_BYTES or not isinstance(text, str):
        return None
    try:
        size = len(base64.b64decode(text, validate=True))
    except binascii.Error:
        return None
    return size // PACKED_BYTES[kind] if size % PACKED_BYTES[kind] == 0 else None


BASE = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "uri": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "ns": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "count": lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    "packed": lambda value: packed_length(value) is not None,
    "any": lambda value: True,
}
# Members of commands' answers whose own members are called as the trace, or the machine, calls them.
NAMED_BY_DATA = {"evidence", "env", "arguments"}
# Errors that a request is answered with which is not as the protocol says.
WRONG = {-32600, -32601, -32602, -32002, -32700}


class Member:
    def __init__(self, name, entry):
        self.name = name.rstrip("?")
        self.is_optional = name.endswith("?")
        self.kind, self.meaning = entry[:2]
        options = entry[2] if len(entry) > 2 else {}
        self.default, self.since = options.get("default"), options.get("since")


class Protocol:
    def __init__(self, path=PATH):
        with open(path, encoding="utf-8") as file:
            self.text = json.load(file)
        self.printed = self.text.get("printed", {})  # types that commands alone print
        self.types = {**self.text["types"], **self.printed}
        self.commands = self.text.get("commands", {})
        self.requests = self.text["requests"]
        self.notifications = self.text["notifications"]

    def own_members(self, shape):
        return [Member(name, entry) for name, entry in shape.items() if isinstance(entry, list)]

    def members(self, shape):
        """By name, with those of the type that it extends; its own replace these."""
        parent = shape.get("extends")
        inherited = self.members(self.types[parent]) if parent else {}
        return {**inherited, **{member.name: member for member in self.own_members(shape)}}

    def shapes(self):
        """Each list of members, by a name for people."""
        found = {name: shape for name, shape in self.types.items() if "is" not in shape}
        for method, message in {**self.requests, **self.notifications}.items():
            found[f"{method} parameters"] = message["parameters"]
            if isinstance(message.get("answer"), dict):
                found[f"{method} answer"] = message["answer"]
        for command, printed in self.commands.items():
            if isinstance(printed["answer"], dict):
                found[f"tasklens {command}"] = printed["answer"]
        return found


class Checker:
    """Faults of values: pairs of where it is and what is wrong there."""

    def __init__(self, protocol):
        self.protocol = protocol

    def faults(self, kind, value, at):
        worst = []
        for one in kind.split(" | "):
            found = self.faults_of_one(one, value, at)
            if not found:
                return []
            # Those of the alternative that was meant: what fits it is looked into farthest.
            if not worst or len(found[0][0]) > len(worst[0][0]):
                worst = found
        return worst

    def faults_of_one(self, kind, value, at):
        if kind.startswith("{"):
            if not isinstance(value, dict):
                return [(at, "is no object")]
            return [fault for name, one in value.items() for fault in self.faults(kind[1:-1], one, f"{at}.{name}")]
        for suffix in ("[]", " column"):
            if kind.endswith(suffix):
                return self.faults_of_array(kind[: -len(suffix)], value, at)
        if kind.startswith("'"):
            return [] if value == kind[1:-1] else [(at, f"is no {kind}")]
        if kind in BASE:
            return [] if BASE[kind](value) else [(at, f"is no {kind}")]
        shape = self.protocol.types[kind]
        if "is" in shape:
            return self.faults(shape["is"], value, at)
        return self.faults_of_object(shape, value, at)

    def faults_of_array(self, kind, value, at):
        if kind == "packed":
            return self.faults_of_one(kind, value, at)
        if not isinstance(value, list):
            return [(at, "is no array")]
        if kind in BASE and all(map(BASE[kind], value)):
            return []
        return [fault for i, one in enumerate(value) for fault in self.faults(kind, one, f"{at}[{i}]")]

    def faults_of_object(self, shape, value, at):
        if not isinstance(value, dict):
            return [(at, "is no object")]
        members = self.protocol.members(shape)
        found = [(f"{at}.{name}", "is not in protocol.json") for name in value if name not in members]
        lengths = {}
        for name, member in members.items():
            if name not in value:
                if not member.is_optional:
                    found.append((f"{at}.{name}", "is missing"))
                continue
            found += self.faults(member.kind, value[name], f"{at}.{name}")
            if " column" in member.kind and value[name] is not None:
                lengths[name] = packed_length(value[name]) if isinstance(value[name], dict) else len(value[name])
        if len(set(lengths.values())) > 1:
            found.append((at, f"has columns of different lengths: {lengths}"))
        return found

    def faults_of_command(self, command, answer):
        """A line for each of what `tasklens COMMAND` printed, without its version."""
        printed, at = self.protocol.commands[command]["answer"], f"tasklens {command}"
        check = self.faults if isinstance(printed, str) else self.faults_of_object
        return lines(check(printed, camel(answer), at))

    def faults_of_parameters(self, shape, params, at):
        params = {} if params is None else params
        if isinstance(params, dict):
            members = self.protocol.members(shape)
            left_out = {name for name, member in members.items() if member.is_optional and params.get(name, 0) is None}
            params = {name: value for name, value in params.items() if name not in left_out | {"workDoneToken"}}
        return self.faults_of_object(shape, params, at)


def snake(name):
    """totalNs as total_ns."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: "_" + match[0], name).lower()


def camel(answer):
    """What a command prints, with the members called as in messages; names that are data stay."""
    if isinstance(answer, dict):
        return {
            re.sub(r"(?<=.)_(.)", lambda m: m[1].upper(), key): value if key in NAMED_BY_DATA else camel(value)
            for key, value in answer.items()
        }
    return [camel(value) for value in answer] if isinstance(answer, list) else answer


class Conversation:
    """What a client and a server say to each other; `look` returns the faults of a message, a line each."""

    def __init__(self, checker, hostile=False):
        self.checker = checker
        self.hostile = hostile  # what the client sends need not be as the protocol says
        self.asked = {}  # by the JSON text of the id

    def look(self, side, message):
        method, id = message.get("method"), message.get("id")
        if method is not None and id is not None:
            if side == "client" and (question := self.question(message)):
                self.asked[json.dumps(id)] = question
            return []
        if method is not None:
            return self.of_notification(side, method, message.get("params"))
        asked = self.asked.pop(json.dumps(id), None) if side == "server" else None
        return self.of_answer(*asked, message) if asked else []

    @staticmethod
    def question(message):
        """Method and parameters of a request of ours, which may also come as a command."""
        method, params = message["method"], message.get("params")
        if method == "workspace/executeCommand" and isinstance(params, dict):
            arguments = params.get("arguments")
            params = arguments[0] if isinstance(arguments, list) and arguments else None
            method = str(message["params"].get("command")).replace("tasklens.", "tasklens/", 1)
        return (method, params) if isinstance(method, str) and method.startswith("tasklens/") else None

    def of_notification(self, side, method, params):
        if side != "server" or not method.startswith("tasklens/"):
            return []
        message = self.checker.protocol.notifications.get(method)
        if not message:
            return [f"{method} is no notification of protocol.json"]
        return lines(self.checker.faults_of_object(message["parameters"], params, method))

    def of_answer(self, method, params, message):
        if "error" in message and message["error"].get("code") in WRONG:
            return []
        request = self.checker.protocol.requests.get(method)
        if not request:
            return [f"{method} is no request of protocol.json"]
        found = []
        if not self.hostile:
            found += self.checker.faults_of_parameters(request["parameters"], params, f"{method} params")
        if "error" not in message:
            answer, at = request["answer"], f"{method} answer"
            check = self.checker.faults if isinstance(answer, str) else self.checker.faults_of_object
            found += check(answer, message["result"], at)
        return lines(found)


def lines(faults):
    return [f"{at} {what}" for at, what in faults]


def check(path):
    """The lines of the file; an exit status."""
    checker, conversations, messages, faults = Checker(Protocol()), {}, 0, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            if entry["from"] == "start":
                conversations[entry["conversation"]] = Conversation(checker, entry["hostile"])
            else:
                messages += 1
                faults += conversations[entry["conversation"]].look(entry["from"], entry["message"])
    for fault in faults[:20]:
        print(f"against protocol.json: {fault}", file=sys.stderr)
    print(f"{messages} messages looked at for what protocol.json says", file=sys.stderr)
    return 1 if faults or messages == 0 else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "check":
        sys.exit(__doc__)
    sys.exit(check(sys.argv[2]))
