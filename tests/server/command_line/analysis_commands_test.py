#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands that hand out the analyses, on real traces: their JSON is JSON and adds up, their
text names lines, and wrong questions get one line of an answer."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from commands import CHOLESKY, DATA, PAJE_HEAD, TASKLENS, CommandTest, checker, run, wrong_in

# Where `flags` finds the runtime; no shell's word.
os.environ["TASKLENS_ROOT"] = "/source tree"
SANITIZER = os.environ.get("TASKLENS_SANITIZER")
TRACES = ["hello", "cholesky_lws", "cholesky_dmdas", "tags", "stencil", "parallel_small",
          "mem_reclaim", "disk_compute", "two_ctx", "mpi2"]  # fmt: skip


NS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


def moments(line):
    """Both ends of the stretch "1.2 ms to 3 ms" in a line, in nanoseconds from the first submission."""
    found = re.search(r"(-?[\d.]+) ([nµm]?s) to (-?[\d.]+) ([nµm]?s)", line).groups()
    return float(found[0]) * NS[found[1]], float(found[2]) * NS[found[3]]


class AnalysisCommands(CommandTest):
    def test_advice_has_exactly_its_fields_and_the_most_expensive_first(self):
        for trace in TRACES:
            answer = self.json("advise", f"{DATA}/{trace}")
            self.assertEqual(list(answer), ["version", "findings"])
            costs = []
            for finding in answer["findings"]:
                self.assertEqual(
                    list(finding),
                    ["rule", "severity", "cost_ns", "file", "line", "site", "message", "evidence"],
                )
                self.assertIn(finding["severity"], ["error", "warning", "information"])
                costs.append(finding["cost_ns"])
            self.assertEqual(costs, sorted(costs, reverse=True))
        self.assertIn("mem_reclaim.c", self.text("advise", DATA + "/mem_reclaim"))

    def test_tasks_on_all_workers_at_once_are_no_serial_chain(self):
        # One task after another, but each of them on all workers.
        rules = [f["rule"] for f in self.json("advise", DATA + "/parallel_small")["findings"]]
        self.assertNotIn("serial_chain", rules)

    def test_every_command_tells_of_clocks_that_cannot_be_right(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "backward.prv")
            with open(trace, "w", encoding="utf-8") as file:
                print("#Paraver (21/01/2022 at 16:37):1000_ns:1(2):1:2(1:1,1:1)",
                      "1:1:1:1:1:0:1000:1", "1:2:1:2:1:0:1000:1",
                      "3:1:1:1:1:500:520:2:1:2:1:100:400:4096:1", sep="\n", file=file)
            for command in ("advise", "bound", "critical-path", "graph", "stats", "timeline"):
                self.assertIn("messages arrive before they are sent", run(command, trace).stderr, command)

    def test_critical_path_spans_the_run(self):
        for trace in TRACES:
            answer = self.json("critical-path", f"{DATA}/{trace}")
            span = self.json("bound", f"{DATA}/{trace}")["span_ns"]
            self.assertEqual(answer["work_ns"] + answer["wait_ns"], span, trace)
        self.assertRegex(self.text("critical-path", CHOLESKY), r"cholesky\.c:\d+ .*potrf")

    def test_why_follows_last_dependencies_backwards(self):
        chain = self.json("why", CHOLESKY, "--task", "0_25")["chain"]
        zero = self.zero()
        self.assertGreater(len(chain), 1)
        for later, earlier in zip(chain, chain[1:]):
            self.assertLessEqual(earlier["task"]["end_ns"], later["task"]["start_ns"])
        # Each of the chain with the time between, and when it ran, as another command takes it.
        lines = self.text("why", CHOLESKY, "--task", "25").splitlines()[1:]
        self.assertEqual(len(lines), len(chain))
        for line, step, before in zip(lines, chain, [None] + chain[:-1]):
            task = step["task"]
            begin, end = moments(line)
            for told, real in ((begin, task["start_ns"]), (end, task["end_ns"])):
                self.assertLessEqual(abs(told + zero - real), (task["end_ns"] - task["start_ns"]) / 50)
            if before:
                self.assertRegex(line, r"^ +-?\d[\d.]* [nµm]?s after ")
                self.assertEqual(before["gap_ns"], before["task"]["start_ns"] - task["end_ns"])

    def zero(self):
        """The first submission, in the times of JSON."""
        return self.json("stats", CHOLESKY)["zero_ns"]

    def test_why_says_what_an_idle_worker_waited_for(self):
        step = self.json("critical-path", CHOLESKY)["steps"][1]["task"]
        at = f"{step['start_ns'] - 1000 - self.zero()}ns"
        pause = self.json("why", CHOLESKY, "--worker", step["worker"], "--at", at)["pause"]
        self.assertEqual(sum(pause["causes_ns"].values()), pause["end_ns"] - pause["start_ns"])
        self.assertEqual(pause["next_task"]["job"], step["job"])
        text = self.text("why", CHOLESKY, "--worker", step["worker"], "--at", at)
        self.assertIn(" was idle from ", text)
        # What is told is taken, and lands in the same pause.
        for told in re.match(r".* was idle from (\S+ \S+) to (\S+ \S+), ", text).groups():
            self.assertEqual(self.json("why", CHOLESKY, "--worker", step["worker"], "--at", told)["pause"], pause)

    def test_why_without_a_question_answers_the_worst_pauses(self):
        pauses = self.json("why", CHOLESKY)["pauses"]
        lengths = [pause["end_ns"] - pause["start_ns"] for pause in pauses]
        self.assertEqual(lengths, sorted(lengths, reverse=True))
        text = self.text("why", CHOLESKY)
        self.assertEqual(len(re.findall(" was idle from ", text)), len(pauses))
        worker, at = re.search(r"why: tasklens why --worker '(.*)' --at (\S+)", text).groups()
        self.assertEqual(self.json("why", CHOLESKY, "--worker", worker, "--at", at)["pause"]["start_ns"], pauses[0]["start_ns"])

    def test_why_says_what_a_worker_did_that_was_not_idle(self):
        task = self.json("critical-path", CHOLESKY)["steps"][0]["task"]
        ask = ("why", CHOLESKY, "--worker", task["worker"], "--at")
        busy = f"{task['start_ns'] - self.zero()}ns"
        answer = self.json(*ask, busy)
        self.assertIsNone(answer["pause"])
        self.assertEqual(answer["instead"]["what"], "busy")
        self.assertEqual(answer["instead"]["task"]["job"], task["job"])
        ran = f"it ran {task['name']} \\(job {task['job']}\\), {task['file']}:{task['line']}, from "
        self.assertRegex(self.text(*ask, busy), ran)
        for at, what, text in (
            ("-1s", "before the run", "it existed only from"),
            ("100s", "after the run", "it existed only from"),
        ):
            instead = self.json(*ask, at)["instead"]
            self.assertEqual((instead["what"], instead["task"]), (what, None))
            self.assertIn(text, self.text(*ask, at))

    def test_why_answers_for_each_rank(self):
        for rank in ("0", "1"):
            by_option = self.json("why", DATA + "/mpi2", "--task", "3", "--rank", rank)
            self.assertEqual(by_option["task"]["rank"], int(rank))
            self.assertEqual(by_option, self.json("why", DATA + "/mpi2", "--task", rank + "_3"))
            ask = ("why", DATA + "/mpi2", "--at", "-1s", "--worker")
            instead = self.json(*ask, "CPU0", "--rank", rank)["instead"]
            self.assertEqual(instead["worker"], rank + ": CPU0")
            self.assertEqual(instead, self.json(*ask, rank + ":CPU0")["instead"])

    def test_the_critical_path_crosses_ranks_where_a_message_held_it(self):
        steps = self.json("critical-path", DATA + "/mpi2")["steps"]
        crossings = [
            (before["task"], step)
            for before, step in zip(steps, steps[1:])
            if before["task"]["rank"] != step["task"]["rank"]
        ]
        self.assertTrue(crossings)
        for before, step in crossings:
            self.assertEqual(step["hold"], "message")
            self.assertLessEqual(before["end_ns"], step["received_ns"])
            self.assertLessEqual(step["received_ns"], step["task"]["start_ns"])
        for step in steps:
            if step["hold"] != "message":
                self.assertEqual((step["sent_ns"], step["received_ns"]), (None, None))
        self.assertIn("after message ", self.text("critical-path", DATA + "/mpi2"))

    def test_bound_is_below_the_span_and_factors_multiply_out(self):
        for trace in TRACES:
            answer = self.json("bound", f"{DATA}/{trace}")
            self.assertLessEqual(answer["bound_ns"], answer["span_ns"] + 1)
            share = min(1, answer["bound_ns"] / answer["span_ns"])
            self.assertAlmostEqual(answer["bound_over_span"], share, 9)
            self.assertNotIn("efficiency", answer)  # `stats` calls something else so
            whole = answer["efficiency_split"]["whole"]
            product = 1
            for factor in ("locality", "scheduling", "runtime", "parallelism", "known"):
                product *= whole[factor]
            self.assertAlmostEqual(product, whole["total"], 9)
            self.assertEqual(whole["known"], 1)
        self.assertIn("no schedule is shorter", self.text("bound", CHOLESKY))

    def test_bound_says_what_to_install_where_its_solver_is_missing_and_the_rest_all_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            # One worker of four is a GPU, so that there is a choice.
            self.text("convert", "--to", "paje", "-o", folder, CHOLESKY)
            with open(folder + "/paje.trace", encoding="utf-8") as file:
                paje = file.read().replace('"CPU1"', '"CUDA0"')
            trace = folder + "/two_kinds.trace"
            with open(trace, "w", encoding="utf-8") as file:
                file.write(paje)
            self.assertRegex(self.text("bound", trace), r"\narea bound \d+ µs\n")
            with open(folder + "/libClp.so.1", "wb"):
                pass
            without = {**os.environ, "LD_LIBRARY_PATH": folder}
            missing = "libClp.so.1 cannot be loaded: apt-get install coinor-libclp1 "
            done = subprocess.run([TASKLENS, "bound", trace], env=without, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"^tasklens: area bound: {missing}\(.*\)\n$")
            self.assertIn("\narea bound not found: " + missing, done.stdout)
            self.assertIn("longest dependency chain 94.2 µs", done.stdout)
            self.assertIn("parallelism", done.stdout)
            done = subprocess.run([TASKLENS, "bound", "--json", trace], env=without, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 1)
            rank = json.loads(done.stdout)["ranks"][0]
            self.assertIsNone(rank["area_bound_ns"])
            self.assertTrue(rank["why_not_found"].startswith(missing))
            for command in (["advise"], ["stats"], ["report", "-o", folder + "/report.html"]):
                subprocess.run([TASKLENS, *command, trace], env=without, check=True, capture_output=True)

    def test_a_paje_copy_blames_the_scheduler_for_no_more_than_the_trace_itself(self):
        def scheduling_ns(trace):
            return self.json("bound", trace)["efficiency_split"]["whole"]["scheduling_ns"]

        original = scheduling_ns(DATA + "/two_ctx/prof_file_0")
        with tempfile.TemporaryDirectory() as folder:
            self.text("convert", DATA + "/two_ctx/prof_file_0", "--to", "paje", "-o", folder)
            for copy in (folder, DATA + "/two_ctx/reference"):
                self.assertLess(scheduling_ns(copy + "/paje.trace"), 1.1 * original)

    def test_of_a_run_without_tasks_there_is_no_efficiency(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = folder + "/idle.prv"
            with open(trace, "w") as file:
                file.write("#Paraver (01/01/00 at 00:00):1000_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:1000:0\n")
            answer = self.json("bound", trace)
            self.assertIsNone(answer["bound_over_span"])
            whole = answer["efficiency_split"]["whole"]
            for share in ("locality", "scheduling", "runtime", "parallelism", "known", "total"):
                self.assertIsNone(whole[share])
            self.assertIn("nothing ran", self.text("bound", trace))
            self.assertNotIn("efficiency", self.text("stats", trace))

    def test_a_format_without_dependencies_blames_nobody(self):
        with tempfile.TemporaryDirectory() as folder:
            self.text("convert", CHOLESKY, "--to", "paraver", "-o", folder)
            (trace,) = [f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".prv")]
            whole = self.json("bound", trace)["efficiency_split"]["whole"]
            self.assertLess(whole["known"], 1)
            self.assertEqual(whole["scheduling_ns"], 0)
            self.assertIn("does not tell what tasks waited for", self.text("bound", trace))
            for finding in self.json("advise", trace)["findings"]:
                self.assertNotIn(finding["rule"], ("scheduler_keeps_tasks", "too_little_parallelism"))

    def test_a_summary_leaves_nothing_out(self):
        for trace, tasks in (("stencil", 178), ("disk_compute", 1)):
            text = self.text("stats", DATA + "/" + trace)
            rows = re.findall(r"^ +[\d.]+ % .* ([\d,]+) x ", text, re.M)
            self.assertEqual(sum(int(row.replace(",", "")) for row in rows), tasks, text)
            self.assertRegex(text, r"\n.* x .*  no line\n$")
        text = self.text("stats", DATA + "/cholesky_dmdas/prof_file_0", "--most", "2")
        self.assertIn("\nand 2 more lines\n", text)
        answer = self.json("stats", DATA + "/stencil")
        self.assertEqual((answer["tasks"], answer["ran"], answer["workers"], answer["ranks"]), (178, 178, 4, 1))

    def test_what_cannot_be_printed_is_an_error(self):
        commands = [["stats"], ["stats", "--json"], ["advise", "--json"], ["critical-path"], ["bound"], ["timeline"],
                    ["graph", "--json"], ["print"]]  # fmt: skip
        for command, *options in commands:
            with open("/dev/full", "w") as full:
                done = subprocess.run([TASKLENS, command, CHOLESKY, *options], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1, command)
            self.assertEqual(done.stderr.count("standard output: "), 1, done.stderr)

    def test_statistics_agree_in_every_form(self):
        for by in ("codelet", "site", "worker", "kind", "state", "size"):
            groups = self.json("stats", CHOLESKY, "--by", by)["groups"]
            rows = list(csv.DictReader(io.StringIO(self.text("stats", CHOLESKY, "--by", by, "--csv"))))
            self.assertEqual([g["label"] for g in groups], [row[by] for row in rows])
            for group, row in zip(groups, rows):
                self.assertEqual(group["total_ns"], int(row["total_ns"]))
                self.assertEqual(sum(bar["count"] for bar in group["histogram"]), group["count"])
            self.assertIn(groups[0]["label"], self.text("stats", CHOLESKY, "--by", by))

    def test_statistics_of_a_stretch_are_those_of_its_parts(self):
        run = self.json("bound", CHOLESKY)["efficiency_split"]["whole"]["task_ns"]
        end = 1 + max(row["end_ns"] for rows in self.json("timeline", CHOLESKY)["rows"] for layer in rows["layers"] for row in layer)
        steps = self.json("critical-path", CHOLESKY)["steps"]
        middle = steps[len(steps) // 2]["task"]["start_ns"] + 1000
        split, last = f"{middle - self.zero()}ns", f"{end - self.zero()}ns"
        halves = [self.json("stats", CHOLESKY, "--by", "worker", "--to", split),
                  self.json("stats", CHOLESKY, "--by", "worker", "--from", split, "--to", last)]
        self.assertEqual([(half["from_ns"], half["to_ns"]) for half in halves], [(0, middle), (middle, end)])
        self.assertEqual(sum(half["times_ns"]["tasks"] for half in halves), run)
        whole = {group["label"]: group["total_ns"] for group in self.json("stats", CHOLESKY, "--by", "worker")["groups"]}
        for label, total in whole.items():
            parts = [group["total_ns"] for half in halves for group in half["groups"] if group["label"] == label]
            self.assertEqual(sum(parts), total)
        first, *lines = self.text("stats", CHOLESKY, "--by", "worker", "--to", split).splitlines()
        for told, real in zip(moments(first), (0, middle)):
            self.assertLessEqual(abs(told + self.zero() - real), middle / 50)
        self.assertIn(" after the first submission, ", first)
        self.assertRegex(lines[0], r"^ +\d+(\.\d+)? % .* in tasks$")
        self.assertIn("no worker existed", self.text("stats", CHOLESKY, "--to", "-20ms"))
        self.refused(2, "the interval lies outside the trace, which goes from ", "stats", CHOLESKY, "--from", "1000s")
        self.refused(2, "--from: '5' has no unit; write 250ns", "stats", CHOLESKY, "--from", "5")
        self.refused(2, "--from must be before --to", "stats", CHOLESKY, "--from", "5ms", "--to", "4ms")

    def test_a_path_of_any_length_is_printed_without_being_held_as_json(self):
        if SANITIZER:
            self.skipTest(f"memory is the {SANITIZER} sanitizer's")
        with tempfile.TemporaryDirectory() as folder:
            trace = folder + "/long.trace"
            with open(trace, "w", encoding="utf-8") as file:
                file.write(PAJE_HEAD)
                file.writelines(f"4 {2 * i} S c work\n5 {2 * i + 1} S c\n" for i in range(100_000))

            def peak_kib(*arguments):
                with open(folder + "/out", "wb") as out:
                    child = subprocess.Popen([TASKLENS, *arguments], stdout=out)
                    _, status, usage = os.wait4(child.pid, 0)
                child.returncode = status
                self.assertEqual(status, 0)
                return usage.ru_maxrss

            as_text = peak_kib("critical-path", trace)
            self.assertLess(peak_kib("critical-path", trace, "--json"), as_text + 20 * 1024)
            with open(folder + "/out", encoding="utf-8") as out:
                self.assertEqual(len(json.load(out)["steps"]), 100_000)

    def answer(self, command, arguments):
        """What `command` ("why --task") prints when it is asked for JSON."""
        word, *option = command.split()
        with tempfile.TemporaryDirectory() as folder:
            if word == "run":
                return json.loads(self.text("run", "--json", "-o", folder, "--", *arguments))
            if command == "convert":
                arguments = [*arguments, "-o", folder]
            if word in ("convert", "flags"):
                return self.json(word, *option, *arguments)
            trace, *more = arguments
            return self.json(word, trace, *option, *more)

    def test_a_run_in_json_says_how_it_ended_and_nothing_else_is_printed(self):
        record = f'cp "{CHOLESKY}" "$STARPU_FXT_PREFIX/trace_0"; echo said; '
        with tempfile.TemporaryDirectory() as folder:
            for end, exit_status, signal, status in (
                ("true", 0, None, 0),
                ("exit 4", 4, None, 1),
                ("kill -SEGV $$", None, 11, 1),
            ):
                done = run("run", "--json", "-o", folder, "--", "sh", "-c", record + end)
                self.assertEqual(done.returncode, status)
                answer = json.loads(done.stdout)
                self.assertEqual((answer["exit_status"], answer["signal"]), (exit_status, signal))
                self.assertEqual(answer["traces"], [folder + "/trace_0"])
                self.assertEqual((answer["tasks"], answer["complete"]), (56, True))
                self.assertEqual(sum(site["tasks"] for site in answer["costs"]), 56)
                self.assertIn("said\n", done.stderr)

    def test_a_conversion_in_json_names_its_files(self):
        with tempfile.TemporaryDirectory() as folder:
            answer = self.json("convert", CHOLESKY, "-o", folder, "--to", "paje,tasks")
            sizes = {file["name"]: file["bytes"] for file in answer["files"]}
            self.assertEqual(
                sizes, {name: os.path.getsize(f"{folder}/{name}") for name in os.listdir(folder)}
            )
            self.assertEqual(sorted(sizes), ["paje.trace", "tasks.rec"])
        listed = self.json("convert", "--list")
        self.assertIn("paje", [row["name"] for row in listed["writes"]])
        self.assertIn("fxt", [row["name"] for row in listed["reads"]])

    def test_flags_in_json_are_those_of_the_shell(self):
        answer = self.json("flags")
        self.assertEqual(answer["cflags"] + answer["libs"], shlex.split(self.text("flags")))
        self.assertIn("-I/source tree/runtime/include", answer["cflags"])
        self.assertEqual(self.json("flags", "--libs")["cflags"], [])

    def test_flags_of_several_processes_want_a_runtime_with_mpi(self):
        self.refused(1, "was built without MPI", "flags", "--mpi")

    def test_events_in_json_are_those_of_the_text(self):
        for trace in TRACES:
            for file in sorted(os.listdir(f"{DATA}/{trace}")):
                if not file.startswith("prof_file_"):
                    continue
                path = f"{DATA}/{trace}/{file}"
                version, *rows = map(json.loads, self.text("print", "--json", path).splitlines())
                self.assertEqual(version, {"version": 1})
                for row in {row["event"]: row for row in rows}.values():
                    self.assertEqual(checker.faults_of_command("print", row), [])
                lines = self.text("print", path).splitlines()
                self.assertEqual(len(rows), len(lines))
                for row, line in zip(rows, lines):
                    self.assertEqual(
                        list(row), ["time_ns", "rank", "thread", "event", "arguments"]
                    )
                    seconds, fraction = divmod(row["time_ns"], 10**9)
                    self.assertTrue(
                        line.startswith(
                            f"{seconds}.{fraction:09} {row['rank']}/{row['thread']} {row['event']}: "
                        ),
                        (row, line),
                    )
                    for value in row["arguments"].values():
                        if isinstance(value, str) and value.isascii() and value.isprintable():
                            self.assertIn(value.replace("\\", "\\\\"), line)

    def test_answers_are_as_the_protocol_says(self):
        arguments = {
            "stats": [CHOLESKY],
            "stats --from": [CHOLESKY, "1ms"],
            "advise": [DATA + "/mem_reclaim"],
            "critical-path": [CHOLESKY],
            "why": [CHOLESKY],
            "why --task": [CHOLESKY, "25"],
            "why --worker": [CHOLESKY, "CPU0", "--at", "0"],
            "bound": [CHOLESKY],
            "compare": [CHOLESKY, "--before", CHOLESKY],
            "graph": [CHOLESKY],
            "timeline": [CHOLESKY],
            "timeline --estimates": [CHOLESKY],
            "run": ["sh", "-c", f'echo hello; cp "{CHOLESKY}" "$STARPU_FXT_PREFIX/trace_0"'],
            "convert": [CHOLESKY],
            "convert --list": [],
            "flags": [],
        }
        has_json = {
            command
            for command in re.findall(r"\n  ([a-z-]+) ", self.text("--help").split("Subcommands:")[1])
            if re.search(r"\n  --json ", self.text(command, "--help"))
        }
        self.assertEqual({command.split()[0] for command in checker.protocol.commands}, has_json)
        self.assertEqual({command.split()[0] for command in arguments}, has_json - {"print"})
        for command in arguments:
            words = [*command.split(), *arguments[command]]
            answer = self.answer(command, arguments[command])
            self.assertEqual(wrong_in(answer, words), [], command)
            (wrong,) = wrong_in({**answer, "of_nobody": 1}, words)
            self.assertRegex(wrong, r"\.ofNobody is not in protocol\.json$")

    def test_helps_have_a_word_of_their_own_for_each_value(self):
        commands = re.findall(r"\n  ([a-z-]+) ", self.text("--help").split("Subcommands:")[1])
        self.assertGreater(len(commands), 15)
        for command in commands:
            shown = self.text(command, "--help")
            self.assertNotRegex(shown, r"\bTEXT\b|\bU?INT\b|\bFLOAT\b|\{false\}|\{true\}", command)
        self.assertRegex(self.text("run", "--help"), r"\n  -o,--output DIR +folder")
        self.assertRegex(self.text("timeline", "--help"), r"\n  --no-counters +leave")

    def test_options_may_stand_before_the_trace_or_after_it(self):
        # One that takes several values must not take the trace for one of them.
        commands = re.findall(r"\n  ([a-z-]+) ", self.text("--help").split("Subcommands:")[1])
        tried = 0
        for command in commands:
            shown = self.text(command, "--help")
            if not re.search(r"\n  traces? ", shown) or command == "serve":
                continue
            for name, value in re.findall(r"^  (?:-\w,)?(--[a-z-]+) (?!Excludes:|Needs:)([^ =\n]+)", shown, re.MULTILINE):
                sample = value.split("|")[0] if "|" in value else "1"
                with self.subTest(command=command, option=name, value=sample), tempfile.TemporaryDirectory() as home:
                    first, last = (
                        subprocess.run([TASKLENS, command, *words], cwd=home, capture_output=True, check=False)
                        for words in ((name, sample, CHOLESKY), (CHOLESKY, name, sample)))
                    self.assertEqual((first.returncode, first.stdout, first.stderr),
                                     (last.returncode, last.stdout, last.stderr))
                    tried += 1
        self.assertGreater(tried, 40)

    def test_edges_of_a_graph_name_their_groups_by_id(self):
        dmdas = DATA + "/cholesky_dmdas/prof_file_0"
        graph = self.json("graph", dmdas, "--group", "codelet")
        groups = [graph["nodes"][edge["to"]]["id"] for edge in graph["edges"] if not graph["nodes"][edge["to"]]["task"]]
        shown = re.findall(r"[>,] [^,\n[]* \[([^]]*)\]", self.text("graph", dmdas, "--group", "codelet"))
        self.assertEqual(sorted(shown), sorted(groups))

    def test_graph_opens_a_group(self):
        by = ("--group", "iteration,codelet")
        closed = self.json("graph", CHOLESKY, *by)
        group = next(node for node in closed["nodes"] if node["can_open"] and node["tasks"] > 5)
        opened = self.json("graph", CHOLESKY, *by, "--open", group["id"])
        inside = [node for node in opened["nodes"] if node["parent"] == group["id"]]
        self.assertEqual(sum(node["tasks"] for node in inside), group["tasks"])
        self.assertIn(f"[{group['id']}]", self.text("graph", CHOLESKY, *by))

    def test_graph_shows_what_the_program_submitted_unless_asked_for_more(self):
        own = self.json("graph", CHOLESKY)
        self.assertEqual(own["caption"], "56 of 56 tasks")
        self.assertTrue(all(node["task"]["file"] for node in own["nodes"]))
        every = self.json("graph", CHOLESKY, "--internal")
        self.assertGreater(every["tasks_total"], 56)

    def test_graph_shows_what_surrounds_a_task(self):
        def jobs(*options):
            nodes = self.json("graph", CHOLESKY, *options)["nodes"]
            return {node["task"]["job"] for node in nodes}

        chain = [c["task"]["job"] for c in self.json("why", CHOLESKY, "--task", "25")["chain"]]
        self.assertEqual(jobs("--task", "25", "--depth", "0"), {25})
        own = jobs()
        near = jobs("--task", "25", "--depth", "1")
        self.assertLessEqual(set(chain[:2]) & own, near)
        self.assertLess(near, jobs("--task", "25", "--depth", "3"))
        paths = jobs("--task", "25", "--to", str(chain[2]))
        self.assertLessEqual(set(chain[:3]) & own, paths)
        site = self.json("stats", CHOLESKY, "--by", "site")["groups"][0]
        self.assertEqual(len(jobs("--line", site["label"])), site["tasks"])
        self.refused(1, "there are cholesky.c:95", "graph", CHOLESKY, "--line", "nowhere.c:1")
        self.refused(1, "no data 'nothing'", "graph", CHOLESKY, "--data", "nothing")
        self.refused(1, "no task '99999'", "graph", CHOLESKY, "--task", "99999")

    def test_timeline_shows_every_row_within_its_pixels(self):
        answer = self.json("timeline", CHOLESKY, "--pixels", "50")
        self.assertIn("CPU0", [row["name"] for row in answer["rows"]])
        for row in answer["rows"]:
            for layer in row["layers"]:
                self.assertLessEqual(len(layer), 101)
        self.assertRegex(self.text("timeline", CHOLESKY), r"CPU0 +\|.*\|")

    def test_text_of_a_timeline_says_how_much_of_each_column_is_in_tasks(self):
        shown = self.json("timeline", CHOLESKY, "--pixels", "40")
        ends = [f"{shown[end] - self.zero()}ns" for end in ("from_ns", "to_ns")]
        lines = self.text("timeline", CHOLESKY, "--pixels", "40", "--from", ends[0], "--to", ends[1]).splitlines()
        self.assertRegex(lines[1], r"^ +\|-?\d.*  in tasks$")
        # By itself from the first submission to the last end.
        self.assertRegex(self.text("timeline", CHOLESKY), r"^0 ms to [\d.]+ ms after the first submission, .*; the trace is from -")
        signs = set()
        for row in shown["rows"]:
            cells = [re.search(r"\|(.{40})\|", line)[1] for line in lines[2:-1] if line.split("|")[0].strip() == row["name"]]
            for pixel in row["mixed"]:
                length = (shown["to_ns"] - shown["from_ns"]) / 40
                column = int((pixel["start_ns"] + pixel["end_ns"] - 2 * shown["from_ns"]) / 2 / length)
                share = sum(one["time_ns"] for one in pixel["times"] if one["state"] in ("Task", "Executing") and not one["internal"])
                share /= pixel["end_ns"] - pixel["start_ns"]
                sign = cells[0][column]
                signs.add(sign)
                self.assertEqual(sign, "#" if share >= 0.5 else "+" if share >= 0.1 else ":" if pixel["tasks"] else sign)
                self.assertFalse(sign in "#+:" and not pixel["tasks"], (row["name"], column))
        self.assertTrue(signs & set("#+:"), signs)
        self.assertIn("'#' half or more, '+' a tenth or more", re.sub(r"\s+", " ", self.text("timeline", "--help")))

    def picture(self, *arguments):
        """The elements of the picture that a command draws."""
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/picture.svg"
            self.assertTrue(self.text(*arguments, "--svg", path).startswith(path + ": "))
            return list(xml.etree.ElementTree.parse(path).iter())

    def test_graph_is_drawn_with_every_node_and_edge(self):
        for trace in TRACES:
            for groups, drawn in (
                ([], ["--layout", "levels"]),
                (["--group", "codelet"], []),
                ([], ["--layout", "time", "--colour", "slack"]),
            ):
                arguments = ("graph", f"{DATA}/{trace}", *groups)
                shown = self.json(*arguments)
                elements = self.picture(*arguments, *drawn)
                nodes = [e for e in elements if e.get("class", "").startswith("node ")]
                self.assertEqual([e.get("id") for e in nodes], [n["id"] for n in shown["nodes"]])
                edges = [e for e in elements if e.get("data-from") is not None]
                self.assertEqual(len(edges), len(shown["edges"]))
        shown = self.json("graph", CHOLESKY, "--group", "worker")
        tasks = [n["id"] for n in shown["nodes"]]
        elements = self.picture("graph", CHOLESKY, "--group", "worker", "--open", tasks[0])
        self.assertEqual(
            [e.get("id") for e in elements if e.get("class") == "frame"], [tasks[0]]
        )

    def test_tasks_of_a_picture_know_their_line(self):
        # Each line of this program submits one task, and a group of one is the task itself.
        elements = self.picture("graph", DATA + "/hello", "--group", "site", "--layout", "graphviz")
        tasks = [e for e in elements if e.get("class") == "node task" and e.get("data-line")]
        self.assertEqual(len({task.get("data-line") for task in tasks}), 3)
        for task in tasks:
            self.assertTrue(task.get("data-file").endswith("hello.c"))

    def test_timeline_is_drawn_with_every_row_and_glyph(self):
        for trace in TRACES:
            shown = self.json("timeline", f"{DATA}/{trace}", "--pixels", "200")
            elements = self.picture("timeline", f"{DATA}/{trace}", "--pixels", "200")
            drawn = [e for e in elements if e.get("class") == "row"]
            self.assertEqual(len(drawn), len(shown["rows"]))
            for row, element in zip(shown["rows"], drawn):
                # What several states share is drawn as they share it.
                mixed = row["mixed"]
                alone = lambda g: not any(p["start_ns"] <= g["start_ns"] and g["end_ns"] <= p["end_ns"] for p in mixed)
                glyphs = [g for layer in row["layers"] for g in layer if g["state"] != "Nothing" and alone(g)]
                rectangles = [e for e in element if e.tag.endswith("rect")]
                self.assertEqual(len(rectangles), len(glyphs))
                self.assertTrue(all(g["count"] == 1 for g in glyphs))
                stacks = [e for e in element if e.get("class") == "mixed"]
                self.assertEqual(len(stacks), len(mixed) if any(row["layers"]) else 0)

    def test_timeline_is_drawn_with_its_counters_flags_and_arrows(self):
        every_kind = ("--arrows", "dependency,transfer,message,steal")
        kinds = set()
        for trace in TRACES:
            arguments = ("timeline", f"{DATA}/{trace}", "--pixels", "200", *every_kind)
            shown = self.json(*arguments)
            elements = self.picture(*arguments)
            count = lambda name: sum(e.get("class") == name for e in elements)
            self.assertEqual(count("counter"), len(shown["counters"]))
            self.assertEqual(count("flag"), sum(len(row["flags"]) for row in shown["rows"]))
            # Those that would cover the rows are counted.
            drawn = [len(of_kind["arrows"]) for of_kind in shown["arrows"]]
            self.assertEqual(count("arrow"), sum(many for many in drawn if 5 * many <= 200))
            self.assertEqual(count("count") > 0, any(5 * many > 200 for many in drawn))
            for counter in shown["counters"]:
                self.assertLessEqual(len(counter["slices"]), 200)
                self.assertEqual(counter["slices"][0]["start_ns"], shown["from_ns"])
                self.assertEqual(counter["slices"][-1]["end_ns"], shown["to_ns"])
            for of_kind in shown["arrows"]:
                counted = sum(arrow["count"] for arrow in of_kind["arrows"])
                self.assertEqual(counted + of_kind["left_out"], of_kind["in_view"])
                kinds.update([of_kind["kind"]] if of_kind["arrows"] else [])
        self.assertEqual(kinds, {"dependency", "transfer", "message", "steal"})
        pushed = self.json("timeline", CHOLESKY, "--pixels", "100000", "--scheduler-flags")
        texts = [flag["text"] for row in pushed["rows"] for flag in row["flags"]]
        self.assertTrue(any("is ready" in text for text in texts))
        self.assertTrue(any("is taken" in text for text in texts))
        plain = self.json("timeline", CHOLESKY, "--no-counters", "--no-flags")
        self.assertEqual((plain["counters"], plain["arrows"]), ([], []))

    def test_timeline_draws_the_dependencies_of_one_task(self):
        chain = self.json("why", CHOLESKY, "--task", "25")["chain"]
        (arrows,) = self.json("timeline", CHOLESKY, "--task", "25")["arrows"]
        before = [a["from_task"]["job"] for a in arrows["arrows"] if a["to_task"]["job"] == 25]
        self.assertIn(chain[1]["task"]["job"], before)
        self.refused(1, "no task '99999'", "timeline", CHOLESKY, "--task", "99999", "--json")

    def test_a_picture_that_cannot_be_written_is_one_line(self):
        self.refused(1, "cannot be written", "graph", CHOLESKY, "--svg", "/nowhere/graph.svg")
        self.refused(1, "cannot be written", "timeline", CHOLESKY, "-o", "/nowhere/timeline.svg")
        self.refused(1, "cannot be written", "report", CHOLESKY, "-o", "/nowhere/report.html")

    def test_the_graph_of_ranks_leads_through_messages(self):
        graph = self.json("graph", DATA + "/mpi2")
        ids = [node["id"] for node in graph["nodes"]]
        edges = {(ids[edge["from"]], ids[edge["to"]]) for edge in graph["edges"]}
        self.assertEqual(len(ids), 12)
        # Rank 0 sends what its job 3 wrote to rank 1, which receives it for job 18, an acquisition
        # of data that job 19 waits for; job 24 waits for it on rank 0.
        self.assertIn(("task_0_3", "task_1_19"), edges)
        self.assertIn(("task_0_3", "task_0_24"), edges)
        self.assertEqual(len(edges), 13)
        for by in ("codelet", "worker", "levels"):
            groups = self.json("graph", DATA + "/mpi2", "--group", by)
            counted = sum(edge["count"] for edge in groups["edges"]) + groups["dependencies_inside"]
            self.assertEqual(counted, len(edges), by)

    def test_wrong_questions_get_one_line(self):
        self.refused(1, "no task '99999'", "why", CHOLESKY, "--task", "99999")
        self.refused(1, "no worker is called 'GPU9'; there are CPU0", "why", CHOLESKY, "--worker", "GPU9", "--at", "1ns")
        self.refused(1, "no worker is called '1abc'", "why", CHOLESKY, "--worker", "1abc", "--at", "1ns")
        for footprint in ("123456789", "0x1", "12 "):
            self.refused(2, f"'{footprint}' is not a footprint", "perfmodel", "show", "gemm", "--footprint", footprint)
        self.refused(2, "'soon' is no time", "why", CHOLESKY, "--worker", "CPU0", "--at", "soon")
        self.refused(2, "'70' has no unit", "why", CHOLESKY, "--worker", "CPU0", "--at", "70")
        mpi = DATA + "/mpi2"
        several = "several ranks have a worker 'CPU0': 0, 1; write 0:CPU0"
        self.refused(2, several, "why", mpi, "--worker", "CPU0", "--at", "1ms")
        self.refused(2, "several ranks have a task '3': 0, 1; write 0_3", "why", mpi, "--task", "3")
        self.refused(1, "the trace has no rank '7'; it has 0, 1", "why", mpi, "--task", "3", "--rank", "7")
        self.refused(2, "not 'colour'", "stats", CHOLESKY, "--by", "colour")
        self.refused(2, "not 'colour'", "graph", CHOLESKY, "--group", "colour")
        self.refused(2, "before --to", "timeline", CHOLESKY, "--from", "2s", "--to", "1s")
        # An option that would change nothing is refused, not ignored.
        for options in (["--arrows", "transfer"], ["--task", "25"], ["--no-flags"], ["--no-counters"], ["--estimates"]):
            self.refused(2, "need -o PICTURE or --json", "timeline", CHOLESKY, *options)
        for message, *arguments in (
            ("graph: --colour needs --svg; see `tasklens graph --help`", "graph", "--colour", "slack"),
            ("--colour needs --svg", "timeline", "--colour", "slack"),
            ("--layout needs --svg", "graph", "--layout", "time"),
            ("--json cannot be used together with --svg", "graph", "--json", "-o", "/nowhere/picture.svg"),
            ("--json cannot be used together with --svg", "timeline", "--json", "-o", "/nowhere/picture.svg"),
            ("--most takes a whole number, 0 or more, not '-1'", "critical-path", "--most", "-1"),
            ("--most takes a whole number, 0 or more, not 'abc'", "stats", "--most", "abc"),
            ("--colour takes codelet, worker, duration, waiting, slack, iteration, not 'slak' (did you mean 'slack'?)",
             "timeline", "-o", "/nowhere/picture.svg", "--colour", "slak"),
            ("--pixels takes a whole number from 1 to 100000, not 'abc'", "timeline", "--pixels", "abc"),
            ("--pixels takes a whole number from 1 to 100000, not '0'", "timeline", "--pixels", "0"),
            ("unknown option --jso (did you mean '--json'?)", "stats", "--jso"),
            ("--by needs a value", "stats", "--by"),
            ("--json takes no value", "stats", "--json=7"),
        ):
            done = run(arguments[0], CHOLESKY, *arguments[1:])
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(message, done.stderr)
            self.assertTrue(done.stderr.startswith(f"tasklens: {arguments[0]}: ") and done.stderr.count("\n") == 1, done.stderr)
        self.refused(2, "two or more traces", "compare", CHOLESKY)
        self.refused(2, "PROGRAM is missing: the program and its arguments", "run")
        self.refused(2, "did you mean 'stats'", "help", "stat")
        self.refused(2, "did you mean 'help'", "halp")
        for command in ("advise", "critical-path", "bound", "graph", "timeline"):
            self.refused(1, "nowhere", command, "nowhere")

    def test_names_cannot_command_the_terminal_nor_break_a_line(self):
        with open(CHOLESKY, "rb") as whole, tempfile.NamedTemporaryFile() as hostile:
            trace = whole.read().replace(b"gemm", b"g\x1b\nm").replace(b".c\0", b"\x1bc\0")
            hostile.write(trace)
            hostile.flush()
            shown = 0
            for command in (["advise"], ["critical-path"], ["bound"], ["graph"], ["timeline"],
                            ["stats"], ["stats", "--by", "codelet"],
                            ["stats", "--by", "codelet", "--csv"], ["compare", hostile.name],
                            ["why", "--task", "25"], ["print"]):  # fmt: skip
                done = run(*command, hostile.name)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("\x1b", done.stdout + done.stderr, command)
                shown += "g\\x1b\\nm" in done.stdout
            self.assertGreater(shown, 5)

    def test_truncated_traces_are_analysed_as_far_as_they_go(self):
        with open(CHOLESKY, "rb") as whole, tempfile.NamedTemporaryFile() as part:
            part.write(whole.read()[:60000])
            part.flush()
            for command in ("advise", "critical-path", "bound", "graph", "timeline", "stats"):
                self.assertIn(run(command, part.name).returncode, (0, 1))

    def test_views_of_paraver_are_computed_of_its_files_and_of_any_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            self.text("convert", CHOLESKY, "--to", "paraver", "-o", folder)
            states = folder + "/paraver_states.cfg"
            rows = list(csv.DictReader(io.StringIO(
                self.text("paraver", folder + "/trace.prv", states, "--csv"))))  # fmt: skip
            self.assertEqual(list(rows[0]), ["object", "begin_ns", "duration_ns", "value"])
            # Every row of it is covered from the first moment to the last.
            shown = {}
            for row in rows:
                begin, duration = float(row["begin_ns"]), float(row["duration_ns"])
                self.assertEqual(begin, shown.get(row["object"], 0))
                shown[row["object"]] = begin + duration
            self.assertEqual(len(set(shown.values())), 1)
            self.assertEqual(
                self.text("paraver", CHOLESKY, states, "--csv"),
                self.text("paraver", folder + "/trace.prv", states, "--csv"),
            )
            # As many bursts of useful work as there are tasks that ran.
            histogram = list(csv.reader(io.StringIO(
                self.text("paraver", CHOLESKY, folder + "/paraver_useful_duration.cfg", "--csv"))))  # fmt: skip
            bursts = sum(float(cell) for row in histogram[1:] for cell in row[1:])
            tasks = self.json("stats", CHOLESKY, "--by", "codelet")["groups"]
            self.assertEqual(bursts, sum(group["count"] for group in tasks))
            self.assertIn("Useful duration", self.text(
                "paraver", CHOLESKY, folder + "/paraver_useful_duration.cfg"))  # fmt: skip

            with open(states, encoding="utf-8") as file:
                text = file.read()
            unknown = folder + "/unknown.cfg"
            with open(unknown, "w", encoding="utf-8") as file:
                file.write(text.replace("State As Is", "State As Was"))
            self.refused(1, "unknown.cfg: line ", "paraver", CHOLESKY, unknown)
            self.refused(1, "'State As Was'", "paraver", CHOLESKY, unknown)
            self.refused(1, "no window 7", "paraver", CHOLESKY, states, "--window", "7")
            with open(folder + "/paraver_task_types.cfg", encoding="utf-8") as file:
                text = file.read()
            with open(unknown, "w", encoding="utf-8") as file:
                file.write(text.replace("evt_type 1 60000023", "evt_type 1 7"))
            self.assertIn("uses events of type 7, but the trace has none",
                          run("paraver", CHOLESKY, unknown).stderr)  # fmt: skip
            self.refused(1, "not a Paraver configuration", "paraver", CHOLESKY, CHOLESKY)


if __name__ == "__main__":
    unittest.main()
