#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Runs most measurements of this folder and prints one table: `bazel run //bench`. README.md has the others,
which take long or need a choice.

A peer's figure stands in the same row only when the peer ran in the same run on this machine;
figures of other machines are named as published. Nothing here judges: read the ratios.
"""

import json
import re
import subprocess
import sys

RUNFILES = {  # program: arguments
    "recorder": ["bench/recorder_bench"],
    "fxt": ["bench/fxt_bench", "tests/data/starpu/cholesky_dmdas/prof_file_0"],
    "model": ["bench/model_bench"],
    "overhead": ["bench/task_overhead.sh", "bench/task_overhead", "bench/task_overhead.c"],
    "server": ["bench/server_start.py"],
    "open": ["bench/open_bench", "tests/data/starpu/cholesky_dmdas/prof_file_0"],
    "analysis": ["bench/analysis_bench"],
    "formats": ["bench/formats_bench", "tests/data/starpu/cholesky_dmdas/prof_file_0"],
    "convert": ["bench/convert.py"],
    "views": ["bench/server_views.py"],
    "editor": ["bench/editor_requests.py"],
}


def output_of(name):
    result = subprocess.run(RUNFILES[name], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(RUNFILES[name])}: exit status {result.returncode}\n{result.stderr}")
    return result.stdout


def google(name):
    """The benchmarks of a Google Benchmark program, by name."""
    RUNFILES[name].append("--benchmark_format=json")
    return {row["name"]: row for row in json.loads(output_of(name))["benchmarks"]}


def recorder_rows():
    for name, row in google("recorder").items():
        if "ns" in row:
            threads = row["threads"]
            what = re.sub(r"/.*", "", name)
            yield (
                f"record {what}, {threads} thread{'s' if threads > 1 else ''}",
                f"{row['ns']:.1f} ns, {row['bytes']:.0f} bytes" if "bytes" in row else f"{row['ns']:.1f} ns",
                "FxT 190 to 220 ns, 46 bytes (published)",
                "<= 15 ns, 16 to 32 bytes",
            )


def fxt_rows():
    for name, row in google("fxt").items():
        yield (
            f"read FxT, {name}",
            f"{row['MB/s']:.0f} MB/s, {row['Mevents/s']:.1f} M events/s",
            "starpu_fxt_tool 55 MB/s, 1.1 M events/s with its outputs (published)",
            ">= 10 x with all outputs",
        )


MEASURED = r"([\d.]+) ms wall, least +([\d.]+) median +([\d.]+) ms processor, least +([\d.]+) MB peak"
# How many times as fast as StarPU's tool, by megabytes: that of the first row which is not smaller.
TIMES_AS_FAST = [(3, 2), (10, 4), (20, 6), (40, 8), (1000, 10)]
START_TARGETS = {"--version": "<= 10 ms", "stats": "<= 20 ms"}


def size_rows(lines):
    """Of traces of several sizes, beside StarPU's tool where it ran; and of the program's start."""
    peer = ""
    for line in lines:
        if match := re.match(rf" *([\d.]+) MB (StarPU's|ours) +{MEASURED}(.*)", line):
            megabytes, who, least, median, processor, peak, faster = match.groups()
            figures = f"{least} ms ({median} median), {processor} ms CPU, {peak} MB peak"
            if who != "ours":
                peer = f"starpu_fxt_tool {figures}"
                continue
            target = next(times for most, times in TIMES_AS_FAST if float(megabytes) <= most)
            yield f"convert {megabytes} MB to all of starpu_fxt_tool's", ", ".join([figures] + [" ".join(faster.split())] * bool(faster)), peer, f">= {target} x"
            peer = ""
        elif match := re.match(rf"(tasklens (\S+).*?) +{MEASURED}", line):
            what, command, least, median, processor, peak = match.groups()
            yield f"start {what}", f"{least} ms ({median} median), {processor} ms CPU, {peak} MB peak", "", START_TARGETS.get(command, "")


def convert_rows():
    lines = output_of("convert").splitlines()
    yield from size_rows(lines)
    for line in lines:
        match = re.match(
            r"(.*?)\s+([\d.]+) MB/s\s+([\d.]+) M events/s +([\d.]+) M tasks/s"
            r".* ([\d.]+) s processor\s+(\d+) bytes/task",
            line,
        )
        if match:
            what, speed, events, tasks, processor, memory = match.groups()
            published, target = "", ">= 1 M tasks/s"
            if what.endswith("starpu"):
                published = "starpu_fxt_tool 55 MB/s, 1.1 M events/s, 1 KB/task (published)"
                target = ">= 550 MB/s, >= 11 M events/s, <= 256 B/task"
            elif what.endswith("tasks"):
                target = "disk speed"
            yield (
                f"convert {what}",
                f"{speed} MB/s, {events} M events/s, {tasks} M tasks/s, {processor} s CPU, {memory} B/task",
                published,
                target,
            )


def model_rows():
    for name, row in google("model").items():
        yield (
            f"build the model, {name}",
            f"{row['items_per_second'] / 1e6:.1f} M events/s, {row['model_B/task']:.0f} bytes a task",
            "",
            "",
        )


def overhead_rows():
    """Pairs our lines with StarPU's of the same workers and buffers."""
    figures, peer = {}, ""
    for line in output_of("overhead").splitlines():
        match = re.match(r"(TaskLens, traced|TaskLens|StarPU \S+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)", line)
        if match:
            who, workers, buffers, _, least_us = match.groups()
            if who.startswith("StarPU"):
                peer = who
            figures[who, int(workers), int(buffers)] = float(least_us)
    for (who, workers, buffers), us in figures.items():
        if who == peer:
            continue
        theirs = figures.get((peer, workers, buffers))
        yield (
            f"empty task{', traced' if 'traced' in who else ''}, {workers} CPU, {buffers} data",
            f"{us:.2f} µs",
            f"{peer} {theirs:.2f} µs: {theirs / us:.1f} x" if theirs else "StarPU is not installed",
            "tracing adds <= 0.3 µs" if "traced" in who else ("<= 0.5 µs" if workers == 1 else "<= 1 µs"),
        )


