#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that is left switched on: a day's work, and traces of a million tasks."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import STARPU, TASKLENS, Client, main  # noqa: E402

sys.path.insert(0, os.path.abspath("tests/testing"))
from looking import looked  # noqa: E402

CHOLESKY = os.path.join(STARPU, "cholesky_lws/prof_file_0")
SOURCE = os.path.join(STARPU, "src/cholesky.c")
LARGE_TRACE = os.path.abspath("bench/large_trace")
DMDAS = os.path.join(STARPU, "cholesky_dmdas/prof_file_0")
REQUESTS, OPENS = 13_000, 100
# A server that was built with it keeps memory that was freed, and more besides.
SANITIZER = os.environ.get("TASKLENS_SANITIZER")
MIB = 1 << 20


def memory_bytes(c):
    """What the server has for itself: without pages of files."""
    with open(f"/proc/{c.process.pid}/statm", encoding="ascii") as file:
        fields = file.read().split()
    return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE")


def is_working(c):
    """Whether a thread of the server has something to do."""
    for task in os.listdir(f"/proc/{c.process.pid}/task"):
        try:
            with open(f"/proc/{c.process.pid}/task/{task}/stat", encoding="utf-8") as file:
                if file.read().rsplit(")", 1)[1].split()[0] != "S":
                    return True
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended
    return False


def processor_ms(c):
    """What the server has used of the processor."""
    with open(f"/proc/{c.process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def rested_ms(c):
    """The same, when all its work is done: three looks in a row saw none."""
    resting = 0

    def rests():
        nonlocal resting
        resting = 0 if is_working(c) else resting + 1
        return resting == 3

    looked(rests)
    return processor_ms(c)


class Page:
    """`tasklens serve --http`; `with` ends it."""

    def __init__(self, *words):
        command = [TASKLENS, "serve", "--http", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def ask(self, method, params=None):
        """The answer's `result` or `error`."""
        body = json.dumps({"method": method, "params": params or {}}).encode()
        kind = {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.address + "request", body, kind)) as reply:
            return json.load(reply)

    def open(self, path):
        """The status and the answer of opening a trace as viewers do."""
        body = json.dumps({"parameters": {"uri": path}}).encode()
        address = self.address + "tsp/api/traces"
        kind = {"Content-Type": "application/json"}
        try:
            with urllib.request.urlopen(urllib.request.Request(address, body, kind)) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)


