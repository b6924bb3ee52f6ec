#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A large trace of which an editor wants to show the beginning while the rest is being read."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import STARPU, Client, main, wait_for_file  # noqa: E402

LARGE_TRACE = os.path.abspath("bench/large_trace")
SMALL = os.path.join(STARPU, "stencil_2k/prof_file_0")
SOURCE = os.path.join(STARPU, "src/stencil.c")
TIMES = 60  # 290 MB, 132,000 tasks
FIRST_BYTES = 16 << 20  # 5.7 % of it
EDITOR = {"experimental": {"tasklens": True}, "window": {"workDoneProgress": True}}
# About a whole run: not of a part of one.
OF_A_WHOLE_RUN = {
    "advice": {},
    "bound": {},
    "criticalPath": {},
    "compare": {"traces": ["t1", "t1"]},
    "overview": {},
    "timeline": {"pixels": 100, "path": True},
}


def memory_mib(client):
    with open(f"/proc/{client.process.pid}/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


class Beginning(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        cls.trace = os.path.join(cls.made.name, "prof_file_0")
        subprocess.run([LARGE_TRACE, SMALL, str(TIMES), cls.trace], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def client(self):
        return Client(capabilities=EDITOR, env={"TASKLENS_SAVED_TRACES": "off"})

    def open_beginning(self, c, first_bytes=FIRST_BYTES):
        return c.request("tasklens/openTrace", {"uris": [self.trace], "firstBytes": first_bytes})

    def set_limit(self, c, mib):
        c.notify("workspace/didChangeConfiguration", {"settings": {"tasklens": {"memoryLimitMiB": mib}}})

    def reading_shown(self, c):
        """The progress of reading the rest, once it has begun."""
        return c.wait_for("$/progress", lambda params: str(params["token"]).startswith("rest-of/"))

    def wait_until_read(self, c, begun):
        c.wait_for("$/progress", lambda params: params == {"token": begun["token"], "value": {"kind": "end"}})

    def open_and_run_out_of_memory(self, c):
        """The answer, and what was told when the rest could not be read."""
        self.set_limit(c, memory_mib(c) + 24)
        beginning = self.open_beginning(c)
        told = c.wait_for("tasklens/traceUpdated", lambda trace: trace["notRead"] is not None)
        return beginning, told

    def test_is_answered_with_and_the_rest_comes_later(self):
        with self.client() as c:
            beginning = self.open_beginning(c, 4 << 20)
            self.assertAlmostEqual(beginning["read"], (4 << 20) / os.path.getsize(self.trace))
            self.assertEqual((beginning["notRead"], beginning["diagnostics"]), (None, []))
            whole = c.wait_for("tasklens/traceUpdated", lambda trace: trace["read"] == 1)
            # In steps: an eighth of the whole at most.
            shares = [params["read"] for name, params in c.notifications if name.startswith("tasklens/traceGrew")]
            self.assertEqual([round(share / beginning["read"], 6) for share in shares], [8])
            self.assertFalse(whole.pop("growing"))
            with self.client() as other:
                self.assertEqual(whole, other.open(self.trace))
            self.assertEqual(c.request("tasklens/traces")["traces"], [whole])
            self.assertGreater(whole["tasks"], 10 * beginning["tasks"])
            c.request("tasklens/advice", {})

    def test_is_said_wherever_its_numbers_stand(self):
        with self.client() as c:
            with open(SOURCE, encoding="utf-8") as file:
                text = file.read()
            path = c.write("stencil.c", text)
            os.utime(path, (0, 0))
            c.did_open("file://" + path, text)
            beginning, told = self.open_and_run_out_of_memory(c)
            self.assertEqual((told["read"], told["tasks"]), (beginning["read"], beginning["tasks"]))
            self.assertFalse(told["growing"])
            self.assertRegex(
                told["notRead"],
                "^prof_file_0: needs more than the [0-9]+ MiB of the setting memoryLimitMiB; close traces, or raise it$",
            )
            message = c.wait_for("window/showMessage")["message"]
            self.assertIn(": only the first 5.7 % of the trace is shown: ", message)
            self.set_limit(c, 0)
            self.assertEqual(c.request("tasklens/traces")["traces"][0]["read"], beginning["read"])
            titles = [lens["command"]["title"] for lens in c.lenses("file://" + path)]
            self.assertTrue(titles)
            for title in titles:
                self.assertIn(" · of the first 5.7 % of the trace", title)
            self.assertEqual(c.request("tasklens/progress", {})["read"], beginning["read"])

    def test_is_not_enough_for_what_is_about_a_whole_run(self):
        with self.client() as c:
            self.open_and_run_out_of_memory(c)
            self.set_limit(c, 0)
            for name, params in OF_A_WHOLE_RUN.items():
                _, message = c.error("tasklens/" + name, params)
                self.assertTrue(message.startswith("this needs all of the trace t1 (prof_file_0), but only its beginning"), message)
            overview = c.request("tasklens/overview", {"reasons": False})
            self.assertNotIn("findings", overview)
            profile = overview["profile"]
            self.assertEqual((profile["fromNs"], profile["toNs"]), (overview["beginNs"], overview["endNs"]))
            self.assertGreater(max(profile["shares"][profile["kinds"].index("tasks")]), 0.5)
            c.request("tasklens/timeline", {"pixels": 100})

    def test_is_completed_when_the_trace_is_opened_again(self):
        with self.client() as c:
            self.open_and_run_out_of_memory(c)
            self.set_limit(c, 0)
            self.assertEqual(self.open_beginning(c)["trace"], "t1")
            c.wait_for("tasklens/traceUpdated", lambda trace: trace["read"] == 1)
            for name, params in OF_A_WHOLE_RUN.items():
                c.request("tasklens/" + name, params)

    def test_stays_when_the_reading_is_cancelled(self):
        with self.client() as c:
            self.open_beginning(c)
            begun = self.reading_shown(c)
            self.assertEqual(begun["value"]["title"], "Reading the rest of prof_file_0")
            self.assertTrue(begun["token"].startswith("rest-of/t1/"), begun["token"])
            self.assertTrue(begun["value"]["cancellable"])
            c.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
            # On a slow day the reading has ended by then.
            ended = c.wait_for("tasklens/traceUpdated", lambda trace: not trace["growing"])
            if ended["read"] < 1:
                self.assertTrue(ended["notRead"].endswith(": reading was stopped"), ended["notRead"])
            self.wait_until_read(c, begun)

    def test_is_closed_as_others_are(self):
        with self.client() as c:
            self.open_beginning(c)
            begun = self.reading_shown(c)
            c.request("tasklens/closeTrace", {"trace": "t1"})
            before = len(c.notifications)
            self.assertEqual(c.open(SMALL)["trace"], "t2")
            self.wait_until_read(c, begun)
            self.assertEqual([trace["trace"] for trace in c.request("tasklens/traces")["traces"]], ["t2"])
            c.request("shutdown")
            c.notify("exit")
            self.assertEqual(c.end(), 0)  # it has said all that it will ever say
            self.assertNotIn("t1", [params.get("trace") for _, params in c.notifications[before:]])

    def test_comes_before_what_was_saved_only_where_that_is_large_as_well(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as saved:

            def client():
                return Client(capabilities=EDITOR, env={"TASKLENS_SAVED_TRACES": saved})

            with client() as c:
                whole = c.open(self.trace)
                wait_for_file(saved, lambda: any(name.endswith(".tlsaved") for name in os.listdir(saved)))
            with client() as c:
                self.assertEqual(self.open_beginning(c), whole)
            with client() as c:
                beginning = self.open_beginning(c, os.path.getsize(self.trace) // 100)
                self.assertAlmostEqual(beginning["read"], 0.01, places=4)
                # No larger beginning in between: all of it is there.
                read = [told["read"] for name, told in c.notifications if name.startswith("tasklens/trace")]
                c.wait_for("tasklens/traceUpdated", lambda told: told["read"] == 1)
                self.assertEqual(read, [beginning["read"]])

    def test_of_a_small_trace_is_all_of_it(self):
        with self.client() as c:
            answer = c.request("tasklens/openTrace", {"uris": [SMALL], "firstBytes": FIRST_BYTES})
            self.assertEqual(answer["read"], 1)
            _, message = c.error("tasklens/openTrace", {"uris": [SMALL], "firstBytes": -1})
            self.assertIn("firstBytes", message)


if __name__ == "__main__":
    main()
