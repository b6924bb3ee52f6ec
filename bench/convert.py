#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast traces are converted, and in how much memory.

    bazel run //bench:convert [-- FOLDER]

First a table of six sizes of trace, from 1.2 to 231 MB, to all that StarPU's starpu_fxt_tool writes, beside that tool
where there is one: TASKLENS_STARPU_FXT_TOOL names it, else it is found in PATH. Both run in turns. Then what
`tasklens` itself takes to start, and two large traces to several formats, as `tasklens convert` writes them.

Traces and outputs lie in FOLDER, else in a temporary one. On a busy machine compare the processor time: wall time is
what is left to this program.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile

TASKLENS = os.path.abspath("server/command_line/tasklens")
LARGE_TRACE = os.path.abspath("bench/large_trace")
RUN_MEASURED = os.path.abspath("bench/run_measured")
SIZES = [("cholesky_dmdas", times) for times in (2, 10, 25, 50, 100, 400)]  # name, how often it is repeated
TRACES = [("cholesky_dmdas", 400), ("stencil_2k", 50)]
FORMATS = ["starpu", "tasks", "paraver", "perfetto"]
ROUNDS = 5
ROUNDS_OF_SIZES = 9


def measured(folder, *command):
    """Seconds of wall and processor time, and the most bytes in memory."""
    said = subprocess.run([RUN_MEASURED, folder, *command], check=True, stdout=subprocess.PIPE, text=True).stdout
    status, wall_ms, cpu_ms, peak_kib = said.split()
    if status != "0":
        sys.exit(f"{' '.join(command)}: exit status {status}")
    return float(wall_ms) / 1e3, float(cpu_ms) / 1e3, int(peak_kib) * 1024


def run(trace, formats, out):
    """Outputs are new: to replace large files costs time of its own."""
    shutil.rmtree(out, ignore_errors=True)
    return measured(".", TASKLENS, "convert", trace, "-o", out, "--to", formats)


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


def large_trace(name, times, folder):
    trace = os.path.join(folder, f"{name}_{times}")
    small = os.path.abspath(f"tests/data/starpu/{name}/prof_file_0")
    subprocess.run([LARGE_TRACE, small, str(times), trace], check=True)
    return trace


def starpus_tool():
    """StarPU's own starpu_fxt_tool; None where there is none."""
    named = os.environ.get("TASKLENS_STARPU_FXT_TOOL")
    tool = named or shutil.which("starpu_fxt_tool")
    if tool is None:
        return None
    said = subprocess.run([tool, "--version"], capture_output=True, text=True)
    if "TaskLens" not in said.stdout:
        return os.path.abspath(tool)
    if named:
        sys.exit(f"TASKLENS_STARPU_FXT_TOOL: {named} is TaskLens', not StarPU's")
    return None


def row_of(tool, megabytes, runs):
    """The row, and the least wall and processor time."""
    wall_s, cpu_s, peak = zip(*runs)
    text = (
        f"{megabytes:6.1f} MB {tool:<8} {min(wall_s) * 1e3:8.1f} ms wall, least {statistics.median(wall_s) * 1e3:8.1f} median"
        f" {min(cpu_s) * 1e3:8.1f} ms processor, least {max(peak) / 1e6:6.1f} MB peak"
    )
    return text, min(wall_s), min(cpu_s)


def measure_size(name, times, folder, tools):
    trace = large_trace(name, times, folder)
    megabytes = os.path.getsize(trace) / 1e6
    out = os.path.join(folder, "out")
    runs = {tool: [] for tool in tools}
    for _ in range(ROUNDS_OF_SIZES):
        for tool, program in tools.items():
            shutil.rmtree(out, ignore_errors=True)
            os.mkdir(out)
            runs[tool].append(measured(out, program, "-i", trace))
    before = None
    for tool in tools:
        text, wall_s, cpu_s = row_of(tool, megabytes, runs[tool])
        if before:
            text += f"  {before[0] / wall_s:4.1f} times as fast, {before[1] / cpu_s:4.1f} by processor time"
        before = wall_s, cpu_s
        print(text, flush=True)
    os.unlink(trace)


def measure_sizes(folder):
    ours = os.path.join(folder, "starpu_fxt_tool")
    os.symlink(TASKLENS, ours)
    theirs = starpus_tool()
    tools = ({"StarPU's": theirs} if theirs else {}) | {"ours": ours}
    print("to all that starpu_fxt_tool writes" + ("" if theirs else "; no StarPU's tool is found"))
    for name, times in SIZES:
        measure_size(name, times, folder, tools)
    os.unlink(ours)


def measure_start(folder):
    small = large_trace(*SIZES[0], folder)
    for words in (["--version"], ["stats", small]):
        wall_s, cpu_s, peak = zip(*(measured(folder, TASKLENS, *words) for _ in range(2 * ROUNDS)))
        shown = " ".join(os.path.basename(word) for word in ["tasklens", *words])
        print(
            f"{shown:<30} {min(wall_s) * 1e3:6.1f} ms wall, least {statistics.median(wall_s) * 1e3:6.1f} median"
            f" {min(cpu_s) * 1e3:6.1f} ms processor, least {max(peak) / 1e6:6.1f} MB peak",
            flush=True,
        )
    os.unlink(small)


def measure(name, times, folder):
    trace = large_trace(name, times, folder)
    out = os.path.join(folder, "out")
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
        measure_sizes(folder)
        measure_start(folder)
        for name, times in TRACES:
            measure(name, times, folder)


if __name__ == "__main__":
    main()
