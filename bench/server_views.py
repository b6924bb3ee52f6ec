#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a client waits for each view of a large trace, through the real server: from the request
to its parsed answer. Prints the first answer's, the median and the p99 of wall time and of the
server's processor time, beside the target.

    bazel run //bench:server_views [-- TRACE...]
"""

import glob
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server_start import Server  # noqa: E402

LARGE_TRACE = os.path.abspath("bench/large_trace")
CHOLESKY = os.path.abspath("tests/data/starpu/cholesky_lws/prof_file_0")
SOURCES = os.path.abspath("tests/data/starpu/src")
TASKS = 1_000_000
VIEWS = 200


def start():
    server = Server()
    options = {"sourceRoots": [SOURCES]}
    server.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {},
                                  "initializationOptions": options})  # fmt: skip
    return server


def processor_ms(server):
    """Of all its threads that still live."""
    total_ns = 0
    for path in glob.glob(f"/proc/{server.process.pid}/task/*/schedstat"):
        try:
            with open(path, encoding="ascii") as file:
                total_ns += int(file.read().split()[0])
        except (FileNotFoundError, ProcessLookupError):
            pass  # it ended meanwhile
    return total_ns / 1e6


def resident_mib(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def measure(server, what, target, method, all_params):
    """Asks once for each of `all_params`; the answers."""
    times_ms, busy_ms, answers = [], [], []
    for params in all_params:
        before_ms, begin = processor_ms(server), time.perf_counter()
        answers.append(server.request(method, params))
        times_ms.append((time.perf_counter() - begin) * 1000)
        busy_ms.append(processor_ms(server) - before_ms)
    line = f"{what:<28}"
    for name, values in (("wall", times_ms), ("processor", busy_ms)):
        ordered = sorted(values)
        p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
        median = statistics.median(ordered)
        line += f" | {values[0]:8.1f} {median:8.1f} {p99:8.1f} ms {name}"
    print(f"{line} | {target}", flush=True)
    return answers


def windows(end_ns):
    """Views of all sizes, as somebody who looks around asks for."""
    for _ in range(VIEWS):
        length = int(end_ns / 10 ** random.uniform(0, 5)) + 1
        begin = random.randrange(max(1, end_ns - length))
        yield {"fromNs": begin, "toNs": begin + length, "pixels": 1600, "texts": False}


def large_trace(folder):
    server = start()
    tasks = server.request("tasklens/openTrace", {"uris": [CHOLESKY]})["tasks"]
    server.end()
    path = os.path.join(folder, "large")
    subprocess.run([LARGE_TRACE, CHOLESKY, str(TASKS // tasks + 1), path], check=True)
    return [path]


def groups(server):
    """Groups of some thousand tasks, each opened by itself and closed again."""
    graph = server.request("tasklens/graph", {"group": ["levels", "codelet"]})
    ids = [
        i
        for i, tasks in zip(graph["texts"]["ids"], graph["nodes"]["tasks"])
        if tasks > 1
    ]
    for _ in range(50):
        yield {"group": ["levels", "codelet"], "open": [random.choice(ids)]}


def main():
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        traces = [os.path.abspath(path) for path in sys.argv[1:]] or large_trace(folder)
        server = start()
        (trace,) = measure(server, "open", "", "tasklens/openTrace", [{"uris": traces}])
        print(f"{trace['tasks']} tasks, {trace['dependencies']} dependencies")
        opened_mib = resident_mib(server)
        (view,) = measure(server, "first timeline", "", "tasklens/timeline", [{}])
        measure(server, "timeline", "p99 <= 16 ms", "tasklens/timeline", windows(view["endNs"]))
        packed = ({**params, "packed": True} for params in windows(view["endNs"]))
        measure(server, "timeline, packed", "p99 <= 16 ms", "tasklens/timeline", packed)
        (graph,) = measure(server, "first graph", "<= 1000 ms", "tasklens/graph", [{}])
        measure(server, "graph again", "p99 <= 16 ms", "tasklens/graph", [{}] * VIEWS)
        colours = ("duration", "waiting", "slack", "worker")
        measure(server, "graph, another colour", "", "tasklens/graph",
                [{"colour": by} for by in colours])  # fmt: skip
        measure(server, "group opened", "<= 50 ms", "tasklens/graph", groups(server))
        tasks = [{"task": random.randrange(trace["tasks"])} for _ in range(VIEWS)]
        measure(server, "task", "", "tasklens/task", tasks)
        around = [dict(task, depth=3) for task in tasks]
        measure(server, "around a task", "", "tasklens/graph", around)
        why = [dict(task, limit=1) for task in tasks]
        measure(server, "last dependency", "<= 5 ms", "tasklens/why", why)
        costs = server.request("tasklens/stats", {})["costs"]
        sites = [{"site": cost["site"]} for cost in costs if cost["site"] is not None]
        measure(server, "tasks of a line, as a graph", "", "tasklens/graph", sites)
        lines = [
            {"uri": cost["location"]["uri"], "line": cost["line"] - 1, "limit": 100}
            for cost in costs
            if "location" in cost
        ]
        if lines:
            measure(server, "line to tasks", "<= 20 ms", "tasklens/tasksAt", lines * 20)
        measure(server, "critical path", "<= 300 ms", "tasklens/criticalPath", [{"limit": 100}])
        by = ("codelet", "site", "worker", "kind", "state")
        measure(server, "statistics", "", "tasklens/stats", [{"by": name} for name in by])
        measure(server, "advice", "", "tasklens/advice", [{}])
        measure(server, "bound", "", "tasklens/bound", [{}])
        print(f"resident: {opened_mib:.0f} MiB after opening, {resident_mib(server):.0f} MiB now")
        server.end()


if __name__ == "__main__":
    main()
