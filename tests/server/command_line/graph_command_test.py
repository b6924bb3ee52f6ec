#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tasklens graph` on real traces: each way to look at a part of the graph and each colouring, beside
what StarPU's own tool says of the tasks (tasks.rec); and what cannot be shown gets one line."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TASKLENS = os.path.abspath(sys.argv.pop(1))
DATA = os.path.abspath("tests/data/starpu")
CHOLESKY = DATA + "/cholesky_lws"


def run(*arguments):
    return subprocess.run([TASKLENS, *arguments], capture_output=True, text=True, check=False)


def records(trace):
    """The tasks of StarPU's tasks.rec, by job."""
    with open(f"{DATA}/{trace}/reference/tasks.rec", encoding="utf-8") as file:
        texts = file.read().split("\n\n")
    tasks = [dict(re.findall(r"^(\w+): (.*)$", text, re.M)) for text in texts]
    return {int(task["JobId"]): task for task in tasks if "JobId" in task}


class GraphCommand(unittest.TestCase):
    def shown(self, trace, *options):
        done = run("graph", f"{DATA}/{trace}", "--internal", "--json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {node["task"]["job"] for node in json.loads(done.stdout)["nodes"]}

    def refused(self, status, message, *arguments):
        done = run("graph", *arguments)
        self.assertEqual(done.returncode, status, arguments)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(message, done.stderr)

    def dependencies(self, trace):
        """Who waits for whom, among the tasks that the graph shows."""
        tasks = records(trace)
        every = self.shown(trace)
        before = {job: set() for job in every}
        for job, task in tasks.items():
            for other in task.get("DependsOn", "").split():
                if job in every and int(other) in every:
                    before[job].add(int(other))
        after = {job: {other for other in every if job in before[other]} for job in every}
        return before, after

    @staticmethod
    def reach(edges, job, depth):
        seen = front = {job}
        for _ in range(depth):
            front = {other for one in front for other in edges[one]} - seen
            seen = seen | front
        return seen

    def test_shows_predecessors_and_successors_to_any_depth(self):
        before, after = self.dependencies("cholesky_lws")
        for job in list(before)[::17]:
            for depth in (0, 1, 2, 5, 100):
                expected = self.reach(before, job, depth) | self.reach(after, job, depth)
                task = ("--task", str(job), "--depth", str(depth))
                self.assertEqual(self.shown("cholesky_lws", *task), expected, (job, depth))

    def test_shows_all_paths_between_two_tasks_whichever_comes_first(self):
        before, after = self.dependencies("cholesky_lws")
        found = without = 0
        for one in list(before)[::13]:
            for other in list(before)[::19]:
                if one == other:
                    continue
                for first, last in ((one, other), (other, one)):
                    paths = self.reach(after, first, 1000) & self.reach(before, last, 1000)
                    if paths:
                        break
                arguments = ("--task", str(one), "--to", str(other))
                if paths:
                    self.assertEqual(self.shown("cholesky_lws", *arguments), paths)
                    found += 1
                else:
                    self.refused(1, "no path of dependencies leads", CHOLESKY, *arguments)
                    without += 1
        self.assertGreater(found, 3)
        self.assertGreater(without, 3)

    def test_shows_the_tasks_of_a_line(self):
        tasks = records("cholesky_lws")
        lines = {(task["File"], task["Line"]) for task in tasks.values() if "File" in task}
        self.assertGreater(len(lines), 2)
        for file, line in lines:
            expected = {
                job for job, t in tasks.items() if (t.get("File"), t.get("Line")) == (file, line)
            }
            self.assertEqual(self.shown("cholesky_lws", "--line", f"{file}:{line}"), expected)
            ending = f"{os.path.basename(file)}:{line}"
            self.assertEqual(self.shown("cholesky_lws", "--line", ending), expected)

    def test_shows_the_tasks_of_a_piece_of_data_by_its_address(self):
        tasks = records("cholesky_lws")
        users = {}
        for job, task in tasks.items():
            for handle in task.get("Handles", "").split():
                users.setdefault(handle, set()).add(job)
        self.assertGreater(len(users), 5)
        for handle, jobs in users.items():
            self.assertEqual(self.shown("cholesky_lws", "--data", "0x" + handle), jobs)
        by_number = 0
        for number in range(10):
            if run("graph", CHOLESKY, "--data", str(number)).returncode == 0:
                self.assertIn(self.shown("cholesky_lws", "--data", str(number)), users.values())
                by_number += 1
        self.assertGreater(by_number, 2)
        self.refused(1, "no data '0xdead' in the trace; give its", CHOLESKY, "--data", "0xdead")

    def test_shows_the_tasks_of_a_tag(self):
        tagged = {}
        for job, task in records("tags").items():
            if task["Tag"] != "0":
                tagged.setdefault(int(task["Tag"], 16), set()).add(job)
        self.assertGreater(len(tagged), 5)
        for tag, jobs in tagged.items():
            self.assertEqual(self.shown("tags", "--tag", str(tag)), jobs)
            self.assertEqual(self.shown("tags", "--tag", hex(tag)), jobs)
        self.refused(1, "no task has the tag 5; there are 0x", DATA + "/tags", "--tag", "5")
        self.refused(1, "the tasks of this trace have no tags", CHOLESKY, "--tag", "5")
        self.refused(2, "--tag takes a number", CHOLESKY, "--tag", "five")

    def test_a_group_that_is_not_there_is_named_with_those_that_are(self):
        by = ("--group", "codelet")
        nodes = json.loads(run("graph", CHOLESKY, *by, "--json").stdout)["nodes"]
        group = next(node["id"] for node in nodes if node["can_open"])
        self.refused(1, "there is no group 'nix' to open; there are /", CHOLESKY, *by, "--open", "nix")
        self.refused(1, "no group 'nix'", CHOLESKY, *by, "--open", group, "--open", "nix")
        with tempfile.TemporaryDirectory() as folder:
            self.refused(1, "no group 'nix'", CHOLESKY, "--open", "nix", "--svg", folder + "/x.svg")
            self.assertEqual(os.listdir(folder), [])
        self.refused(1, "use --group", CHOLESKY, "--open", "nix")
        self.assertEqual(run("graph", CHOLESKY, *by, "--open", group).returncode, 0)

    def fills(self, trace, colour):
        """The colour of each node in a picture, by its id."""
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/picture.svg"
            arguments = ("--layout", "levels", "--colour", colour, "--svg", path)
            done = run("graph", f"{DATA}/{trace}", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            fills = {}
            for element in xml.etree.ElementTree.parse(path).iter():
                if element.get("class", "").startswith("node "):
                    shapes = [e.get("fill") for e in element.iter() if e.get("fill")]
                    fills[element.get("id")] = shapes[0]
            return fills

    def test_a_small_picture_has_the_dependencies_of_the_text(self):
        for trace in ("hello", "tags", "mpi2", "cholesky_lws", "disk_compute"):
            done = run("graph", f"{DATA}/{trace}", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            graph = json.loads(done.stdout)
            nodes = graph["nodes"]
            jobs = [(node["task"]["rank"], node["task"]["job"]) for node in nodes]
            edges = {(jobs[edge["from"]], jobs[edge["to"]]) for edge in graph["edges"]}
            with tempfile.TemporaryDirectory() as folder:
                path = folder + "/picture.svg"
                self.assertEqual(run("graph", f"{DATA}/{trace}", "--svg", path).returncode, 0)
                elements = list(xml.etree.ElementTree.parse(path).iter())
            job_of = {
                e.get("id"): (int(e.get("data-rank")), int(e.get("data-job")))
                for e in elements
                if e.get("data-job")
            }
            after = {}
            for element in elements:
                if element.get("data-from"):
                    after.setdefault(element.get("data-from"), []).append(element.get("data-to"))
            # A message is a node between its tasks.
            drawn = {
                (job_of[one], job_of[end])
                for one in job_of
                for other in after.get(one, [])
                for end in ([other] if other in job_of else after.get(other, []))
                if end in job_of
            }
            self.assertEqual(drawn, edges, trace)

    def test_colours_tell_what_they_are_chosen_for(self):
        done = run("graph", f"{DATA}/stencil", "--group", "worker", "--json")
        nodes = {}
        done = run("graph", f"{DATA}/stencil", "--json")
        for node in json.loads(done.stdout)["nodes"]:
            nodes[node["id"]] = node["task"]
        tasks = records("stencil")
        values = {
            "codelet": lambda task: task["name"],
            "worker": lambda task: task["worker"],
            "iteration": lambda task: tasks[task["job"]].get("Iteration", "").split(" ")[0],
        }
        for colour, value in values.items():
            fill_of = {}
            for id, fill in self.fills("stencil", colour).items():
                fill_of.setdefault(value(nodes[id]), set()).add(fill)
            for of_value in fill_of.values():
                self.assertEqual(len(of_value), 1, colour)
            if colour != "iteration":
                distinct = {next(iter(fills)) for fills in fill_of.values()}
                self.assertEqual(len(distinct), len(fill_of), colour)
        # Along what is measured, each shade stands for one stretch.
        def length(task):
            return task["end_ns"] - task["start_ns"]

        for colour in ("duration", "waiting", "slack"):
            fills = self.fills("stencil", colour)
            self.assertGreater(len(set(fills.values())), 1, colour)
            if colour == "duration":
                ordered = [fills[id] for id in sorted(fills, key=lambda id: length(nodes[id]))]
                stretches = [f for i, f in enumerate(ordered) if i == 0 or ordered[i - 1] != f]
                self.assertEqual(len(stretches), len(set(stretches)))


if __name__ == "__main__":
    unittest.main()
