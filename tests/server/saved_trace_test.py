#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A large trace that is opened again: from what was saved of it, unless it has changed."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import STARPU, Client, main, wait_for_file  # noqa: E402

LARGE_TRACE = os.path.abspath("bench/large_trace")
SMALL = os.path.join(STARPU, "stencil_2k/prof_file_0")
REQUESTS = {
    "timeline": {"pixels": 100, "counters": True, "flags": True, "arrows": ["dependency"]},
    "graph": {},
    "stats": {"by": "codelet"},
    "criticalPath": {"limit": 50},
    "advice": {},
    "bound": {},
    "task": {"task": 1234},
}


class SavedTrace(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(self.folder.cleanup)
        self.trace = self.folder.name + "/prof_file_0"
        self.saved = self.folder.name + "/saved"
        os.mkdir(self.saved)
        # Smaller ones are not kept.
        subprocess.run([LARGE_TRACE, SMALL, "3", self.trace], check=True)

    def opened(self, saved=None, until=lambda: True):
        """What a new server says of the trace; it is not asked to end before a file makes `until` true."""
        with Client(env={"TASKLENS_SAVED_TRACES": saved or self.saved}) as c:
            trace = c.open("file://" + self.trace)
            said = {"open": trace} | {
                name: c.request("tasklens/" + name, params) for name, params in REQUESTS.items()
            }
            wait_for_file(self.saved, until)
            return said

    def opened_and_saved(self):
        """The same, and the trace was saved: in the background, which the end does not wait for."""
        before = self.saved_file()
        return self.opened(until=lambda: self.saved_file() not in (None, before))

    def saved_file(self):
        """Which file holds the saved trace; another one when it was saved again."""
        finished = [name for name in os.listdir(self.saved) if name.endswith(".tlsaved")]
        return os.stat(f"{self.saved}/{finished[0]}").st_ino if finished else None

    def damage(self):
        """Overwrites the middle of the trace, as if nothing had happened."""
        times = os.stat(self.trace)
        with open(self.trace, "r+b") as file:
            file.seek(times.st_size // 2)
            file.write(bytes(1 << 20))
        os.utime(self.trace, ns=(times.st_atime_ns, times.st_mtime_ns))

    def test_answers_every_request_as_the_trace_does(self):
        cold = self.opened_and_saved()
        self.assertEqual(len(os.listdir(self.saved)), 1)
        self.assertEqual(self.opened(), cold)
        self.assertEqual(self.opened(saved="off"), cold)

    def test_is_used_instead_of_the_trace_until_that_changes(self):
        cold = self.opened_and_saved()
        self.damage()
        self.assertEqual(self.opened(), cold)
        os.utime(self.trace)
        changed = self.opened_and_saved()
        self.assertLess(changed["open"]["events"], cold["open"]["events"])
        self.assertEqual(changed, self.opened(saved="off"))
        self.assertEqual(self.opened(), changed)

    def test_is_left_when_it_is_damaged_itself(self):
        cold = self.opened_and_saved()
        (name,) = os.listdir(self.saved)
        with open(f"{self.saved}/{name}", "r+b") as file:
            file.seek(100_000)
            file.write(b"damage")
        self.assertEqual(self.opened(), cold)


if __name__ == "__main__":
    main()
