#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that send nonsense: every request of the server with parameters of every wrong kind. It
answers each one, with a result or one clear line, and is as well afterwards as before."""

import json
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import STARPU, Client, frame, main  # noqa: E402
from protocol import Protocol  # noqa: E402

CHOLESKY = os.path.join(STARPU, "cholesky_lws/prof_file_0")
SEED = 20261121
ROUNDS = 40

# What the protocol says that these requests take.
PLACE = {"textDocument": {"uri": "file:///x.c"}, "position": {"line": 1, "character": 2}}
STANDARD = {
    "textDocument/codeLens": {"textDocument": {"uri": "file:///x.c"}},
    "textDocument/hover": PLACE,
    "textDocument/inlayHint": {
        "textDocument": {"uri": "file:///x.c"},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}},
    },
    "textDocument/prepareCallHierarchy": PLACE,
    "callHierarchy/incomingCalls": {"item": {"data": {"trace": "t1", "site": 1}}},
    "callHierarchy/outgoingCalls": {"item": {"data": {"trace": "t1", "site": 1}}},
    "textDocument/references": {**PLACE, "context": {"includeDeclaration": True}},
    "textDocument/definition": PLACE,
    "textDocument/documentLink": {"textDocument": {"uri": "file:///x.c"}},
    "workspace/symbol": {"query": "gemm"},
    "textDocument/codeAction": {
        "textDocument": {"uri": "file:///x.c"},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}},
        "context": {"diagnostics": []},
    },
    "workspace/executeCommand": {"command": "tasklens.stats", "arguments": [{"by": "codelet"}]},
}
# These start programs or change files, or end what the test needs; they are sent what cannot do so.
LEFT_ALONE = {"tasklens/run", "tasklens/openTrace", "tasklens/closeTrace", "tasklens/deleteRun"}
NONSENSE = [
    None, True, False, 0, -1, 1, 2**31, 2**32, 2**63, 2**64, -(2**63), 1e308, 0.5, "", "t1", "\0", "é𝕏",
    "../../etc/passwd", "file:///etc/passwd", "a" * 5000, [], [[]], {}, {"a": {}}, [None], ["t1", "t1"],
]  # fmt: skip


def requests_of_ours():
    """Method, and all parameters: those of the example, and the others as null."""
    protocol = Protocol()
    return {
        method: {**dict.fromkeys(protocol.members(request["parameters"])), **request["example"]}
        for method, request in protocol.requests.items()
    }


def mutate(rng, value):
    """The value with one part of it replaced, removed or added."""
    value = json.loads(json.dumps(value))
    spots = []

    def walk(node):
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, child in list(items):
            spots.append((node, key))
            if isinstance(child, (dict, list)):
                walk(child)

    if isinstance(value, (dict, list)):
        walk(value)
    if not spots or rng.random() < 0.05:
        return rng.choice(NONSENSE)
    node, key = rng.choice(spots)
    if isinstance(node, dict) and rng.random() < 0.2:
        del node[key]
    else:
        node[key] = rng.choice(NONSENSE)
    return value


class Hostile(unittest.TestCase):
    def check(self, c, method, params):
        reply = c.ask(method, params)
        if "error" in reply:
            error = reply["error"]
            self.assertNotEqual(error["code"], -32603, (method, params, error))
            self.assertTrue(error["message"] and "\n" not in error["message"], (method, params, error))
        return reply

    def test_every_request_survives_wrong_parameters(self):
        rng = random.Random(SEED)
        methods = {**requests_of_ours(), **STANDARD}
        with Client(hostile=True) as c:
            c.open(CHOLESKY)
            self.assertGreater(len(methods), 25)
            for method, example in sorted(methods.items()):
                if method not in LEFT_ALONE:
                    self.check(c, method, example)
                for _ in range(ROUNDS):
                    params = mutate(rng, example)
                    if method in LEFT_ALONE and isinstance(params, dict):
                        params["program"] = "/dev/null"
                        params["uris"] = ["/dev/null"]
                        params["trace"] = "none"
                        params["build"] = []
                    self.check(c, method, params)
                for params in NONSENSE:
                    self.check(c, method, params)
            self.assertEqual(c.request("tasklens/traces")["traces"][0]["trace"], "t1")

    def test_notifications_with_wrong_parameters_are_passed_over(self):
        rng = random.Random(SEED)
        document = {"uri": "file:///x.c", "languageId": "c", "version": 1, "text": "int x;\n"}
        examples = {
            "textDocument/didOpen": {"textDocument": document},
            "textDocument/didChange": {
                "textDocument": {"uri": "file:///x.c", "version": 2},
                "contentChanges": [
                    {
                        "range": {
                            "start": {"line": 0, "character": 1},
                            "end": {"line": 0, "character": 3},
                        },
                        "text": "é𝕏",
                    }
                ],
            },
            "textDocument/didClose": {"textDocument": {"uri": "file:///x.c"}},
            "$/cancelRequest": {"id": 3},
            "window/workDoneProgress/cancel": {"token": "x"},
            "workspace/didChangeConfiguration": {"settings": {"tasklens": {"sourceRoots": ["/x"]}}},
            "workspace/didChangeWorkspaceFolders": {
                "event": {"added": [{"uri": "file:///x", "name": "x"}], "removed": []}
            },
            "initialized": {},
            "unknown/notification": {},
        }
        with Client(hostile=True) as c:
            c.open(CHOLESKY)
            for method, example in examples.items():
                for _ in range(ROUNDS):
                    for params in (example, mutate(rng, example)):
                        c.send({"method": method, "params": params})
            self.assertEqual(c.request("tasklens/traces")["traces"][0]["trace"], "t1")

    def test_lines_beyond_the_end_of_a_file_are_none(self):
        with Client(hostile=True) as c:
            uri = "file://" + c.write("tasks.rec", "Name: x\nFile: x.c\nLine: 1\n")
            for line in (9, 2**31 - 1, 2**32 - 1):
                place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 0}}
                for method in ("hover", "definition"):
                    self.assertIsNone(c.request("textDocument/" + method, place))

    def test_messages_of_every_shape_are_answered_or_passed_over(self):
        with Client(hostile=True) as c:
            for text in ("", "3", "[]", "null", '"x"', "{", "{}", '{"jsonrpc":"2.0"}', "\xff\xfe", "[" * 100000,
                         '{"jsonrpc":"1.0","id":1,"method":"shutdown"}', '{"jsonrpc":"2.0","id":{},"method":"x"}',
                         '{"jsonrpc":"2.0","id":1.5,"method":"x"}', '{"jsonrpc":"2.0","id":9,"method":7}',
                         '{"jsonrpc":"2.0","id":77,"result":1,"error":2}', '{"jsonrpc":"2.0","id":1,"method":"x","params":3}'):  # fmt: skip
                c.raw(frame(text.encode("latin-1")))
            self.assertEqual(c.request("tasklens/traces"), {"traces": []})


if __name__ == "__main__":
    main()
