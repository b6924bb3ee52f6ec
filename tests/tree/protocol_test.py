#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""ide-plugin/protocol.json, which says what each message of `tasklens/...` carries: it is whole, the server has
its requests and no others, and what is made of it is as it would be made now (tools/protocol_page.py)."""

import os
import re
import sys

from tree import Tree, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../tools"))
from protocol import BASE, Checker, Protocol  # noqa: E402
from protocol_cpp import title  # noqa: E402
from protocol_page import MADE  # noqa: E402

SCHEMA = "ide-plugin/protocol.json"
MADE_BY = "run tools/protocol_page.py"


def names_of(kind):
    """The types that a type names."""
    for one in kind.split(" | "):
        while one.endswith(("[]", " column")) or one.startswith("{"):
            one = one[1:-1] if one.startswith("{") else re.sub(r"(\[\]| column)$", "", one)
        if one not in BASE and not one.startswith("'"):
            yield one


def kinds_of(protocol):
    """Each type that is written somewhere, with the place."""
    for name, shape in protocol.shapes().items():
        for member in protocol.own_members(shape):
            yield f"{name}.{member.name}", member.kind
        if "extends" in shape:
            yield name, shape["extends"]
    for name, shape in protocol.types.items():
        if "is" in shape:
            yield name, shape["is"]
    for method, message in protocol.requests.items():
        if isinstance(message["answer"], str):
            yield f"{method} answer", message["answer"]


def faults_of_types(protocol):
    used = set()
    for place, kind in kinds_of(protocol):
        for name in names_of(kind):
            used.add(name)
            if name not in protocol.types:
                yield f"{place} is of the type {name}, which there is not"
    for name in protocol.types.keys() - used:
        yield f"nothing is of the type {name}"
    for name, shape in protocol.types.items():
        if "about" not in shape:
            yield f"{name} does not say what it is"


def faults_of_messages(protocol):
    checker = Checker(protocol)
    for method, message in {**protocol.requests, **protocol.notifications}.items():
        if message.keys() - {"about", "notes", "parameters", "example", "answer"}:
            yield f"{method} has {', '.join(message)}"
        if "example" in message or method in protocol.requests:
            for at, what in checker.faults_of_parameters(message["parameters"], message["example"], method):
                yield f"the example {at} {what}"


def faults_of_methods(tree, protocol):
    """Requests are in the handlers of the table, notifications where something happens."""
    server = "".join(tree.text(path) for path in tree.files() if re.match(r"server/.*\.cc$", path))
    table = tree.text("server/requests.inc")
    handled = {f"tasklens/{name[0].lower()}{name[1:]}" for name in re.findall(r"\n(?:REQUEST|ACTION)\((\w+)\)", table)}
    pattern = r'(?:(?:Request|Action)<&\w+>\(|Action = \{)\s*"(tasklens/\w+)"'
    defined = set(re.findall(pattern, server))
    for method in defined ^ protocol.requests.keys():
        yield f"{method} is a request of {'the server alone' if method in defined else 'protocol.json alone'}"
    for method in defined - handled:
        yield f"{method} is not in server/requests.inc"
    told = set(re.findall(r'NotifyOurs\(\s*"(tasklens/\w+)"', server))
    for method in told ^ protocol.notifications.keys():
        yield f"{method} is a notification of {'the server alone' if method in told else 'protocol.json alone'}"


def faults_of_handlers(tree, protocol):
    """Handlers have the structs of their messages."""
    server = "".join(tree.text(path) for path in tree.files() if re.match(r"server/.*\.cc$", path))
    for method, message in protocol.requests.items():
        for suffix in ("Params",) if str(message["answer"]) in protocol.types else ("Params", "Answer"):
            if f"messages::{title(method)}{suffix}" not in server:
                yield f"{method}: no file of server/ uses messages::{title(method)}{suffix}"


def complaints(tree: Tree):
    protocol = Protocol(os.path.join(tree.root, SCHEMA))
    found = [f"{SCHEMA}: {fault}" for fault in faults_of_types(protocol)]
    if not found:
        found += [f"{SCHEMA}: {fault}" for fault in faults_of_messages(protocol)]
        found += [f"{SCHEMA}: {fault}" for fault in faults_of_methods(tree, protocol)]
        if tree.exists("tools/protocol_cpp.py"):
            found += [f"{SCHEMA}: {fault}" for fault in faults_of_handlers(tree, protocol)]
    for path, make in MADE.items():
        if not found and tree.exists(path) and make(tree.text(path), protocol) != tree.text(path):
            found.append(f"{path} is not what {SCHEMA} says; {MADE_BY}")
    return found


if __name__ == "__main__":
    HANDLER = 'Request<&Ask>("tasklens/ask")'
    TABLE = "\nREQUEST(Ask)\n"

    def sample(schema, handler=HANDLER, table=TABLE, **files):
        return {SCHEMA: schema, "server/handlers/ask.cc": handler, "server/requests.inc": table, **files}

    def schema(parameters="{}", example="{}", answer='"null"', types="{}"):
        ask = f'{{"about": "", "parameters": {parameters}, "example": {example}, "answer": {answer}}}'
        return f'{{"types": {types}, "requests": {{"tasklens/ask": {ask}}}, "notifications": {{}}}}'

    run(
        complaints,
        [
            (sample(schema(answer='"Trace[]"')), "is of the type Trace, which there is not"),
            (sample(schema(types='{"Trace": {"about": ""}}')), "nothing is of the type Trace"),
            (sample(schema(example='{"a": 1}')), "the example tasklens/ask.a is not in protocol.json"),
            (sample(schema(parameters='{"a": ["count", ""]}')), "the example tasklens/ask.a is missing"),
            (sample(schema(), handler=""), "tasklens/ask is a request of protocol.json alone"),
            (sample(schema(), handler=HANDLER + 'Action<&Do>("tasklens/do")'), "tasklens/do is a request of the server alone"),
            (sample(schema(), table=""), "tasklens/ask is not in server/requests.inc"),
            (sample(schema(), **{"tools/protocol_cpp.py": ""}), "no file of server/ uses messages::AskParams"),
            (
                sample(schema(), handler=HANDLER + "messages::AskParams", **{"tools/protocol_cpp.py": ""}),
                "no file of server/ uses messages::AskAnswer",
            ),
            (sample(schema(), handler=HANDLER + 'NotifyOurs("tasklens/go"'), "tasklens/go is a notification of the server alone"),
        ],
    )
