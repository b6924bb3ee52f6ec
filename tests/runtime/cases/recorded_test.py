#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of this folder under `tasklens run`: nothing of a run is missing without a word.

    recorded_test.py TASKLENS MANY_RUNS RECORDING_OFF
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

TASKLENS, MANY_RUNS, RECORDING_OFF = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])


class Recorded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def traced(self, *words, options=()):
        """What `tasklens run` says, and the traces that it names."""
        run = subprocess.run([TASKLENS, "run", "-o", self.folder, *options, "--", *words],
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(0, run.returncode, run.stdout)
        named = re.search(r"^trace: (.*)$", run.stdout, re.M)[1].split()
        self.assertEqual(sorted(map(str, pathlib.Path(self.folder).glob("*.tlt"))), sorted(named))
        return run.stdout, named

    def says(self, *words):
        run = subprocess.run([TASKLENS, *words], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        self.assertEqual(0, run.returncode, run.stdout)
        return run.stdout

    def test_each_start_of_the_runtime_has_a_trace_of_its_own(self):
        said, traces = self.traced(MANY_RUNS)
        self.assertEqual(["trace_0.tlt", "trace_0.2.tlt", "trace_0.3.tlt"],
                         [pathlib.Path(trace).name for trace in traces])
        self.assertIn("600 tasks", said)
        # They followed each other, and shared no processor.
        self.assertNotIn("are bound to", self.says("advise", *traces))
        self.assertEqual(["100 tasks", "200 tasks", "300 tasks"],
                         [self.says("stats", trace).split(",")[0] for trace in traces])

    def test_each_process_has_traces_of_its_own(self):
        program = shlex.quote(MANY_RUNS)
        said, traces = self.traced("sh", "-c", f"{program}; {program} & {program}; wait")
        self.assertEqual(9, len(traces))
        self.assertIn("1,800 tasks", said)

    def test_a_run_that_is_made_again_in_a_folder_leaves_nothing_of_the_first(self):
        self.traced(MANY_RUNS)
        said, _ = self.traced(RECORDING_OFF, "1", options=["--all"])
        self.assertIn("30 tasks", said)

    def test_a_recording_that_the_program_switched_off_says_so(self):
        for argument, recorded, all_of_it in [("0", "0 tasks", "10 tasks"),
                                              ("1", "20 tasks", "30 tasks")]:
            said, traces = self.traced(RECORDING_OFF, argument)
            self.assertIn(recorded, said)
            for text in [said, self.says("stats", *traces), self.says("advise", *traces)]:
                self.assertIn("the program had switched the recording off", text)
                self.assertIn("tasklens run --all", text)
            said, _ = self.traced(RECORDING_OFF, argument, options=["--all"])
            self.assertIn(all_of_it, said)
            self.assertNotIn("switched the recording off", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