def server_rows():
    for line in output_of("server").splitlines():
        match = re.match(r"(.*?)\s+([\d.]+) ms median\s+([\d.]+) ms worst\s*(.*)", line)
        if match:
            what, median, worst, target = match.groups()
            yield what, f"{median} ms median, {worst} ms worst", "", target.replace("target ", "")


def analysis_rows():
    """At a million tasks; the programs measure ten, too, by an argument."""
    for line in (output_of("open") + output_of("analysis") + output_of("formats")).splitlines():
        memory = re.match(r"(\S.*?) +memory ([\d.]+) bytes a task.*?(?:, ([\d.]+) bytes an edge.*?)?,", line)
        if memory:
            shape, task, edge = memory.groups()
            ours = f"{task} B/task" + (f", {edge} B/edge" if edge else "")
            yield f"{shape}: memory", ours, "", "<= 64 B/task, <= 8 B/edge"
        match = re.match(r"(.{12}) (.{34}) +([\d.]+) ms +([\d.]+) ms cpu(?: +target +(\d+) ms)?", line)
        if match:
            shape, what, wall, cpu, target = match.groups()
            yield (
                f"{shape.strip()}: {what.strip()}",
                f"{wall} ms, {cpu} ms of processor",
                "",
                f"<= {target} ms" if target else "",
            )


def view_rows():
    """Through the server, at a million tasks: as a client, or an editor, waits for them."""
    for line in (output_of("views") + output_of("editor")).splitlines():
        match = re.match(
            r"(.*?) +\| +([\d.]+) +([\d.]+) +([\d.]+) ms wall \| +[\d.]+ +([\d.]+).* \| (.*)", line
        )
        if match:
            what, first, median, p99, processor, target = match.groups()
            yield (
                f"request: {what}",
                f"{first} ms first, {median} ms median, {p99} ms p99, {processor} ms of processor",
                "",
                target,
            )


def main():
    print(f"{'work':<44} {'TaskLens':<32} {'peer':<44} target")
    tables = (recorder_rows, overhead_rows, fxt_rows, convert_rows, model_rows, server_rows)
    for rows in (*tables, analysis_rows, view_rows):
        for what, ours, peer, target in rows():
            print(f"{what:<44} {ours:<32} {peer:<44} {target}", flush=True)


if __name__ == "__main__":
    main()
