#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that announce little get what they can use, and are asked for nothing that they did not
announce."""

import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import EDITOR, STARPU, Client, main  # noqa: E402

CHOLESKY = os.path.join(STARPU, "cholesky_lws")
SOURCE = os.path.join(STARPU, "src/cholesky.c")
EVENT, FUNCTION = 24, 12  # the protocol's SymbolKind


def announcing(path, value):
    """Capabilities that say one thing."""
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


class Abilities(unittest.TestCase):
    def opened(self, c):
        """The cholesky example with its trace; the URI of its source, when all of it is analysed."""
        path = c.root + "/cholesky.c"
        shutil.copy(SOURCE, path)
        os.utime(path, (0, 0))
        c.open(CHOLESKY + "/prof_file_0")
        c.wait_for("textDocument/publishDiagnostics", lambda p: p["diagnostics"])
        return "file://" + path

    def hover(self, c, uri):
        """Of the first line that submits."""
        place = {"textDocument": {"uri": uri}, "position": c.lenses(uri)[0]["range"]["start"]}
        return c.request("textDocument/hover", place)["contents"]

    def actions(self, c, uri, **context):
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
        return c.request(
            "textDocument/codeAction",
            {"textDocument": {"uri": uri}, "range": whole, "context": {"diagnostics": [], **context}},
        )

    def records(self, c):
        """The URI of a generated file in the workspace."""
        shutil.copy(CHOLESKY + "/reference/tasks.rec", c.root + "/tasks.rec")
        return {"textDocument": {"uri": "file://" + c.root + "/tasks.rec"}}

    def test_hovers_are_plain_text_unless_markdown_is_liked_best(self):
        for formats, kind in (
            (None, "plaintext"),
            (["plaintext"], "plaintext"),
            (["plaintext", "markdown"], "plaintext"),
            (["of-tomorrow", "markdown", "plaintext"], "markdown"),
        ):
            has = {} if formats is None else announcing("textDocument.hover.contentFormat", formats)
            with Client(capabilities=has, hostile=True) as c:
                self.assertEqual(self.hover(c, self.opened(c))["kind"], kind)

    def test_a_hover_of_plain_text_says_the_same_without_marks(self):
        with Client(capabilities={}) as c, Client() as markdown:
            plain = self.hover(c, self.opened(c))["value"]
            marked = self.hover(markdown, self.opened(markdown))["value"]
            self.assertIn("**", marked)
            for mark in ("**", "`", "|", "\\", ":--"):
                self.assertNotIn(mark, plain)
            table = [line for line in marked.split("\n") if line.startswith("|")]
            rows = [[cell.strip().replace("\\", "") for cell in row.split("|")[1:-1]] for row in table]
            del rows[1]  # how its columns are set
            lines = plain.split("\n")
            first = next(i for i, line in enumerate(lines) if line.startswith("codelet"))
            for row, line in zip(rows, lines[first:]):
                self.assertEqual([cell.strip() for cell in line.split("  ") if cell.strip()], row)
            widths = {len(line.rstrip()) for line in lines[first : first + len(rows)]}
            self.assertEqual(len(widths), 1, lines)  # its last column is set right

    def test_actions_are_commands_where_no_others_are_known(self):
        with Client(capabilities={}) as c:
            uri = self.opened(c)
            actions = self.actions(c, uri)
            self.assertGreater(len(actions), 0)
            for action in actions:
                self.assertEqual(set(action), {"title", "command", "arguments"})
                answer = self.execute(c, action)
                if action["command"] == "tasklens.showSite":
                    self.assertIn("tasks", answer["text"])
                else:
                    self.assertEqual(answer["uri"], "file://" + c.root + "/.tasklens/silenced-rules")

    def execute(self, c, action):
        return c.request(
            "workspace/executeCommand", {"command": action["command"], "arguments": action["arguments"]}
        )

    def test_clients_that_know_no_edits_in_actions_are_asked_for_them(self):
        with Client(capabilities=announcing("workspace.applyEdit", True)) as c:
            uri = self.opened(c)
            actions = self.actions(c, uri)
            c.answers["workspace/applyEdit"] = {"applied": True}
            for end, line_of_comment in (("here", True), ("in this file", False)):
                action = next(a for a in actions if a["title"].endswith(end))
                self.assertEqual(self.execute(c, action), {"uri": uri})
                method, params = c.asked[-1]
                self.assertEqual(method, "workspace/applyEdit")
                (edit,) = params["edit"]["changes"][uri]
                self.assertIn("/* tasklens: ignore", edit["newText"])
                self.assertEqual(edit["range"]["start"]["line"] > 0, line_of_comment)
            c.answers["workspace/applyEdit"] = {"applied": False}
            reply = c.ask("tasklens/silence", action["arguments"][0])
            self.assertEqual(reply["error"]["message"], "the editor did not change the file")

    def test_only_actions_of_the_kinds_that_are_asked_for(self):
        with Client() as c:
            uri = self.opened(c)
            every = self.actions(c, uri)
            self.assertEqual({action["kind"] for action in every}, {"quickfix"})
            for only, expected in (
                (["quickfix"], every),
                ([""], every),
                (["refactor", "quickfix"], every),
                (["refactor"], []),
                (["quickfix.spelling"], []),
                (["quick"], []),
                ([], []),
            ):
                self.assertEqual(self.actions(c, uri, only=only), expected, only)

    def test_kinds_of_actions_are_offered_to_those_who_know_them(self):
        for has, expected in (
            ({}, True),
            (EDITOR, {"codeActionKinds": ["quickfix"]}),
        ):
            with Client(initialize=False) as c:
                offered = c.initialize(capabilities=has)["capabilities"]
                self.assertEqual(offered["codeActionProvider"], expected)

    def test_symbols_of_a_file_are_a_list_where_no_tree_is_known(self):
        with Client(capabilities={}) as c, Client() as full:
            document, own = self.records(c), self.records(full)
            flat = c.request("textDocument/documentSymbol", document)
            tree = full.request("textDocument/documentSymbol", own)
            self.assertGreater(len(flat), 3)
            self.assertEqual(len(flat), len(tree))
            for symbol, node in zip(flat, tree):
                self.assertEqual(set(symbol), {"name", "kind", "location"})
                self.assertEqual(symbol["name"], node["name"])
                self.assertEqual(symbol["location"], {**document["textDocument"], "range": node["range"]})
                self.assertEqual((symbol["kind"], node["kind"]), (FUNCTION, EVENT))

    def test_symbols_have_kinds_that_the_client_knows(self):
        with Client(capabilities={}) as c, Client() as full:
            self.opened(c)
            self.opened(full)
            kinds = set()
            for job in range(100):  # not every task was submitted on a line that is known
                query = {"query": f"#{job}"}
                plain = c.request("workspace/symbol", query)
                known = full.request("workspace/symbol", query)
                self.assertEqual({symbol["kind"] for symbol in plain}, {FUNCTION} if known else set())
                kinds |= {symbol["kind"] for symbol in known}
            self.assertEqual(kinds, {EVENT})

    def test_no_more_folds_than_the_client_takes(self):
        with Client(capabilities=announcing("textDocument.foldingRange.rangeLimit", 2)) as c:
            self.assertEqual(len(c.request("textDocument/foldingRange", self.records(c))), 2)
        with Client() as c:
            self.assertGreater(len(c.request("textDocument/foldingRange", self.records(c))), 2)

    def test_diagnostics_have_what_was_announced(self):
        for has, members in (
            ({}, set()),
            (announcing("textDocument.publishDiagnostics.versionSupport", True), {"version"}),
        ):
            with Client(capabilities=has) as c:
                path = c.root + "/cholesky.c"
                with open(SOURCE, encoding="utf-8") as file:
                    c.did_open("file://" + path, file.read())
                self.opened(c)
                for method, params in c.notifications:
                    if method == "textDocument/publishDiagnostics":
                        self.assertEqual(set(params) - {"uri", "diagnostics"}, members)
                        for diagnostic in params["diagnostics"]:
                            self.assertNotIn("relatedInformation", diagnostic)

    def test_a_client_that_announces_nothing_is_asked_for_nothing(self):
        with Client(capabilities={}) as c:
            uri = self.opened(c)
            site = c.lenses(uri)[0]["command"]["arguments"][0]
            c.request("tasklens/reveal", site)
            c.request("tasklens/showSite", site)
            c.request("tasklens/run", {"program": c.script("exit 0")})
            c.notify("workspace/didChangeConfiguration", {"settings": {"sourceRoots": ["/x"]}})
            self.actions(c, uri)
            c.request("tasklens/traces")
            self.assertEqual(c.asked, [])
            self.assertEqual([m for m, _ in c.notifications if m.startswith(("$/", "tasklens/"))], [])

    def test_each_request_of_the_server_needs_its_capability(self):
        for path, method in (
            ("window.showDocument.support", "window/showDocument"),
            ("window.workDoneProgress", "window/workDoneProgress/create"),
            ("workspace.codeLens.refreshSupport", "workspace/codeLens/refresh"),
            ("workspace.inlayHint.refreshSupport", "workspace/inlayHint/refresh"),
        ):
            with Client(capabilities=announcing(path, True)) as c:
                c.answers["window/showDocument"] = {"success": True}
                uri = self.opened(c)
                c.request("tasklens/reveal", c.lenses(uri)[0]["command"]["arguments"][0])
                self.assertEqual({name for name, _ in c.asked}, {method})

    def test_work_done_progress_is_offered_to_those_who_show_it(self):
        for has, expected in (({}, True), (announcing("window.workDoneProgress", True), {"workDoneProgress": True})):
            with Client(initialize=False) as c:
                self.assertEqual(c.initialize(capabilities=has)["capabilities"]["hoverProvider"], expected)


if __name__ == "__main__":
    main()
