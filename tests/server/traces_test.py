#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Open traces: what is in them, where it was submitted, and what a file's lines cost."""

import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import STARPU, TASKLENS, Client, main  # noqa: E402

HELLO = os.path.join(STARPU, "hello/prof_file_0")
SOURCE = os.path.join(STARPU, "src/hello.c")
OURS = {"experimental": {"tasklens": True}}
SHOW = {"window": {"showDocument": {"support": True}}}


@contextlib.contextmanager
def sources():
    """A folder that is no workspace, with hello.c."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
        shutil.copy(SOURCE, folder)
        yield folder


def submitting_lines(text):
    """Lines (from 0) that submit a task, in order."""
    return [i for i, line in enumerate(text.split("\n")) if "starpu_task_insert(" in line]


class Traces(unittest.TestCase):
    def hello(self, **params):
        c = Client(**params)
        shutil.copy(SOURCE, c.root + "/hello.c")
        c.source = c.root + "/hello.c"
        c.uri = "file://" + c.source
        with open(c.source, encoding="utf-8") as file:
            c.text = file.read()
        return c

    def test_says_what_is_in_a_trace(self):
        with Client() as c:
            reply = c.open("file://" + HELLO)
            self.assertEqual(
                [reply[k] for k in ("trace", "tasks", "ran", "workers", "ranks", "sites")],
                ["t1", 3, 3, 2, 1, 3],
            )
            self.assertEqual(reply["diagnostics"], [])
            self.assertGreater(reply["spanNs"], 0)

    def test_of_a_run_without_tasks_there_is_no_efficiency(self):
        with Client() as c:
            with open(c.root + "/idle.prv", "w", encoding="ascii") as file:
                file.write("#Paraver (01/01/00 at 00:00):1000_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:1000:0\n")
            reply = c.open("file://" + file.name)
            self.assertEqual((reply["tasks"], reply["efficiency"]), (0, None))
            overview = c.request("tasklens/overview", {})
            self.assertIsNone(overview["factors"]["total"])
            self.assertIsNone(overview["bound"]["boundOverSpan"])

    def test_takes_several_ranks_or_their_folder(self):
        with Client() as c:
            folder = os.path.join(STARPU, "mpi2")
            files = [f"file://{folder}/prof_file_{rank}" for rank in (0, 1)]
            self.assertEqual(c.open(*files)["ranks"], 2)

    def test_says_what_is_wrong_with_a_file(self):
        with Client() as c:
            empty, foreign = c.write("empty", ""), c.write("foreign", "hello\n")
            with open(HELLO, "rb") as file:
                cut = file.read()[:1000]
            for path, text in (
                (c.root + "/none", "none: "),
                (empty, "the file is empty"),
                (foreign, "not in a known trace format"),
            ):
                code, message = c.error("tasklens/openTrace", {"uris": [path]})
                self.assertEqual(code, -32803)
                self.assertIn(text, message)
                self.assertIn(path, message)
                self.assertNotIn("\n", message)
            for params, text in (
                ({"uris": []}, "params.uris names no file"),
                ({"uris": ["http://x"]}, "http://x: expected a file URI or an absolute path"),
                ({"uris": [1]}, "params.uris[0] must be a string, not 1"),
                ({}, "params.uris is missing"),
                ([], "params must be an object, not an array"),
            ):
                self.assertEqual(c.error("tasklens/openTrace", params), (-32602, text))
            with open(c.root + "/cut", "wb") as file:
                file.write(cut)
            reply = c.ask("tasklens/openTrace", {"uris": [c.root + "/cut"]})
            if "result" in reply:  # what can be read is kept, and the loss is said
                self.assertNotEqual(reply["result"]["diagnostics"], [])
            else:
                self.assertIn(c.root + "/cut", reply["error"]["message"])

    def test_what_may_have_no_end_is_not_read(self):
        with Client() as c:
            pipe = c.root + "/trace.tlt"
            os.mkfifo(pipe)
            for path in (pipe, "/dev/zero", "/dev/stdin", "/dev/null"):
                self.assertEqual(
                    c.error("tasklens/openTrace", {"uris": [path]}),
                    (-32803, f"{path}: a pipe or device, not a file with a trace"),
                )
            # In a folder it is none of the traces; beside a trace it is as good as missing.
            shutil.copy(HELLO, c.root + "/prof_file_0")
            os.mkfifo(c.root + "/run.json")
            os.mkfifo(c.root + "/sources.json")
            self.assertEqual(c.open(c.root)["tasks"], 3)
            subprocess.run([TASKLENS, "convert", HELLO, "-o", c.root + "/prv", "--to", "paraver"], check=True)
            (prv,) = glob.glob(c.root + "/prv/*.prv")
            os.remove(prv[:-3] + "pcf")
            os.mkfifo(prv[:-3] + "pcf")
            self.assertGreater(c.open(prv)["tasks"], 0)

    def test_lists_and_closes_traces(self):
        with Client() as c:
            self.assertEqual(
                c.error("tasklens/graph"),
                (-32803, "no trace is open; run a program or open a trace first"),
            )
            c.open(HELLO)
            c.open(os.path.join(STARPU, "tags/prof_file_0"))
            self.assertEqual(
                [t["trace"] for t in c.request("tasklens/traces")["traces"]], ["t2", "t1"]
            )
            self.assertEqual(c.request("tasklens/stats")["trace"], "t2")
            self.assertIsNone(c.request("tasklens/closeTrace", {"trace": "t2"}))
            self.assertEqual(
                c.error("tasklens/closeTrace", {"trace": "t2"}),
                (-32803, "the trace t2 is not open; open: t1 (prof_file_0)"),
            )

    def test_what_is_opened_again_stays_the_same_trace(self):
        with Client() as c:
            folder = c.root + "/run"
            os.mkdir(folder)
            shutil.copy(HELLO, folder)
            self.assertEqual(c.open(folder)["trace"], "t1")
            self.assertEqual(c.open(os.path.join(STARPU, "tags/prof_file_0"))["trace"], "t2")
            os.symlink(folder, c.root + "/link")
            for again in (folder, "file://" + folder + "/prof_file_0", c.root + "/link"):
                self.assertEqual(c.open(again)["trace"], "t1")
                # and is the newest
                traces = c.request("tasklens/traces")["traces"]
                self.assertEqual([t["trace"] for t in traces], ["t1", "t2"])
            # One rank alone is not the run.
            ranks = os.path.join(STARPU, "mpi2")
            self.assertEqual(c.open(*(f"{ranks}/prof_file_{rank}" for rank in (0, 1)))["trace"], "t3")
            self.assertEqual(c.open(ranks + "/prof_file_0")["trace"], "t4")

    def test_shows_one_task(self):
        with self.hello() as c:
            c.open(HELLO)
            task = c.request("tasklens/task", {"task": 2})
            self.assertEqual((task["name"], task["job"], task["rank"]), ("print", 3, 0))
            self.assertEqual(task["predecessors"]["tasks"][0]["name"], "scale")
            self.assertEqual(task["lastDependency"], 1)
            self.assertEqual(task["durationNs"], task["endNs"] - task["startNs"])
            self.assertGreaterEqual(task["slackNs"], 0)
            self.assertIn({"name": "Name", "text": "print"}, task["fields"])
            self.assertEqual(task["source"]["location"]["uri"], c.uri)
            code, message = c.error("tasklens/task", {"task": 99})
            self.assertEqual(code, -32803)
            self.assertRegex(message, r"^the trace t1 has no task 99; it has \d, counted from 0$")
            self.assertEqual(
                c.error("tasklens/reveal", {"site": 3}),
                (-32803, "the trace t1 has no submission site 3; it has 3, counted from 0"),
            )
            self.assertEqual(
                c.error("tasklens/reveal", {}), (-32602, "params needs task or site")
            )

    def test_reveals_the_line_that_submitted_a_task(self):
        with self.hello() as c:
            c.open(HELLO)
            for task, line in enumerate(submitting_lines(c.text)):
                reply = c.request("tasklens/reveal", {"task": task})
                content = c.text.split("\n")[line]
                self.assertEqual(
                    reply["location"],
                    {
                        "uri": c.uri,
                        "range": {
                            "start": {"line": line, "character": 1},
                            "end": {"line": line, "character": len(content)},
                        },
                    },
                )
                self.assertFalse(reply["shown"])

    def test_asks_the_client_to_show_the_line(self):
        with self.hello(capabilities=SHOW) as c:
            c.answers["window/showDocument"] = {"success": True}
            c.open(HELLO)
            reply = c.request("tasklens/reveal", {"task": 1, "takeFocus": False})
            self.assertTrue(reply["shown"])
            params = dict(c.asked)["window/showDocument"]
            self.assertEqual(params["uri"], c.uri)
            self.assertEqual(params["selection"], reply["location"]["range"])
            self.assertIs(params["takeFocus"], False)
            c.misbehave()
            for refusal in ({"success": False}, None, 7):
                c.answers["window/showDocument"] = refusal
                self.assertFalse(c.request("tasklens/reveal", {"task": 1})["shown"])
            del c.answers["window/showDocument"]
            self.assertFalse(c.request("tasklens/reveal", {"task": 1})["shown"])

    def test_says_why_a_source_cannot_be_shown(self):
        with Client() as c:
            c.open(HELLO)
            self.assertEqual(
                c.error("tasklens/reveal", {"task": 0}),
                (
                    -32803,
                    "hello.c: no such file in the workspace; "
                    "name the folder of the sources in the setting sourceRoots, or with --source-root",
                ),
            )
            c.write("hello.c", "int main;\n")
            c.open(HELLO)
            # A line behind the end is shown as the last line.
            location = c.request("tasklens/reveal", {"task": 0})["location"]
            self.assertEqual(location["range"]["start"]["line"], 0)
            self.assertEqual(c.lenses("file://" + c.root + "/hello.c"), [])
            os.remove(c.root + "/hello.c")
            self.assertEqual(
                c.error("tasklens/reveal", {"task": 0})[1],
                c.root + "/hello.c: the file does not exist any more",
            )

    def test_source_roots_are_a_setting(self):
        with sources() as folder, Client(options={"sourceRoots": [folder]}) as c:
            c.open(HELLO)
            reply = c.request("tasklens/reveal", {"task": 0})
            self.assertTrue(reply["location"]["uri"].endswith("/hello.c"))

    def test_source_roots_may_change_later(self):
        with sources() as folder, Client(capabilities=OURS) as c:
            c.open(HELLO)
            c.notifications.clear()
            c.notify(
                "workspace/didChangeConfiguration",
                {"settings": {"tasklens": {"sourceRoots": [folder]}}},
            )
            c.wait_for("tasklens/traceUpdated")
            c.request("tasklens/reveal", {"task": 0})
            c.notifications.clear()
            c.notify("workspace/didChangeConfiguration", {"settings": {"sourceRoots": []}})
            c.wait_for("tasklens/traceUpdated")
            c.error("tasklens/reveal", {"task": 0})
            c.notifications.clear()
            c.notify(
                "workspace/didChangeWorkspaceFolders",
                {"event": {"added": [{"name": "w", "uri": "file://" + folder}], "removed": []}},
            )
            c.wait_for("tasklens/traceUpdated")
            c.request("tasklens/reveal", {"task": 0})

    def test_roots_that_change_while_a_trace_is_read_count(self):
        with sources() as folder, Client(capabilities=OURS) as c:
            id = c.start("tasklens/openTrace", {"uris": [HELLO]})
            c.notify(
                "workspace/didChangeConfiguration",
                {"settings": {"tasklens": {"sourceRoots": [folder]}}},
            )
            c.wait(id)
            while "error" in c.ask("tasklens/reveal", {"task": 0}):
                pass  # they are looked for
            (row,) = c.request("tasklens/sources")["files"]
            self.assertEqual((row["file"], row["foundBy"]), ("hello.c", "root"))

    def test_sources_say_how_they_were_found(self):
        with sources() as folder, Client(options={"sourceRoots": [folder]}) as c:
            c.open(HELLO)
            reply = c.request("tasklens/sources")
            real = os.path.realpath(folder)
            self.assertEqual(
                reply["roots"],
                [
                    {"folder": real, "origin": "sourceRoots"},
                    {"folder": c.root, "origin": "workspace"},
                ],
            )
            self.assertEqual((reply["trace"], reply["guesses"]), ("t1", []))
            self.assertEqual(
                [row["path"] for row in reply["files"]], [os.path.join(real, "hello.c")]
            )
            c.notify("workspace/didChangeConfiguration", {"settings": {"sourceRoots": []}})
            while (row := c.request("tasklens/sources")["files"][0])["path"]:
                pass  # they are looked for again
            self.assertIn("sourceRoots", row["problem"])
            self.assertIsNone(row["foundBy"])

    def test_a_root_that_the_user_names_decides_between_two(self):
        with Client() as c:
            for name in ("one", "two"):
                os.makedirs(f"{c.root}/{name}/deep")
                shutil.copy(SOURCE, f"{c.root}/{name}/deep")
            c.open(HELLO)
            self.assertIn("could be", c.error("tasklens/reveal", {"task": 0})[1])
            c.notify("workspace/didChangeConfiguration", {"settings": {"sourceRoots": ["two"]}})
            while "error" in (reply := c.ask("tasklens/reveal", {"task": 0})):
                pass
            self.assertEqual(
                reply["result"]["location"]["uri"], f"file://{c.root}/two/deep/hello.c"
            )

    def test_draws_a_small_graph_task_by_task(self):
        with self.hello() as c:
            c.open(HELLO)
            graph = c.request("tasklens/graph", {"svg": True})
            nodes, edges, texts = graph["nodes"], graph["edges"], graph["texts"]
            names = [texts["labels"][label] for label in nodes["label"]]
            self.assertEqual(names, ["greet", "scale", "print"])
            self.assertEqual((edges["from"], edges["to"]), ([1], [2]))
            self.assertEqual(graph["caption"], "3 of 3 tasks")
            for i, name in enumerate(names):
                site = texts["sites"][str(nodes["site"][i])]
                self.assertIn(f"&{name}", c.text.split("\n")[site["line"] - 1])
                self.assertEqual(site["location"]["uri"], c.uri)
                self.assertIn(f'id="{texts["ids"][i]}"', graph["svg"])
                entry = graph["legend"]["entries"][nodes["colour"][i]]
                self.assertEqual(entry["label"], name)
            self.assertIn("<svg", graph["svg"])
            self.assertIsNone(c.request("tasklens/graph")["svg"])

    def test_lists_the_tasks_of_a_line(self):
        with self.hello() as c:
            c.open(HELLO)
            line = submitting_lines(c.text)[1]
            reply = c.request("tasklens/tasksAt", {"uri": c.uri, "line": line})
            self.assertEqual([t["name"] for t in reply["tasks"]], ["scale"])
            self.assertEqual((reply["count"], reply["trace"]), (1, "t1"))
            self.assertEqual(
                c.request("tasklens/tasksAt", {"uri": c.uri, "line": line, "limit": 0})["tasks"], []
            )
            self.assertEqual(
                c.request("tasklens/tasksAt", {"uri": c.uri, "line": 0})["trace"], None
            )
            self.assertEqual(
                c.request("tasklens/tasksAt", {"uri": c.uri, "line": 4294967295})["count"], 0
            )

    def test_ranks_sites_by_cost(self):
        with self.hello() as c:
            c.open(HELLO)
            stats = c.request("tasklens/stats")
            totals = [cost["totalNs"] for cost in stats["costs"]]
            self.assertEqual(totals, sorted(totals, reverse=True))
            self.assertAlmostEqual(sum(cost["share"] for cost in stats["costs"]), 1)
            self.assertEqual(sum(totals), stats["busyNs"])
            self.assertEqual(len(c.request("tasklens/stats", {"limit": 1})["costs"]), 1)

    def test_puts_a_lens_on_each_submitting_line(self):
        with self.hello() as c:
            self.assertEqual(c.lenses(c.uri), [])
            c.open(HELLO)
            # The source is younger than the trace: it was just copied.
            lenses = c.lenses(c.uri)
            self.assertEqual(
                [lens["range"]["start"]["line"] for lens in lenses], submitting_lines(c.text)
            )
            title = lenses[1]["command"]["title"]
            self.assertTrue(title.endswith(" · older than the file"), title)
            os.utime(c.source, (0, 0))
            title = c.lenses(c.uri)[1]["command"]["title"]
            self.assertTrue(re.fullmatch(r"1 task · [\d.]+ [nµm]?s total · \d+ %", title), title)
            command = lenses[1]["command"]
            shown = c.request("workspace/executeCommand", command)
            self.assertTrue(shown["text"].startswith("scale: 1 task"), shown)
            self.assertEqual(c.wait_for("window/showMessage")["message"], shown["text"])

    def test_lenses_of_other_files_are_none(self):
        with self.hello() as c:
            c.open(HELLO)
            for uri in ("untitled:Untitled-1", "file:///nowhere.c", "nonsense", "file:///"):
                self.assertEqual(c.lenses(uri), [])

    def test_finds_a_document_that_was_opened_through_a_link(self):
        with self.hello() as c:
            os.symlink(c.source, c.root + "/link.c")
            c.open(HELLO)
            c.did_open("file://" + c.root + "/link.c", c.text)
            self.assertEqual(len(c.lenses("file://" + c.root + "/link.c")), 3)

    def lens_lines(self, c):
        """Line and the remark about its age, of each lens."""
        return [
            (lens["range"]["start"]["line"], lens["command"]["title"].split(" · ")[-1])
            for lens in c.lenses(c.uri)
        ]

    def test_lines_are_followed_through_unsaved_changes(self):
        with self.hello() as c:
            os.utime(c.source, (0, 0))
            c.open(HELLO)
            lines = submitting_lines(c.text)
            c.did_open(c.uri, "/* new */\n\n" + c.text)
            found = self.lens_lines(c)
            self.assertEqual([line for line, _ in found], [line + 2 for line in lines])
            self.assertTrue(all(remark.endswith("%") for _, remark in found), found)
            location = c.request("tasklens/reveal", {"site": 0})["location"]
            self.assertEqual(location["range"]["start"]["line"], found[0][0])
            at = [c.request("tasklens/tasksAt", {"uri": c.uri, "line": i})["count"] for i in (1, 2)]
            self.assertEqual(at, [0, 0])
            for line, _ in found:
                reply = c.request("tasklens/tasksAt", {"uri": c.uri, "line": line})
                self.assertEqual(reply["count"], 1)

    def change(self, c, start, end, text):
        self.version = getattr(self, "version", 1) + 1
        c.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": c.uri, "version": self.version},
                "contentChanges": [
                    {
                        "range": {
                            "start": {"line": start[0], "character": start[1]},
                            "end": {"line": end[0], "character": end[1]},
                        },
                        "text": text,
                    }
                ],
            },
        )

    def test_equal_lines_are_told_apart_by_the_edits(self):
        with self.hello() as c:
            os.utime(c.source, (0, 0))
            c.open(HELLO)
            c.did_open(c.uri, c.text)
            lines = submitting_lines(c.text)
            first = c.text.split("\n")[lines[0]]
            # A copy above the first: a comparison of the texts would take it for the first.
            self.change(c, (lines[0], 0), (lines[0], 0), first + "\n")
            self.assertEqual([line for line, _ in self.lens_lines(c)], [n + 1 for n in lines])
            # Saved, and copied once more.
            c.notify("textDocument/didSave", {"textDocument": {"uri": c.uri}})
            self.change(c, (lines[0], 0), (lines[0], 0), first + "\n")
            self.assertEqual([line for line, _ in self.lens_lines(c)], [n + 2 for n in lines])
            # The line itself goes, its copies stay.
            self.change(c, (lines[0] + 2, 0), (lines[0] + 3, 0), "")
            found = self.lens_lines(c)
            self.assertEqual([line for line, _ in found][1:], [n + 1 for n in lines[1:]])

    def test_lines_of_a_block_that_was_replaced_are_told_apart_too(self):
        with self.hello() as c:
            os.utime(c.source, (0, 0))
            c.open(HELLO)
            c.did_open(c.uri, c.text)
            lines = submitting_lines(c.text)
            rows = c.text.split("\n")
            # As a formatter does it, or undoing: one line of the block is another one.
            begin, end = lines[0] - 2, lines[-1] + 2
            block = rows[begin:end]
            block[-1] += " /* changed */"
            self.change(c, (begin, 0), (end, 0), "\n".join(block) + "\n")
            self.assertEqual([line for line, _ in self.lens_lines(c)], lines)
            self.change(c, (lines[0], 0), (lines[0], 0), rows[lines[0]] + "\n")
            self.assertEqual([line for line, _ in self.lens_lines(c)], [n + 1 for n in lines])

    def test_a_workspace_behind_a_link_keeps_its_name(self):
        with Client(initialize=False) as c:
            real, c.root = c.root + "/real", c.root + "/link"
            os.mkdir(real)
            os.symlink(real, c.root)
            shutil.copy(SOURCE, real + "/hello.c")
            os.utime(real + "/hello.c", (0, 0))
            shutil.copy(SOURCE, real + "/other.c")
            c.initialize()
            c.uri = f"file://{c.root}/hello.c"
            c.open(HELLO)
            # Before it is opened.
            lines = [line for line, _ in self.lens_lines(c)]
            with open(SOURCE, encoding="utf-8") as file:
                text = file.read()
            self.assertEqual(lines, submitting_lines(text))
            place = {"textDocument": {"uri": c.uri}, "position": {"line": lines[0], "character": 0}}
            self.assertIsNotNone(c.request("textDocument/hover", place))

            def uris():
                symbols = c.request("workspace/symbol", {"query": ""})
                shown = c.request("tasklens/reveal", {"site": 0})["location"]
                return {s["location"]["uri"] for s in symbols} | {shown["uri"]}, shown["range"]["start"]["line"]

            # The folder's name shows by which way the client goes; then another document does.
            self.assertEqual(uris(), ({c.uri}, lines[0]))
            c.did_open(f"file://{c.root}/other.c", "")
            self.assertEqual(uris(), ({c.uri}, lines[0]))
            c.did_open(c.uri, "\n\n\n" + text)
            self.assertEqual(uris(), ({c.uri}, lines[0] + 3))

    def test_a_folder_behind_a_link_is_written_as_the_client_writes_it(self):
        with Client(initialize=False) as c:
            real = c.root + "/real"
            os.mkdir(real)
            os.symlink(real, c.root + "/li nk")
            shutil.copy(SOURCE, real + "/hello.c")
            os.utime(real + "/hello.c", (0, 0))
            for uri in (f"file://{c.root}/li%20nk/", f"file://localhost{c.root}/%6ci%20nk"):
                folder = [{"uri": uri, "name": "w"}]
                if uri.endswith("/"):
                    c.initialize(workspaceFolders=folder)
                    c.open(HELLO)
                    before = folder
                else:
                    c.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": folder, "removed": before}})
                shown = c.request("tasklens/reveal", {"site": 0})["location"]["uri"]
                self.assertEqual(shown, uri.rstrip("/") + "/hello.c")

    def test_a_line_that_was_cut_and_pasted_again_is_itself(self):
        with self.hello() as c:
            os.utime(c.source, (0, 0))
            c.open(HELLO)
            c.did_open(c.uri, c.text)
            before = self.lens_lines(c)
            line = submitting_lines(c.text)[1]
            text = c.text.split("\n")[line] + "\n"
            self.change(c, (line, 0), (line + 1, 0), "")
            self.assertNotEqual(self.lens_lines(c), before)
            self.change(c, (line, 0), (line, 0), text)
            self.assertEqual(self.lens_lines(c), before)

    def test_the_whole_text_may_be_sent_as_well(self):
        with self.hello() as c:
            os.utime(c.source, (0, 0))
            c.open(HELLO)
            c.did_open(c.uri, c.text)
            lines = [line for line, _ in self.lens_lines(c)]
            c.notify(
                "textDocument/didChange",
                {
                    "textDocument": {"uri": c.uri, "version": 2},
                    "contentChanges": [{"text": "\n\n" + c.text}],
                },
            )
            self.assertEqual([line for line, _ in self.lens_lines(c)], [n + 2 for n in lines])

    def test_what_is_no_utf_8_is_no_change(self):
        with self.hello() as c:
            lines = c.text.split("\n")
            site = submitting_lines(c.text)[0]
            lines[site] += " /* \u00e9\u00e8 */"
            with open(c.source, "w", encoding="latin-1") as file:
                file.write("\n".join(lines))
            os.utime(c.source, (0, 0))
            c.open(HELLO)
            self.assertTrue(all(remark.endswith("%") for _, remark in self.lens_lines(c)))
            lines[site] = lines[site].replace("\u00e9\u00e8", "\ufffd\ufffd")
            c.did_open(c.uri, "\n".join(lines))
            self.assertTrue(all(remark.endswith("%") for _, remark in self.lens_lines(c)))

    def test_a_line_that_was_rewritten_says_so(self):
        with self.hello() as c:
            os.utime(c.source, (0, 0))
            c.open(HELLO)
            lines = submitting_lines(c.text)
            text = c.text.split("\n")
            text[lines[1]] = text[lines[1]].replace(";", ";  // as before")
            c.did_open(c.uri, "\n".join(text))
            found = self.lens_lines(c)
            self.assertEqual([line for line, _ in found], lines)
            self.assertEqual(
                [remark == "the line was changed since" for _, remark in found],
                [False, True, False],
            )

    def test_a_line_in_whose_place_another_stands_has_no_lens(self):
        with self.hello() as c:
            os.utime(c.source, (0, 0))
            c.open(HELLO)
            lines = submitting_lines(c.text)
            text = c.text.split("\n")
            text[lines[1]] = "  something_else();"
            c.did_open(c.uri, "\n".join(text))
            self.assertEqual(
                [line for line, _ in self.lens_lines(c)], lines[:1] + lines[2:]
            )

    def test_the_text_is_found_in_the_history(self):
        with self.hello() as c:
            date = "2001-01-01T00:00:00Z"
            git = ["git", "-C", c.root, "-c", "user.name=n", "-c", "user.email=e@example.org"]
            env = dict(os.environ, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date, HOME=c.root)
            for command in (["init", "-q"], ["add", "hello.c"], ["commit", "-q", "-m", "m"]):
                subprocess.run(git + command, env=env, check=True)
            with open(c.source, "w", encoding="utf-8") as file:
                file.write("\n\n\n" + c.text)
            c.open(HELLO)
            # It may have been run before it was committed.
            self.assertEqual(
                self.lens_lines(c),
                [(line + 3, "perhaps older than the file") for line in submitting_lines(c.text)],
            )

    def test_refreshes_lenses_and_hints_where_it_can(self):
        for kinds in (["codeLens"], ["inlayHint"], ["codeLens", "inlayHint"]):
            able = {"workspace": {kind: {"refreshSupport": True} for kind in kinds}}
            with self.hello(capabilities=able) as c:
                c.open(HELLO)
                c.request("tasklens/closeTrace", {"trace": "t1"})
                c.request("tasklens/traces")
                # Opened, closed; and analysed, where that was done before.
                each = [f"workspace/{kind}/refresh" for kind in kinds]
                self.assertIn([m for m, _ in c.asked], (each * 2, each * 3))

    def test_edits_are_followed_in_every_encoding(self):
        """The range of a lens covers its line as the client has it, after edits with emoji."""
        for encoding, width in (("utf-8", 4), ("utf-16", 2), ("utf-32", 1)):
            capabilities = {"general": {"positionEncodings": [encoding]}}
            with self.hello(capabilities=capabilities) as c:
                c.open(HELLO)
                c.did_open(c.uri, c.text)
                line = submitting_lines(c.text)[0]
                length = len(c.text.split("\n")[line])

                def change(start, end, text, line=line, version=[1]):
                    version[0] += 1
                    c.notify(
                        "textDocument/didChange",
                        {
                            "textDocument": {"uri": c.uri, "version": version[0]},
                            "contentChanges": [
                                {
                                    "range": {
                                        "start": {"line": line, "character": start},
                                        "end": {"line": line, "character": end},
                                    },
                                    "text": text,
                                }
                            ],
                        },
                    )

                def lens_end():
                    return c.lenses(c.uri)[0]["range"]["end"]["character"]

                change(length, length, " /* 🚀🚀 */")
                self.assertEqual(lens_end(), length + 7 + 2 * width, encoding)
                # The second rocket goes, counted in the client's own units.
                change(length + 4 + width, length + 4 + 2 * width, "x")
                self.assertEqual(lens_end(), length + 8 + width, encoding)
                change(0, 99999, "")
                self.assertEqual(lens_end(), 0)

    def test_a_bad_edit_closes_the_document(self):
        with self.hello() as c:
            c.open(HELLO)
            c.did_open(c.uri, "")
            self.assertEqual(c.lenses(c.uri), [])
            c.notify(
                "textDocument/didChange",
                {
                    "textDocument": {"uri": c.uri, "version": 2},
                    "contentChanges": [{"range": {"start": 1}, "text": ""}],
                },
            )
            self.assertEqual(len(c.lenses(c.uri)), 3)
            backwards = {"start": {"line": 1, "character": 1}, "end": {"line": 0, "character": 0}}
            c.did_open(c.uri, "a\nb\n")
            c.notify(
                "textDocument/didChange",
                {
                    "textDocument": {"uri": c.uri, "version": 2},
                    "contentChanges": [{"range": backwards, "text": ""}],
                },
            )
            # Now the disk counts.
            self.assertEqual(len(c.lenses(c.uri)), 3)
            c.notify("textDocument/didClose", {"textDocument": {"uri": c.uri}})
            c.notify_wrongly(
                "textDocument/didChange", {"textDocument": {"uri": c.uri}, "contentChanges": []}
            )
            self.assertEqual(len(c.lenses(c.uri)), 3)
            self.assertIn("didChange of a document that is not open", c.log())

    def test_a_cancelled_request_is_answered_once(self):
        with self.hello() as c:
            c.open(os.path.join(STARPU, "stencil_2k/prof_file_0"))
            id = c.start("tasklens/graph")
            c.notify("$/cancelRequest", {"id": id})
            reply = c.wait(id)
            if "error" in reply:  # else the answer was faster
                self.assertEqual(reply["error"]["code"], -32800)
            c.notify("$/cancelRequest", {"id": "never asked"})
            c.notify_wrongly("$/cancelRequest", {})
            c.request("tasklens/traces")
            self.assertEqual(c.replies, {})

    def test_waiting_for_a_trace_shows_progress_and_can_be_cancelled_there(self):
        with Client() as c:
            params = {"uris": [c.root + "/trace_0"], "wait": True, "workDoneToken": "w"}
            id = c.start("tasklens/openTrace", params)
            c.wait_for("$/progress", lambda p: p["value"]["kind"] == "report")
            c.notify("window/workDoneProgress/cancel", {"token": "w"})
            self.assertEqual(c.wait(id)["error"]["code"], -32800)
            id = c.start("tasklens/openTrace", params)
            c.wait_for("$/progress", lambda p: p["value"]["kind"] == "end")
            shutil.copy(HELLO, c.root + "/part")
            os.rename(c.root + "/part", c.root + "/trace_0")
            self.assertEqual(c.wait(id)["result"]["tasks"], 3)
            kinds = [p["value"]["kind"] for m, p in c.notifications if m == "$/progress"]
            self.assertEqual(kinds.count("begin"), kinds.count("end"))
            # A server that ends while somebody waits ends well.
            c.start("tasklens/openTrace", {**params, "uris": [c.root + "/none"]})
            c.request("shutdown")
            c.notify("exit", None)
            self.assertEqual(c.end(), 0)

    def test_a_cancelled_load_leaves_no_trace_open(self):
        with Client() as c:
            # The load runs on a thread of its own; cancelled or done, never both.
            id = c.start("tasklens/openTrace", {"uris": [HELLO]})
            c.notify("$/cancelRequest", {"id": id})
            reply = c.wait(id)
            traces = c.request("tasklens/traces")["traces"]
            self.assertEqual(len(traces), 1 if "result" in reply else 0)


if __name__ == "__main__":
    main()
