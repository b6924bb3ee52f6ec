#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a build went: build_times.py [PROFILE]

PROFILE is what `bazel build --profile=FILE` or `bazel test --profile=FILE` wrote; without one, that of
the last command in this tree. Prints a table of the kinds of work (what was compiled in which folder,
linked, tested) with how often, and the seconds in which a program ran for it; then what took longest.
What came from a cache is counted apart, as nothing ran for it.

Seconds are those of a clock, summed over all that ran side by side: on a machine that has as many idle
processors as Bazel has jobs they are processor seconds, or nearly.
"""

import bisect
import collections
import gzip
import json
import re
import signal
import subprocess
import sys

# What Bazel's events say, and the row that it belongs to.
KINDS = [
    (re.compile(r"Compiling (?P<path>\S+?\.cc?)\b"), "compile {folder}"),
    (re.compile(r"Linking (?P<path>\S+)"), "link {folder}"),
    (re.compile(r"Testing (?P<path>\S+)"), "test {folder}"),
    (re.compile(r"Creating .*archive|Archiving|Creating runfiles|Symlink|Writing|Middleman"), "bookkeeping"),
    (re.compile(r"Executing genrule (?P<path>\S+)"), "generate {folder}"),
]


def folder_of(path):
    """`server/handlers/run.cc`, `//tests/server:run_test`: server, tests/server."""
    path = re.sub(r"^bazel-out/[^/]+/bin/", "", path).lstrip("/").replace(":", "/")
    parts = path.split("/")[:-1]
    return "/".join(parts[:2] if parts[:1] == ["tests"] else parts[:1]) or "(root)"


def row_of(name):
    for pattern, row in KINDS:
        found = pattern.search(name)
        if found:
            path = found.groupdict().get("path")
            return row.format(folder=folder_of(path)) if path else row
    return "other"


def read(path):
    with open(path, "rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
    with (gzip.open if is_packed else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)["traceEvents"]


def actions(events):
    """(name, seconds in which a program ran, whether it came from a cache) of each action."""
    by_thread = collections.defaultdict(lambda: ([], [], []))
    for event in events:
        if event.get("ph") != "X":
            continue
        of_action, of_run, of_cache = by_thread[event["tid"]]
        if event.get("cat") == "action processing":
            of_action.append(event)
        elif event["name"] == "subprocess.run" or event.get("cat") == "local action execution":
            of_run.append((event["ts"], event["dur"]))
        elif event.get("cat") == "remote output download":
            of_cache.append((event["ts"], event["dur"]))
    for of_action, of_run, of_cache in by_thread.values():
        of_run.sort()
        of_cache.sort()

        def within(spans, begin, end):
            first = bisect.bisect_left(spans, (begin,))
            return [dur for ts, dur in spans[first : bisect.bisect_left(spans, (end,))]]

        for action in of_action:
            begin, end = action["ts"], action["ts"] + action["dur"]
            ran = within(of_run, begin, end)
            yield action["name"], sum(ran) / 1e6, not ran and bool(within(of_cache, begin, end))


def print_table(path):
    rows = collections.defaultdict(lambda: [0, 0.0, 0])
    longest = []
    for name, seconds, is_cached in actions(read(path)):
        row = rows[row_of(name)]
        row[0] += 1
        row[1] += seconds
        row[2] += is_cached
        longest.append((seconds, name))
    total = sum(seconds for _, seconds, _ in rows.values())
    print(f"{'seconds':>8} {'share':>6} {'count':>6} {'cached':>6}  what")
    for name, (count, seconds, cached) in sorted(rows.items(), key=lambda row: -row[1][1]):
        if seconds >= 0.05 or cached:
            print(f"{seconds:8.1f} {seconds / max(total, 1e-9):6.1%} {count:6} {cached:6}  {name}")
    print(f"{total:8.1f} {'':6} {sum(row[0] for row in rows.values()):6} {'':6}  all")
    print("\nlongest:")
    for seconds, name in sorted(longest, reverse=True)[:20]:
        print(f"{seconds:8.1f}  {name}")


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` has read enough
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__.strip())
    try:
        if len(sys.argv) == 2:
            path = sys.argv[1]
        else:
            base = subprocess.run(["bazel", "info", "output_base"], capture_output=True, text=True, check=True)
            path = base.stdout.strip() + "/command.profile.gz"
        print_table(path)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"build_times.py: {error}; give it a file of `bazel build --profile=FILE`")


if __name__ == "__main__":
    main()
