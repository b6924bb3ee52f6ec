#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs for as long as one likes, under a sanitizer; by hand.

    bazel build --config=tsan //tests/runtime:random_{programs,plans,lifetimes,nodes}_test
    tests/runtime/random_day.py --hours 24 --first-seed 1000 bazel-out/k8-opt-tsan/bin

    bazel build --config=tsan //tests/runtime/mpi:random_program
    tests/runtime/random_day.py --mpi --hours 1 --first-seed 1000 bazel-out/k8-opt-tsan/bin

Runs the test programs of that folder with one seed after the other (TASKLENS_SEED): all policies,
one to four workers, in memory and out of core, and every other time recorded or with profiling on.
With --mpi it runs the program of several ranks, under mpirun with two, three and four of them.
Each run is a new process. Prints a line an hour, one at the end and one when it is interrupted:
seeds, programs, processor time. The first run that does not end with 0, or that a sanitizer reports
something of, is kept in the folder --keep, and is run again by what it prints; then it ends with 1.
A run that hangs stays where it is, for a debugger: --report-after says when a line tells of it.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "mpi"))
from for_mpirun import ENVIRONMENT  # noqa: E402

PROGRAMS = ["random_programs_test", "random_plans_test", "random_lifetimes_test", "random_nodes_test"]
# Its first task waits until all are submitted: with a limit of submitted tasks, for ever.
HOLDS_BACK = "random_lifetimes_test"
OF_RANKS = "mpi/random_program"
STEPS_OF_RANKS = 300
# What a run has besides its seed, in turns.
WAYS = [
    {},
    {"STARPU_FXT_TRACE": "1"},
    {"STARPU_PROFILING": "1", "STARPU_ENABLE_STATS": "1", "STARPU_STATS": "0"},
    {"STARPU_FXT_TRACE": "1", "STARPU_LIMIT_MAX_SUBMITTED_TASKS": "40"},
]


def processor_hours():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (children.ru_utime + children.ru_stime) / 3600


def command_of(env, command):
    return " ".join([*(f"{name}={value}" for name, value in env.items()), *map(str, command)])


class Day:
    def __init__(self, options):
        self.options = options
        self.programs = 0  # random programs that ran
        self.seeds = 0

    def line(self):
        return (f"{time.strftime('%F %T')}: {self.seeds} seeds, {self.programs} "
                f"programs, {processor_hours():.2f} h of processor time, nothing found")

    def command(self, name, seed):
        """(what is set, the command) of a program with this seed."""
        program = self.options.bin / "tests/runtime" / name
        way = dict(WAYS[seed % len(WAYS)])
        if name == HOLDS_BACK:
            way.pop("STARPU_LIMIT_MAX_SUBMITTED_TASKS", None)
        if name != OF_RANKS:
            return {"TASKLENS_SEED": str(seed), **way}, [program]
        ranks, cache = 2 + seed % 3, str(int(seed % 5 > 0))
        return ({**ENVIRONMENT, "STARPU_MPI_CACHE": cache, **way},
                ["mpirun", "-np", ranks, program, seed, STEPS_OF_RANKS])

    def run(self, name, seed, folder):
        """Whether all went well."""
        env, command = self.command(name, seed)
        log = folder / "log"
        # The MPI library is not instrumented: its own threads and what it keeps are not ours.
        tsan_mpi, asan_mpi = (":ignore_noninstrumented_modules=1", ":detect_leaks=0") if (
            name == OF_RANKS) else ("", "")
        settings = {
            **os.environ, **env, "STARPU_FXT_PREFIX": str(folder), "TEST_TMPDIR": str(folder),
            "STARPU_SILENT": "1",
            "TSAN_OPTIONS": "exitcode=66 second_deadlock_stack=1 history_size=4 "
                            f"log_path={log}{tsan_mpi}",
            "ASAN_OPTIONS": f"exitcode=66 log_path={log}{asan_mpi}", "LSAN_OPTIONS": "exitcode=66"}
        with open(folder / "output", "w", encoding="utf-8") as output:
            process = subprocess.Popen(list(map(str, command)), cwd=self.options.bin, env=settings,
                                       stdout=output, stderr=subprocess.STDOUT)
            late = threading.Timer(60 * self.options.report_after, lambda: print(
                f"process {process.pid} has not ended: {command_of(env, command)}", flush=True))
            late.start()
            status = process.wait()
            late.cancel()
        text = (folder / "output").read_text(encoding="utf-8", errors="replace")
        # What each test of these runs: seeds in memory, seeds out of core, plans, policies and seeds.
        self.programs += 8 * len(re.findall(r"OK \].*RandomPrograms.*GiveTheResults", text))
        self.programs += 2 * len(re.findall(r"OK \].*RandomPrograms.*DoSoOutOfCore", text))
        self.programs += 20 * len(re.findall(r"OK \] RandomNodes", text))
        self.programs += 20 * len(re.findall(r"OK \].*RandomPlans", text))
        self.programs += 8 * len(re.findall(r"OK \].*RandomLifetimes", text))
        self.programs += len(re.findall(r"^the program of seed \d+ is right", text, re.MULTILINE))
        reports = list(folder.glob("log*"))
        right = "is right" if name == OF_RANKS else "[  PASSED  ]"
        if status == 0 and not reports and right in text:
            return True
        kept = self.options.keep / f"{pathlib.Path(name).name}_{seed}"
        shutil.copytree(folder, kept, dirs_exist_ok=True)
        print(f"seed {seed}: status {status}, {len(reports)} reports, kept in {kept}; again by:\n"
              f"{command_of(env, command)}", flush=True)
        return False

    def go(self):
        end = time.monotonic() + 3600 * self.options.hours
        next_line = time.monotonic() + 3600
        seed = self.options.first_seed
        while time.monotonic() < end:
            for name in [OF_RANKS] if self.options.mpi else PROGRAMS:
                with tempfile.TemporaryDirectory() as folder:
                    if not self.run(name, seed, pathlib.Path(folder)):
                        return 1
            self.seeds += 1
            if time.monotonic() >= next_line:
                print(self.line(), flush=True)
                next_line += 3600
            seed += self.options.step
        print(self.line())
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path, help="bazel's folder of the sanitizer's programs")
    parser.add_argument("--mpi", action="store_true", help="the program of several ranks")
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--first-seed", type=int, default=1000)
    parser.add_argument("--step", type=int, default=1, help="to the next seed, where several run")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("random_day"))
    parser.add_argument("--report-after", type=float, default=60, help="minutes")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    day = Day(options)
    try:
        sys.exit(day.go())
    except KeyboardInterrupt:
        print(day.line())


if __name__ == "__main__":
    main()
