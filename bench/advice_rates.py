#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often advice is wrong on real runs: of each program of tests/analysis/programs, recorded on this machine
with its fault and without, how many runs of the one have no finding at its line, and how many of the other
have one. (//tests/analysis:advice_programs_test has the same programs on simulated machines.)

    bazel run //bench:advice_rates [-- RUNS]
"""

import glob
import json
import os
import subprocess
import sys
import tempfile

TASKLENS = os.path.abspath("server/command_line/tasklens")
PROGRAMS = os.path.abspath("tests/analysis/programs")
RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 10


def marked_line(source):
    """That of the fault; 0: it is the whole run's."""
    with open(source, encoding="utf-8") as file:
        return next((number for number, line in enumerate(file, 1) if "/* FAULT */" in line), 0)


def findings(program, variant, folder):
    """Of a run: (rule, line) each."""
    environment = {
        **os.environ,
        "STARPU_FXT_TRACE": "1",
        "STARPU_FXT_PREFIX": folder,
        "STARPU_FXT_SUFFIX": "run",
        "STARPU_WORKERS_NOBIND": "1",
    }
    subprocess.run([program, variant], env=environment, check=True)
    command = [TASKLENS, "advise", f"{folder}/run_0.tlt", "--json"]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return [(one["rule"], one["line"] or 0) for one in json.loads(said)["findings"]]


def main():
    print(f"{'rule':<24} missed   invented, of {RUNS} runs each")
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(glob.glob(f"{PROGRAMS}/*.c") + glob.glob(f"{PROGRAMS}/*.cc")):
            program = os.path.splitext(source)[0]
            rule = os.path.basename(program)
            fault = (rule, marked_line(source))
            missed = sum(fault not in findings(program, "faulty", folder) for _ in range(RUNS))
            invented = [found for _ in range(RUNS) if (found := findings(program, "clean", folder))]
            example = ", ".join(name for name, _ in invented[0]) if invented else ""
            print(f"{rule:<24} {missed:6} {len(invented):10}   {example}", flush=True)


if __name__ == "__main__":
    main()
