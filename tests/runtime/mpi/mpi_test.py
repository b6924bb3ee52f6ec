#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Programs of several ranks, under mpirun: messages, tasks, random programs, and what their traces tell."""

import collections
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from for_mpirun import ENVIRONMENT

HERE = "tests/runtime/mpi"
TASKLENS = os.path.abspath("server/command_line/tasklens")


def why_not():
    if not shutil.which("mpirun"):
        return "mpirun is missing: apt-get install openmpi-bin"
    if not os.path.exists(f"{HERE}/messages"):
        return "the runtime was built without MPI: apt-get install libopenmpi-dev"
    return None


def records(text):
    """The records of a file of recutils."""
    for block in text.split("\n\n"):
        fields = dict(re.findall(r"^(\w+): (.*)$", block, re.MULTILINE))
        if fields:
            yield fields


@unittest.skipIf(why_not(), why_not())
class SeveralRanks(unittest.TestCase):
    def run_ranks(self, ranks, program, *arguments, **variables):
        """Both outputs together."""
        with tempfile.TemporaryDirectory() as home:
            environment = dict(os.environ, **ENVIRONMENT, STARPU_HOME=home, **variables)
            done = subprocess.run(["mpirun", "-np", str(ranks), os.path.abspath(f"{HERE}/{program}"), *arguments],
                                  env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  check=False)
        self.assertEqual(0, done.returncode, done.stdout)
        return done.stdout

    def test_messages_arrive_in_every_form(self):
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                self.assertIn("all messages are right", self.run_ranks(ranks, "messages"))

    def test_tasks_run_where_they_should_with_what_they_need(self):
        for ranks in (1, 2, 3, 4):
            with self.subTest(ranks=ranks):
                self.assertIn("all tasks are right", self.run_ranks(ranks, "tasks"))

    def test_a_rank_that_may_use_one_unit_alone_has_a_worker(self):
        # As mpirun binds ranks unless it is told not to.
        all_units = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, all_units)
        os.sched_setaffinity(0, {min(all_units)})
        self.assertIn("all tasks are right", self.run_ranks(2, "tasks"))

    def test_tasks_need_no_cache(self):
        self.assertIn("all tasks are right", self.run_ranks(2, "tasks", STARPU_MPI_CACHE="0"))

    def test_data_may_wait_for_memory(self):
        self.assertIn("all tasks are right", self.run_ranks(2, "tasks", STARPU_MPI_MEM_THROTTLE="1"))

    def test_trees_are_used_for_small_data_too(self):
        self.assertIn("all tasks are right", self.run_ranks(4, "tasks", STARPU_MPI_REDUX_ARITY_THRESHOLD="0"))

    def test_random_programs_agree_with_one_rank(self):
        for ranks, seed, cache in ((2, 1, "1"), (3, 2, "1"), (4, 23, "1"), (3, 11, "0"), (4, 23, "0")):
            with self.subTest(ranks=ranks, seed=seed, cache=cache):
                output = self.run_ranks(ranks, "random_program", str(seed), "300", STARPU_MPI_CACHE=cache)
                self.assertIn(f"the program of seed {seed} is right", output)

    def test_one_rank_of_a_thousand_has_its_tasks_alone(self):
        output = self.run_ranks(1, "one_of_many", STARPU_MPI_FAKE_SIZE="1000", STARPU_MPI_FAKE_RANK="7")
        self.assertIn("rank 7 of 1000 ran 3 tasks", output)
        self.assertIn("rank 1 of 2 ran 3 tasks", self.run_ranks(2, "one_of_many"))

    def tasks_by_rank(self, ranks, *arguments, **variables):
        """How many tasks of load_balance.cc each rank ran, and what was printed."""
        output = self.run_ranks(ranks, "load_balance", *arguments, STARPU_NCPU="1", LB_HEAT_SLEEP_THRESHOLD="24",
                                **variables)
        ran = dict(re.findall(r"^rank (\d+) ran (\d+) tasks", output, re.MULTILINE))
        self.assertEqual({str(rank) for rank in range(ranks)}, set(ran), output)
        tasks = [int(ran[str(rank)]) for rank in range(ranks)]
        self.assertEqual(480, sum(tasks), output)
        return tasks, output

    def test_work_moves_from_a_loaded_rank_to_idle_ones(self):
        for ranks, arguments, cache in ((2, (), "1"), (2, ("tags",), "1"), (3, (), "0"), (4, (), "1")):
            with self.subTest(ranks=ranks, arguments=arguments, cache=cache):
                tasks, output = self.tasks_by_rank(ranks, *arguments, STARPU_MPI_CACHE=cache,
                                                   LB_HEAT_TIME_THRESHOLD="500")
                self.assertGreater(480 - tasks[0], 24, output)

    def test_work_moves_from_a_slow_rank_to_the_others(self):
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                tasks, output = self.tasks_by_rank(ranks, "slow", LB_HEAT_TIME_THRESHOLD="500")
                self.assertLess(tasks[0], 480 // ranks, output)

    def test_work_stays_where_nothing_is_to_be_gained_or_balanced(self):
        # No rank of this run takes an hour more than another.
        tasks, output = self.tasks_by_rank(2, LB_HEAT_TIME_THRESHOLD="3600000000")
        self.assertEqual([480, 0], tasks, output)
        self.assertIn("was asked 0 times", output)
        tasks, output = self.tasks_by_rank(2, STARPU_MPI_LB="cold", LB_HEAT_TIME_THRESHOLD="0")
        self.assertEqual([480, 0], tasks, output)
        self.assertEqual(2, len(re.findall("^.*there is no policy 'cold', only 'heat'.*$", output, re.MULTILINE)), output)

    def test_what_is_urgent_passes_what_is_not_but_of_its_own_tag(self):
        output = self.run_ranks(2, "messages", STARPU_MPI_COMM="1")
        self.assertEqual(["402", "401", "401", "401", "401", "401", "401", "402"],  # the second time the last of 401 is urgent
                         re.findall(r"^\[0\] posts a message to rank 1 with tag (40[12]) ", output, re.MULTILINE))

    def test_cooperative_sends_can_be_turned_off(self):
        self.assertIn("all messages are right", self.run_ranks(2, "messages", STARPU_MPI_COOP_SENDS="0"))

    def test_checkpoints_have_the_values_of_their_moment(self):
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                output = self.run_ranks(ranks, "checkpoints")
                kept = collections.defaultdict(list)
                for keeper, checkpoint, what, source, number, value in re.findall(
                        r"^\[(\d)\] checkpoint (\d): (\w+) with tag \d+ of rank (\d): here since number (\d+), "
                        r"\d bytes: (\w\w)", output, re.MULTILINE):
                    kept[int(number), int(checkpoint)].append((what, int(source), int(keeper), int(value, 16)))
                last = ranks - 1
                stages = [("value", rank, (rank + 1) % ranks, 0xb0 + rank) for rank in range(ranks)]
                expected = {
                    (2, 8): [("data", rank, last, 0x11 + rank) for rank in range(ranks)],
                    (3, 7): sorted([("data", last, 1, 0x21), *stages]),
                    (53, 7): sorted([("data", last, 1, (0x31 + 50 * 0x10) % 256), *stages]),
                }
                self.assertEqual(expected, {key: sorted(values) for key, values in kept.items()}, output)

    def test_the_trace_has_the_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_ranks(2, "checkpoints", STARPU_FXT_TRACE="1", STARPU_FXT_PREFIX=folder + "/",
                           STARPU_FXT_SUFFIX="trace")
            for rank in range(2):
                done = subprocess.run([TASKLENS, "print", f"{folder}/trace_{rank}.tlt"], text=True,
                                      capture_output=True, check=False)
                self.assertEqual(0, done.returncode, done.stderr)
                found = re.findall(r"checkpoint (\d+) of domain \d, end: (\d)", done.stdout)
                for end in "01":
                    self.assertEqual(set(range(1, 54)), {int(number) for number, at in found if at == end})

    def test_statistics_are_printed_when_asked_for(self):
        output = self.run_ranks(2, "messages", STARPU_MPI_STATS="1", STARPU_MPI_CACHE_STATS="1")
        self.assertRegex(output, r"\[0\] sent to rank 1: \d+ messages, \d+ bytes")
        self.assertRegex(output, r"\[1\] the cache spared \d+ sends and \d+ receives")

    def test_the_trace_has_the_messages_that_the_cache_spared(self):
        with tempfile.TemporaryDirectory() as folder:
            output = self.run_ranks(3, "tasks", STARPU_MPI_CACHE_STATS="1", STARPU_FXT_TRACE="1",
                                    STARPU_FXT_PREFIX=folder + "/", STARPU_FXT_SUFFIX="trace")
            spared = {int(rank): int(sends) for rank, sends in
                      re.findall(r"\[(\d)\] the cache spared (\d+) sends", output)}
            self.assertGreater(sum(spared.values()), 0, output)
            for rank, sends in spared.items():
                done = subprocess.run([TASKLENS, "print", f"{folder}/trace_{rank}.tlt"], text=True,
                                      capture_output=True, check=False)
                self.assertEqual(0, done.returncode, done.stderr)
                told = re.findall(r"\d+ bytes, tag \d+, are not sent: rank (\d) has 0x\w+ already", done.stdout)
                self.assertEqual(sends, len(told), output)
                self.assertNotIn(str(rank), told)

    def test_tasks_that_only_order_messages_are_not_the_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_ranks(2, "tasks", STARPU_FXT_TRACE="1", STARPU_FXT_PREFIX=folder + "/", STARPU_FXT_SUFFIX="trace")
            shown, events = (
                subprocess.run([TASKLENS, command, folder], text=True, capture_output=True, check=True).stdout
                for command in ("stats", "print"))
            self.assertIn("before a reduction between ranks", events)
            self.assertIn("before a copy between ranks", events)
            self.assertRegex(shown, r"\d+ tasks")
            self.assertNotIn("did not run", shown)

    def test_the_trace_has_every_message(self):
        with tempfile.TemporaryDirectory() as folder:
            output = self.run_ranks(3, "tasks", STARPU_FXT_TRACE="1", STARPU_FXT_PREFIX=folder + "/",
                                    STARPU_FXT_SUFFIX="trace", STARPU_MPI_COMM="1")
            # What the library itself says that it sent.
            sent = collections.Counter(
                re.findall(r"^\[(\d+)\] posts a message to rank (\d+) with tag (\d+) .* \((\d+) bytes\)", output,
                           re.MULTILINE))
            self.assertGreater(sum(sent.values()), 20)
            traces = sorted(os.listdir(folder))
            self.assertEqual(["trace_0.tlt", "trace_1.tlt", "trace_2.tlt"], traces)
            results = folder + "/results"
            done = subprocess.run([TASKLENS, "convert", "-o", results, *[f"{folder}/{name}" for name in traces]],
                                  text=True, capture_output=True, check=False)
            self.assertEqual(0, done.returncode, done.stderr)
            # One clock: nothing arrives before it was sent.
            self.assertNotIn("backward", done.stderr + done.stdout)
            with open(results + "/comms.rec", encoding="utf-8") as file:
                messages = list(records(file.read()))
            told = collections.Counter((m["Src"], m["Dst"], m["Tag"], m["Size"]) for m in messages)
            self.assertEqual(sent, told)
            for message in messages:
                self.assertLessEqual(float(message["SendTime"]), float(message["RecvTime"]), message)
            with open(results + "/tasks.rec", encoding="utf-8") as file:
                files = {task.get("File", "") for task in records(file.read()) if task.get("Name") == "add"}
            self.assertTrue(files and all(name.endswith("tasks.cc") for name in files), files)

    def traced(self, folder, ranks, what):
        """What `tasklens run` says of unlucky.cc, and whether it was content; the traces are in the folder."""
        environment = dict(os.environ, **ENVIRONMENT, STARPU_HOME=folder, STARPU_NCPU="1")
        done = subprocess.run([TASKLENS, "run", "-o", folder + "/run", "--", "mpirun", "-np", str(ranks),
                               os.path.abspath(f"{HERE}/unlucky"), what],
                              env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.stdout, done.returncode == 0

    def test_the_task_of_a_rank_that_was_killed_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            output, is_content = self.traced(folder, 3, "killed")
            self.assertFalse(is_content)
            self.assertRegex(output, r"model_task_never_ended \(first at .*\brank 1: job \d+, die, .*unlucky\.cc:\d+")
            self.assertIn("3 ranks", output)

    def test_a_full_disk_on_one_rank_is_one_line_and_costs_events_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            output, is_content = self.traced(folder, 2, "full")
            self.assertTrue(is_content, output)
            self.assertIn("all values are right", output)
            self.assertEqual(1, len(re.findall(r"trace_1\.tlt: \d+ events were lost: File too large$", output,
                                               re.MULTILINE)), output)
            self.assertNotIn("trace_0.tlt: ", output)
            self.assertIn("tlt_dropped", output)

    def test_a_rank_without_work_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            output, is_content = self.traced(folder, 3, "idle")
            self.assertTrue(is_content, output)
            self.assertIn("100 tasks, 3 workers, 3 ranks", output)
            for command in ("advise", "critical-path", "stats", "timeline", "graph"):
                done = subprocess.run([TASKLENS, command, folder + "/run"], text=True, capture_output=True, check=False)
                self.assertEqual((0, ""), (done.returncode, done.stderr), command)


if __name__ == "__main__":
    unittest.main()
