#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tasklens compare` on real traces and on written ones: what it calls slower, and what a threshold refuses."""

import json
import re
import tempfile
import unittest

from commands import CHOLESKY, DATA, PAJE_HEAD, CommandTest, run


class CompareCommand(CommandTest):
    def test_comparison_with_itself_finds_nothing(self):
        (comparison,) = self.json("compare", CHOLESKY, CHOLESKY)["comparisons"]
        self.assertTrue(comparison["changes"])
        for change in comparison["changes"]:
            self.assertEqual(change["verdict"], "within noise")
            self.assertEqual(change["change_ns"], 0)
        text = self.text("compare", CHOLESKY, DATA + "/cholesky_dmdas/prof_file_0", "--by", "codelet")
        self.assertIn("demo_cholesky_gemm", text)

    def paje(self, folder, name, lengths, pause=0):
        """A Paje trace of tasks of these lengths, one after the other, with `pause` behind the first."""
        with open(f"{folder}/{name}.trace", "w", encoding="utf-8") as file:
            file.write(PAJE_HEAD)
            now = 0
            for i, length in enumerate(lengths):
                file.write(f"4 {now:.6f} S c work\n5 {now + length:.6f} S c\n")
                now += length + (pause if i == 0 else 0)
        return file.name

    def test_a_threshold_refuses_what_became_slower(self):
        with tempfile.TemporaryDirectory() as folder:
            lengths = [1 + i % 7 / 100 for i in range(100)]
            before = self.paje(folder, "before", lengths)
            after = self.paje(folder, "after", [length * 1.15 for length in lengths])
            outliers = self.paje(folder, "outliers", [length * (50 if i == 3 else 1) for i, length in enumerate(lengths)])
            by = ("--by", "codelet", "--threshold", "10")
            done = run("compare", before, after, *by)
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, r"tasklens: .*: the span is 15.0 % longer \(.*\), more than the 10 % of")
            answer = run("compare", before, after, *by, "--json")
            self.assertEqual(answer.returncode, 3)
            self.assertIn("the span is", json.loads(answer.stdout)["regressions"][0])
            self.text("compare", before, after, "--by", "codelet", "--threshold", "20")
            self.text("compare", before, before, "--threshold", "0")
            self.assertEqual(run("compare", before, after, "--threshold", "-1").returncode, 2)
            # One task of fifty times its length makes the span longer, not the tasks.
            done = run("compare", before, outliers, *by)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"the span is [\d.]+ % longer .* explains; it may be noise.*--before")

    def test_what_has_no_figure_of_noise_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            before, after = self.paje(folder, "before", [1]), self.paje(folder, "after", [2])
            done = run("compare", before, after, "--by", "codelet", "--threshold", "10", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            answer = json.loads(done.stdout)
            self.assertEqual(answer["regressions"], [])
            self.assertEqual(len(answer["remarks"]), 2)
            self.assertIn("the span is 100.0 % longer", answer["remarks"][0])
            self.assertIn("not judged, as the noise of a single task is not known: work", answer["remarks"][1])
            for remark in answer["remarks"]:
                self.assertIn(remark, done.stderr)

    def test_runs_before_show_the_noise(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = [self.paje(folder, f"before{i}", [length]) for i, length in enumerate((1, 1.04, 1.1))]
            before = [word for trace in runs for word in ("--before", trace)]
            by = ("--by", "codelet", "--threshold", "5")
            for length, status in ((1.13, 0), (1.3, 3)):
                after = self.paje(folder, "after", [length])
                done = run("compare", *before, after, *by, "--json")
                self.assertEqual(done.returncode, status, done.stderr)
                answer = json.loads(done.stdout)
                figures = {figure["what"]: figure for figure in answer["figures"]}
                self.assertEqual(sorted(figures), ["the median of work", "the span", "the total of all tasks", "the total of work"])
                for figure in figures.values():
                    self.assertEqual((figure["runs_before"], figure["runs_after"]), (3, 1))
                    self.assertEqual((figure["before_ns"], figure["noise_ns"]), (1040000000, 100000000))
                self.assertEqual(len(answer["regressions"]), 4 if status else 0)
            text = self.text("compare", *before, after, "--by", "codelet")
            self.assertIn("the span: 1.04 s -> 1.30 s", text)
            self.assertNotIn("\\n", text)
            self.assertEqual(len(text.split("over the runs:\n")[1].splitlines()), len(figures))

    def test_comparisons_of_states_and_workers_call_them_so(self):
        parallel = DATA + "/parallel_small/prof_file_0"
        # A task on two workers is a part of the time of both.
        self.assertIn("\nall tasks: 1.11 s (100) ", self.text("compare", parallel, parallel, "--by", "codelet"))
        text = self.text("compare", parallel, parallel, "--by", "worker")
        self.assertIn("\nall workers in tasks: 2.08 s (200) ", text)
        self.assertIn("; total +0 ns", text)
        text = self.text("compare", DATA + "/cholesky_dmdas/prof_file_0", CHOLESKY, "--by", "state")
        self.assertIn("  fewer states ", text)
        self.assertNotRegex(text, "(fewer|more|longer|shorter) tasks")

    def test_comparisons_have_whole_nanoseconds(self):
        text = self.text("compare", CHOLESKY, DATA + "/cholesky_dmdas/prof_file_0", "--json")
        self.assertGreater(len(re.findall(r'_ns": -?\d+,?\n', text)), 100)
        self.assertEqual(re.findall(r'_ns": [^{n].*\.\d.*', text), [])

    def test_a_threshold_refuses_more_tasks_as_well_as_longer_ones(self):
        with tempfile.TemporaryDirectory() as folder:

            def trace(name, count, length):
                """A Paje trace of `count` equal tasks, one after the other, that ends at 100 s."""
                with open(f"{folder}/{name}.trace", "w", encoding="utf-8") as file:
                    file.write(PAJE_HEAD)
                    for i in range(count):
                        file.write(f"4 {2 * i} S c work\n5 {2 * i + length} S c\n")
                    file.write("4 99 S c last\n5 100 S c\n")
                return file.name

            few, many, long = trace("few", 10, 1), trace("many", 30, 1), trace("long", 10, 1.5)
            by = ("--by", "codelet")
            for after, regressions in (
                (many, ["the total of all tasks is 181.8 % longer", "the total of work is 200.0 %"]),
                (long, ["the total of all tasks is 45.5 % longer", "the total of work is 50.0 %"]),
            ):
                done = run("compare", few, after, *by, "--threshold", "20", "--json")
                self.assertEqual(done.returncode, 3, done.stderr)
                answer = json.loads(done.stdout)
                self.assertEqual(len(answer["regressions"]), 2, answer["regressions"])
                for line, expected in zip(answer["regressions"], regressions):
                    self.assertIn(expected, line)
                self.assertEqual(run("compare", after, few, *by, "--threshold", "0").returncode, 0)
                self.assertEqual(run("compare", few, after, *by, "--threshold", "300").returncode, 0)
            (comparison,) = self.json("compare", few, many, *by)["comparisons"]
            self.assertEqual(comparison["changes"][0]["verdict"], "more tasks")
            self.assertEqual(comparison["total"]["by_count_ns"], 20e9)
            text = self.text("compare", few, many, *by)
            self.assertRegex(text, r"all tasks: 11.0 s \(11\) -> 31.0 s \(31\), \+20.0 s: ")
            self.assertRegex(text, r"more tasks +\+20.0 s  work: 10.0 s \(10 x 1.00 s\) -> ")

    def test_a_comparison_with_a_damaged_trace_warns_and_strict_refuses(self):
        with open(CHOLESKY, "rb") as whole, tempfile.NamedTemporaryFile() as part:
            part.write(whole.read()[:60000])
            part.flush()
            done = run("compare", CHOLESKY, part.name, "--threshold", "100000")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("warning: a trace is incomplete", done.stderr)
            self.assertIn("--strict makes this a failure", done.stderr)
            for more in ([], ["--threshold", "100000"]):
                for traces in ([CHOLESKY, part.name], [part.name, CHOLESKY]):
                    self.assertEqual(run("compare", *traces, "--strict", *more).returncode, 1)
            (comparison,) = self.json("compare", CHOLESKY, part.name)["comparisons"]
            self.assertFalse(comparison["complete"])
        self.assertEqual(run("compare", CHOLESKY, CHOLESKY, "--strict").returncode, 0)


if __name__ == "__main__":
    unittest.main()
