#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""starpu_lp2paje: the schedules that solvers find, as StarPU's tool writes them, and as Paje's readers want them."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

TASKLENS = os.path.abspath(sys.argv.pop(1))

# What lp_solve says of the program that Debian's StarPU prints of five tasks on two workers.
SOLUTION = """
Value of objective function: 12.00000000

Actual values of the variables:
tmax                           12
nt                              5
nw                              2
c5                             11
c4                              4
c3                              2
c2                             12
c1                              5
t5w0                            1
t5w1                            0
t4w0                            1
t4w1                            0
t3w0                            1
t3w1                            0
t2w0                            0
t2w1                            1
t1w0                            0
t1w1                            1
s5                              4
s4                              2
s3                              0
s2                              5
s1                              0
t5after4                        1
t5after3                        1

Actual values of the constraints:
R1                              5
"""


class Lp2Paje(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.tool = os.path.join(self.work, "starpu_lp2paje")
        os.symlink(TASKLENS, self.tool)

    def run_tool(self, text, *words, status=0, tool=None):
        done = subprocess.run([tool or self.tool, *words], input=text, text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def test_says_what_starpus_says(self):
        starpus = shutil.which("starpu_lp2paje")
        if not starpus:
            self.skipTest("StarPU's starpu_lp2paje is missing, to compare with: apt-get install starpu-tools")
        theirs, their_words = self.run_tool(SOLUTION.split("\nActual values of the constraints")[0] + "\n", tool=starpus)
        ours, our_words = self.run_tool(SOLUTION)
        self.assertEqual(our_words, their_words)
        self.assertEqual(sorted(ours.splitlines()), sorted(theirs.splitlines()))

    def test_takes_the_last_of_several_solutions(self):
        first = SOLUTION.replace("s2                              5", "s2                              6").replace(
            "c2                             12", "c2                             13")
        self.assertEqual(self.run_tool("Improved solutions:\n" + first + SOLUTION), self.run_tool(SOLUTION))

    def test_is_read_by_pj_dump(self):
        path = os.path.join(self.work, "paje.trace")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.run_tool(SOLUTION)[0])
        done = subprocess.run(["pj_dump", "-n", path], capture_output=True, text=True, check=True)
        states = [line.split(", ") for line in done.stdout.splitlines() if line.startswith("State")]
        runs = sorted((row[1], float(row[3]), float(row[4])) for row in states if row[7].startswith("Running"))
        self.assertEqual(runs, [("0", 0, 2), ("0", 2, 4), ("0", 4, 11), ("1", 0, 5), ("1", 5, 12)])

    def test_variables_may_come_in_any_order_and_be_missing(self):
        head, lines = SOLUTION.split("variables:\n")
        lines = lines.split("\n\n")[0].splitlines()
        shuffled = head + "variables:\n" + "\n".join(sorted(line for line in lines if "w1" not in line or "1" == line[-1]))
        self.assertEqual(sorted(self.run_tool(shuffled)[1].split(": ", 1)[1]),
                         sorted(self.run_tool(SOLUTION)[1].split(": ", 1)[1]))

    def test_says_in_a_line_what_is_wrong(self):
        for text, words, status, said in [
            ("", [], 1, "not a solution of lp_solve"), ("This problem is infeasible", [], 1, "not a solution of lp_solve"),
            ("Actual values of the variables:\ntmax 3\nw0t0n 4\n", [], 1, "the solution has no schedule"),
            (SOLUTION.replace("t4w0                            1", "t4w0 0"), [], 1, "task 4 has no worker"),
            (SOLUTION.replace("t4w0  ", "t4w7  "), [], 1, "task 4 has no worker"),
            (SOLUTION.replace("tmax                           12", "tmax 1e+999"), [], 1, "the solution has no schedule"),
            (SOLUTION.replace("tmax                           12", "tmax nan"), [], 1, "the solution has no schedule"),
            (SOLUTION, ["file.lp"], 2, "'file.lp': unexpected argument"),
        ]:
            with self.subTest(said):
                out, err = self.run_tool(text, *words, status=status)
                self.assertEqual((out, err.count("\n")), ("", 1), err)
                self.assertIn(said, err)

    def test_tells_of_tasks_that_share_a_worker(self):
        self.assertIn("oops, 4 and 3 sharing worker 0 !!", self.run_tool(SOLUTION.replace("s4                              2", "s4 1"))[1])

    def test_tells_of_none_that_share_but_a_digit(self):
        # As lp_solve rounded 4.246925 to two sides, of a program of StarPU's.
        text = SOLUTION.replace("c3                              2", "c3 4.24693").replace("s4                              2", "s4 4.24692")
        text = text.replace("c4                              4", "c4 8.37039").replace("s5                              4", "s5 8.37039")
        self.assertNotIn("oops", self.run_tool(text)[1])


if __name__ == "__main__":
    unittest.main()