class Endurance(unittest.TestCase):
    def test_a_days_work_leaves_memory_as_it_was(self):
        rng = random.Random(1)
        with Client() as c:
            path = c.root + "/cholesky.c"
            shutil.copy(SOURCE, path)
            os.utime(path, (0, 0))
            uri = "file://" + path
            with open(path, encoding="utf-8") as file:
                lines = file.read().count("\n")
                file.seek(0)
                c.did_open(uri, file.read())
            document = {"textDocument": {"uri": uri}}
            version = 1

            def edit():
                nonlocal version
                for text in ("x", ""):
                    version += 1
                    line = rng.randrange(lines)
                    at = {"line": line, "character": 0}
                    end = {"line": line, "character": 0 if text else 1}
                    if not text:
                        at, end = last, {**last, "character": 1}
                    last = at
                    c.notify("textDocument/didChange", {
                        "textDocument": {"uri": uri, "version": version},
                        "contentChanges": [{"range": {"start": at, "end": end}, "text": text}],
                    })  # fmt: skip

            def place():
                return {**document, "position": {"line": rng.randrange(lines), "character": 4}}

            whole = {"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}
            requests = [
                lambda: ("textDocument/codeLens", document),
                lambda: ("textDocument/hover", place()),
                lambda: ("textDocument/inlayHint", {**document, "range": whole}),
                lambda: ("textDocument/definition", place()),
                lambda: ("textDocument/references", {**place(), "context": {"includeDeclaration": True}}),
                lambda: ("textDocument/codeAction", {**document, "range": whole, "context": {"diagnostics": []}}),
                lambda: ("workspace/symbol", {"query": "gemm"}),
                lambda: ("tasklens/timeline", {"pixels": 100}),
                lambda: ("tasklens/graph", {"group": ["codelet"]}),
                lambda: ("tasklens/stats", {"by": "codelet"}),
                lambda: ("tasklens/task", {"task": rng.randrange(50)}),
                lambda: ("tasklens/why", {"task": rng.randrange(50)}),
                lambda: ("tasklens/nothing", {}),
            ]  # fmt: skip
            in_memory = []
            each = REQUESTS // OPENS
            for opened in range(1, OPENS + 1):
                trace = c.open(CHOLESKY if opened % 2 else DMDAS)["trace"]
                ids = []
                for asked in range(each):
                    ids.append(c.start(*rng.choice(requests)()))
                    if asked % 50 == 0:
                        edit()
                for id in rng.sample(ids, 3):
                    c.notify("$/cancelRequest", {"id": id})
                for id in ids:
                    c.wait(id)
                c.request("tasklens/closeTrace", {"trace": trace})
                c.notifications.clear()
                c.asked.clear()
                if opened % (OPENS // 10) == 0:
                    in_memory.append(memory_bytes(c))
            print("memory after each tenth of the day, in MiB:", [m // MIB for m in in_memory])
            if SANITIZER:
                self.skipTest(f"memory is the {SANITIZER} sanitizer's; the work itself was done")
            # The first tenths fill caches and the allocator; from then on it is flat, but for one step where
            # more requests come together than before. What is lost with each request grows in every tenth.
            step = max(after - before for before, after in zip(in_memory[3:], in_memory[4:]))
            self.assertLess(in_memory[-1] - max(step, 0), max(in_memory[:4]) + MIB)

    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        cls.million, cls.some = (os.path.join(cls.made.name, name) for name in ("million", "some"))
        for path, tasks in ((cls.million, 1_000_000), (cls.some, 150_000)):
            subprocess.run([LARGE_TRACE, CHOLESKY, str(tasks // 56), path], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def large(self, folder):
        """A trace of a million tasks that nobody has read yet."""
        path = os.path.join(folder, "prof_file_0")
        os.link(self.million, path)
        return path

    def test_a_million_tasks_are_loaded_beside_other_work_and_can_be_cancelled(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            path = self.large(folder)
            with Client() as c:
                c.open(CHOLESKY)

                def look_around():
                    c.request("tasklens/traces")
                    c.request("workspace/symbol", {"query": "gemm"})

                id = c.start("tasklens/openTrace", {"uris": [path]})
                for _ in range(20):  # how long each takes is measured by //bench:while_loading
                    look_around()
                c.notify("$/cancelRequest", {"id": id})
                self.assertEqual(c.wait(id)["error"]["code"], -32800)
                id = c.start("tasklens/openTrace", {"uris": [path]})
                while f"{id}" not in c.replies:
                    look_around()
                self.assertGreater(c.wait(id)["result"]["tasks"], 900_000)

    def test_a_request_that_is_cancelled_stops_working(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            path = self.large(folder)
            with Client() as c:
                c.open(path)
                long = 0
                for method, params in (
                    ("advice", {}),
                    ("bound", {}),
                    ("overview", {}),
                    ("compare", {"traces": ["t1", "t1"], "by": "state"}),
                    ("stats", {"by": "state"}),
                    ("timeline", {"counters": True, "flags": True, "arrows": ["dependency"]}),
                    ("graph", {"group": ["levels", "codelet"], "colour": "slack"}),
                    ("graph", {"group": ["data"]}),
                ):
                    method = "tasklens/" + method
                    begin = rested_ms(c)
                    id = c.start(method, params)
                    while processor_ms(c) < begin + 50:
                        c.request("tasklens/traces")  # in the midst of it
                        if f"{id}" in c.replies:
                            break
                    asked = processor_ms(c)
                    c.notify("$/cancelRequest", {"id": id})
                    if "result" in c.wait(id):
                        continue  # it took no longer
                    after_ms = rested_ms(c) - asked
                    begin = processor_ms(c)
                    c.request(method, params)
                    whole_ms = rested_ms(c) - begin
                    print(f"{method} {params}: {whole_ms:.0f} ms of processor time; when it is "
                          f"cancelled, {after_ms:.0f} ms after that")  # fmt: skip
                    if whole_ms >= 400:
                        long += 1
                        self.assertLess(after_ms, whole_ms / 2, method)
                self.assertGreaterEqual(long, 3)

    def test_a_trace_beyond_the_memory_limit_is_refused_in_one_line(self):
        if SANITIZER:
            self.skipTest(f"the {SANITIZER} sanitizer needs more memory than this limit")
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            path = self.large(folder)
            with Client(options={"memoryLimitMiB": 64}) as c:
                c.open(CHOLESKY)
                code, text = c.error("tasklens/openTrace", {"uris": [path]})
                self.assertEqual(code, -32803)
                self.assertEqual(
                    text,
                    f"{path}: needs more than the 64 MiB of the setting memoryLimitMiB; "
                    "close traces, or raise it",
                )
                # What it needed is given back, so that others are still opened.
                self.assertGreater(c.open(DMDAS)["tasks"], 0)
                c.notify("workspace/didChangeConfiguration", {"settings": {"memoryLimitMiB": 0}})
                self.assertGreater(c.open(path)["tasks"], 900_000)

    def test_the_page_obeys_a_memory_limit_as_well(self):
        if SANITIZER:
            self.skipTest(f"the {SANITIZER} sanitizer needs more memory than this limit")
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            path = self.large(folder)
            why = "needs more than the {} MiB of the option --memory-limit-mib; close traces, or raise it"
            # Of what may be shown in part see beginning_test.
            command = [TASKLENS, "serve", "--http", path, "--memory-limit-mib", "64", "--first-mib", "0"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.stderr, f"tasklens: {path}: {why.format(64)}\n")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            with Page(CHOLESKY, "--memory-limit-mib", "64") as page:
                self.assertEqual(len(page.ask("tasklens/traces")["result"]["traces"]), 1)
                # Nor does it open more traces than there is room for.
                status, answer = page.open(path)
                self.assertEqual((status, answer["detail"]), (500, "this answer: " + why.format(64)))
                self.assertEqual(len(page.ask("tasklens/traces")["result"]["traces"]), 1)
                # What that needed is given back, so that others are still opened.
                while page.open(DMDAS)[0] != 200:
                    pass
                self.assertEqual(len(page.ask("tasklens/traces")["result"]["traces"]), 2)

    def test_an_answer_beyond_the_memory_limit_is_refused_in_one_line(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            path = self.large(folder)
            with Client() as c:
                c.open(path)
                rested_ms(c)
                before = memory_bytes(c)
                self.limit(c, 64)  # which the trace takes alone
                graph = {"group": ["levels", "codelet"], "colour": "slack"}
                for _ in range(3):
                    code, text = c.error("tasklens/graph", graph)
                    self.assertEqual(code, -32803)
                    self.assertEqual(
                        text,
                        "Graph: needs more than the 64 MiB of the setting memoryLimitMiB; "
                        "close traces, or raise it",
                    )
                    self.answered(c, "tasklens/traces", {})
                rested_ms(c)
                if not SANITIZER:  # which keeps what was freed
                    self.assertLess(memory_bytes(c), before + 8 * MIB)
                self.limit(c, 0)
                self.assertGreater(len(c.request("tasklens/graph", graph)["nodes"]["tasks"]), 0)

    def test_an_analysis_beyond_the_memory_limit_is_left_out_with_a_word(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            path = self.large(folder)
            with Client() as c:
                source = c.root + "/cholesky.c"
                shutil.copy(SOURCE, source)
                os.utime(source, (0, 0))
                c.open(path)
                self.limit(c, 64)  # while it is analysed
                why = (
                    "no advice and no tables in hovers: Analysing prof_file_0: needs more than the "
                    "64 MiB of the setting memoryLimitMiB; close traces, or raise it"
                )
                shown = c.wait_for("window/showMessage")
                self.assertEqual(shown, {"type": 2, "message": "prof_file_0: " + why})
                document = {"textDocument": {"uri": "file://" + source}}
                lenses = self.answered(c, "textDocument/codeLens", document)
                place = {**document, "position": lenses[-1]["range"]["start"]}
                hover = self.answered(c, "textDocument/hover", place)
                self.assertIn(why, hover["contents"]["value"].replace("\\", ""))
                self.limit(c, 0)  # then it is made up for
                c.wait_for("textDocument/publishDiagnostics", lambda p: p["diagnostics"])
                hover = c.request("textDocument/hover", place)
                self.assertIn("| codelet |", hover["contents"]["value"])

    def answered(self, c, method, params):
        """The answer, which is not refused for ever: it needs no memory, but it may take long where
        others work."""
        while "result" not in (reply := c.ask(method, params)):
            self.assertIn("memoryLimitMiB", reply["error"]["message"])
        return reply["result"]

    def limit(self, c, mib):
        c.notify("workspace/didChangeConfiguration", {"settings": {"memoryLimitMiB": mib}})

    def progress(self, c, token):
        return [p["value"] for m, p in c.notifications if m == "$/progress" and p["token"] == token]

    def test_shutdown_ends_what_is_being_worked_out(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
            path = self.large(folder)
            with Client(capabilities={"window": {"workDoneProgress": True}}) as c:
                source = c.root + "/cholesky.c"
                shutil.copy(SOURCE, source)
                os.utime(source, (0, 0))
                c.open(path)
                shown = c.wait_for("$/progress", lambda p: "Analysing" in p["value"].get("title", ""))
                c.request("shutdown")
                c.wait_for("$/progress", lambda p: (p["token"], p["value"]["kind"]) == (shown["token"], "end"))
                rested_ms(c)
                c.notify("exit")
                self.assertEqual(c.end(), 0)
                said = [m for m, p in c.notifications if m == "window/showMessage" or p.get("diagnostics")]
                self.assertEqual(said, [])

    def test_what_takes_long_shows_progress_and_can_be_cancelled_there(self):
        with Client(capabilities={"window": {"workDoneProgress": True}}) as c:
            c.open(self.some)
            rested_ms(c)
            c.request("tasklens/traces")  # and all that came before it is read
            c.notifications.clear()
            c.asked.clear()
            # One after another, so that the last ones wait long enough on any machine.
            compare = {"traces": ["t1", "t1"], "by": "state"}
            begin = time.monotonic()
            ids = [
                c.start("tasklens/compare", {**compare, "workDoneToken": f"compare {i}"})
                for i in range(8)
            ]
            without = c.start("tasklens/compare", compare)
            stopped = c.start("tasklens/compare", {**compare, "workDoneToken": "stopped"})
            shown = c.wait_for("$/progress", lambda p: p["token"] == "stopped")
            self.assertGreaterEqual(time.monotonic() - begin, 0.5)
            self.assertEqual(
                shown["value"], {"kind": "begin", "title": "Compare", "cancellable": True}
            )
            c.notify("window/workDoneProgress/cancel", {"token": "stopped"})
            self.assertEqual(c.wait(stopped)["error"]["code"], -32800)
            self.assertEqual([v["kind"] for v in self.progress(c, "stopped")], ["begin", "end"])
            for id in ids:
                self.assertIn("result", c.wait(id))
            kinds = [v["kind"] for v in self.progress(c, "compare 7")]
            self.assertEqual(kinds, ["begin", "end"])  # the end before the answer
            # Where no token came with the request the client is asked for one.
            self.assertIn("result", c.wait(without))
            ((method, params),) = c.asked
            self.assertEqual(method, "window/workDoneProgress/create")
            c.wait_for("$/progress", lambda p: p == {**params, "value": {"kind": "end"}})
            # What is quick shows none.
            begin = time.monotonic()
            c.request("tasklens/traces", {"workDoneToken": "quick"})
            if time.monotonic() - begin < 0.5:
                self.assertEqual(self.progress(c, "quick"), [])


if __name__ == "__main__":
    main()
