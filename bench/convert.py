#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast traces are converted, and in how much memory: the best of several runs of
`tasklens convert` on two large traces, made of small ones of StarPU.

    bazel run //bench:convert [-- FOLDER]

Traces and outputs lie in FOLDER, else in a temporary one. On a busy machine compare the processor
time: wall time is what is left to this program.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

TASKLENS = os.path.abspath("server/tools/tasklens")
LARGE_TRACE = os.path.abspath("bench/large_trace")
TRACES = [("cholesky_dmdas", 400), ("stencil_2k", 50)]  # name, how often it is repeated
FORMATS = ["starpu", "tasks", "paraver", "perfetto"]
ROUNDS = 5


def run(trace, formats, out):
    """Seconds of wall and processor time, and the most bytes in memory. Outputs are new: to replace
    large files costs time of its own."""
    shutil.rmtree(out, ignore_errors=True)
    begin = time.perf_counter()
    process = subprocess.Popen([TASKLENS, "convert", trace, "-o", out, "--to", formats])
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"tasklens convert {trace} --to {formats}: exit status {status}")
    return wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def count(path, begin):
    with open(path, "rb") as lines:
        return sum(line.startswith(begin) for line in lines)


def events_of(trace, out):
    run(trace, "number-events", out)
    with open(os.path.join(out, "number_events.data")) as lines:
        return sum(int(line.split()[1]) for line in lines if not line.startswith("#"))


def tasks_of(trace, out):
    run(trace, "tasks", out)
    return count(os.path.join(out, "tasks.rec"), b"JobId:")


def measure(name, times, folder):
    small = os.path.abspath(f"tests/data/starpu/{name}/prof_file_0")
    trace = os.path.join(folder, f"{name}_{times}")
    out = os.path.join(folder, "out")
    subprocess.run([LARGE_TRACE, small, str(times), trace], check=True)
    megabytes = os.path.getsize(trace) / 1e6
    events = events_of(trace, out)
    tasks = tasks_of(trace, out)
    for formats in FORMATS:
        runs = [run(trace, formats, out) for _ in range(ROUNDS)]
        wall_s, cpu_s, peak = (min(values) for values in zip(*runs))
        print(
            f"{name} x {times} to {formats:<8} {megabytes / wall_s:6.0f} MB/s {events / wall_s / 1e6:6.1f} M events/s"
            f" {tasks / wall_s / 1e6:5.2f} M tasks/s {wall_s:6.2f} s wall {cpu_s:6.2f} s processor {peak / tasks:6.0f} bytes/task {peak / 1e6:6.0f} MB peak",
            flush=True,
        )
    os.unlink(trace)


def main():
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        for name, times in TRACES:
            measure(name, times, folder)


if __name__ == "__main__":
    main()
