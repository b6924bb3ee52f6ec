#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""runtime/locks.md names every mutex of the runtime, at its file, and none that is not there."""

import re

from tree import Tree, run

PAGE = "runtime/locks.md"
MUTEX = re.compile(r"^(?![ \t]*//).*\b(?:Mutex|ReentrantMutex|std::mutex) (\w+);", re.MULTILINE)
NAMED = re.compile(r"`([\w/]+\.(?:h|cc))`")
# Named for other reasons.
NOT_OF_A_ROW = {"support/sync.h", "support/thread_annotations.h", "trace/format/writer.h", "tests/runtime/hostile_callbacks_test.cc"}


def files_of(line):
    """The files that a line of the page names; a name without a folder is in that of the name before."""
    folder = ""
    for name in NAMED.findall(line):
        folder = name.rpartition("/")[0] or folder
        yield f"{folder}/{name.rpartition('/')[2]}"


def complaints(tree: Tree):
    found, lines_of = [], {}
    for line in tree.text(PAGE).splitlines() if tree.exists(PAGE) else []:
        for name in files_of(line):
            lines_of.setdefault(name, []).append(line)
    there = set()
    for path in tree.files():
        if not re.match(r"runtime/.*\.(h|cc)$", path) or path == "runtime/support/sync.h":
            continue
        name = path.removeprefix("runtime/")
        for mutex in MUTEX.findall(tree.text(path)):
            there.add(name)
            # A mutex within a function is named by the function that gives it.
            is_named = re.compile(rf"`(?:[\w:]+(?:::|\.))?{mutex}`|`\w+Lock\(\)`")
            if not any(is_named.search(line) for line in lines_of.get(name, [])):
                found.append(f"{PAGE}: no row for {mutex} of {path}")
    for name in sorted(set(lines_of) - there - NOT_OF_A_ROW):
        found.append(f"{PAGE}: {name} has no mutex")
    return found


if __name__ == "__main__":
    run(
        complaints,
        [
            ({"runtime/a/b.h": "  Mutex lock_;  // guards it\n", PAGE: "\n"}, "no row for lock_ of runtime/a/b.h"),
            ({"runtime/a/b.h": "  Mutex lock_;\n  Mutex other_;\n", PAGE: "| `a/b.h` `lock_` |\n"}, "no row for other_"),
            ({"runtime/a/b.h": "\n", PAGE: "| `a/b.h` `lock_` |\n"}, "a/b.h has no mutex"),
            ({"runtime/a/c.cc": "static std::mutex lock;\n", PAGE: "| `a/b.h` `x`, `d.cc` `lock` |\n"}, "no row for lock of runtime/a/c.cc"),
        ],
    )
