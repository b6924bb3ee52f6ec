#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each program of this folder ends as it should, with the words that it should say.

    cases_test.py PROGRAM...
"""

import os
import pathlib
import subprocess
import sys
import unittest

# A device where there is none.
STANDIN = os.path.abspath("tests/runtime/cuda/libcuda_standin.so")
CUDA = {"TASKLENS_CUDA_LIBRARY": os.path.abspath("runtime/drivers/cuda/libtasklens-cuda.so")}
# The runs of a program: its arguments, what it prints at its end, and variables.
RUNS = {
    "many_workers": [
        (["100"], "workers: 100, idle: 0, in the context: 20, strangers: 0", {"STARPU_NCPU": "100"}),
        (["208"], "workers: 208, idle: 0, in the context: 20, strangers: 0",
         {"STARPU_NCPU": "200", "STARPU_NSIM_CUDA": "8", "STARPU_SCHED": "dmda"}),
    ],
    "data_outlives_run": [([], "done")],
    "duplicates": [([], "copies: 2, wrong: 0")],
    "listener_context": [([], "wrong: 0")],
    "listener_submits": [([], "")],
    "no_memory": [([], "returned -ENOMEM")],
    "no_context": [([], "policy data (nil)")],
    "noseq_unregister": [([how], f"how {how}: 0 tasks saw another vector") for how in "0123"],
    "release_to": [([], "")],
    "scratch_unregister": [([], "0 tasks saw a wrong scratch buffer")],
    "slow_prefetch": [([STANDIN], "others ran", {**CUDA, "STARPU_SCHED": policy})
                      for policy in ("dm", "dmda", "dmdar", "dmdas", "pheft")],
    "ssend": [([], "returned 0 0 0, x = 3")],
    "combined_worker": [([], "wrong: 0", {"STARPU_NCPU": "4", "STARPU_SCHED": policy})
                        for policy in ("lws", "pheft")],
    "parallel_workers": [([], "wrong: 0", {"STARPU_NCPU": "8"})],
    "transactions": [([str(seed)], "wrong: 0", {"STARPU_NCPU": cpus, "STARPU_SCHED": policy})
                     for seed in range(4) for cpus, policy in (("1", "eager"), ("4", "dmda"))],
    "tries": [([], "wrong: 0, tries: 0, successes of my own: 0",
               {"STARPU_NCPU": cpus, "STARPU_SCHED": policy})
              for cpus, policy in (("1", "prio"), ("4", "lws"), ("4", "dmda"))],
    "unpartition_anywhere": [([], "")],
}
PROGRAMS = {pathlib.Path(path).name: path for path in sys.argv[1:]}


class Cases(unittest.TestCase):
    def test_every_program_is_in_the_table(self):
        self.assertEqual(sorted(RUNS), sorted(PROGRAMS))

    def test_variables_that_change_nothing_are_named(self):
        unheeded = {"STARPU_NTCPIP_MS": "2", "STARPU_NHIP": "1", "STARPU_LIMIT_HIP_0_MEM": "1",
                    "STARPU_LIMIT_CPU_NUMA_1_MEM": "100", "STARPU_PERF_MODEL_HOMOGENEOUS_HIP": "0",
                    "STARPU_CUDA_THREAD_PER_DEV": "1", "STARPU_SIMGRID": "1"}
        heeded = {"STARPU_NCPU": "1", "STARPU_NCUDA": "0", "STARPU_NOPENCL": "0", "STARPU_NMPI_MS": "0",
                  "STARPU_LIMIT_CPU_NUMA_0_MEM": "100", "STARPU_LIMIT_CPU_NUMA_MEM": "100",
                  "STARPU_PERF_MODEL_HOMOGENEOUS_CPU": "1", "STARPU_OF_THE_PROGRAM": "1"}
        self.assertEqual(set(unheeded), self.named({**unheeded, **heeded}))
        self.assertEqual(set(), self.named(heeded))

    def test_as_many_gpus_of_either_maker_are_those_there_are(self):
        self.assertEqual(set(), self.named({"STARPU_NCPU": "1", "STARPU_NCUDA": "0", "STARPU_NHIP": "0"}))
        self.assertEqual(set(), self.named({"STARPU_NCPU": "1", "STARPU_NCUDA": "2", "STARPU_NHIP": "2",
                                            "STARPU_NSIM_CUDA": "2"}))
        self.assertEqual({"STARPU_NHIP"}, self.named({"STARPU_NCPU": "1", "STARPU_NCUDA": "0", "STARPU_NHIP": "2"}))

    def named(self, variables):
        """The variables that a run with these says to change nothing, in one line or none."""
        run = subprocess.run([PROGRAMS["ssend"]], env={**os.environ, **variables}, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        lines = [line for line in run.stderr.splitlines() if "not heeded" in line]
        self.assertLessEqual(len(lines), 1, run.stderr)
        return set(lines[0].rsplit(": ", 1)[1].split(", ")) if lines else set()


def test_of(name, arguments, last, variables=None):
    def test(self):
        run = subprocess.run([PROGRAMS[name], *arguments], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, env={**os.environ, **(variables or {})})
        if run.returncode == 77:
            self.skipTest(run.stdout.strip() or "starpu_init() found no worker")
        self.assertEqual(0, run.returncode, run.stderr)
        self.assertTrue(run.stdout.rstrip().endswith(last), run.stdout)
    return test


for name, runs in RUNS.items():
    for number, (arguments, *rest) in enumerate(runs):
        setattr(Cases, f"test_{name}_{number}", test_of(name, arguments, *rest))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
