#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The rooms of the runtime include each other as the table in ARCHITECTURE.md says, and no other way.

The rows of that table stand above what they use, so that its arrows go one way. An arrow that no
include needs is a failure, too.
"""

import re

from tree import Tree, complaints_of_rooms, run

PAGE = "ARCHITECTURE.md"
HEADING = "## The rooms of the runtime"
NOT_ROOMS = {"include"}  # what programs see: everybody's
INCLUDE = re.compile(r'^\s*#\s*include\s*"runtime/(\w+)/', re.MULTILINE)


def picture_of(page):
    """Rooms in the order of the page, each with those that it may use."""
    section = page.split(HEADING, 1)[-1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `runtime/(\w+)/` \|[^|]*\|([^|]*)\|$", section, re.MULTILINE)
    return {room: re.findall(r"`(\w+)`", uses) for room, uses in rows}


def complaints(tree: Tree):
    found = []
    picture = picture_of(tree.text(PAGE))
    arrows = {}
    for path in tree.files():
        place = re.match(r"runtime/(\w+)/.*\.(h|cc|inc)$", path)
        if not place or place.group(1) in NOT_ROOMS:
            continue
        room = place.group(1)
        if room not in picture:
            found.append(f"{path}: {PAGE} has no row for the room `{room}/`")
            continue
        text = tree.text(path)
        for include in INCLUDE.finditer(text):
            used, line = include.group(1), text.count("\n", 0, include.start(1)) + 1
            if used != room:
                arrows.setdefault((room, used), f"{path}:{line}")
    return found + list(complaints_of_rooms(PAGE, picture, arrows))


def with_page(rows, files):
    return {PAGE: f"{HEADING}\n\n" + "".join(f"| `runtime/{room}/` | x | {uses} |\n" for room, uses in rows), **files}


if __name__ == "__main__":
    UPPER_AND_LOWER = [("a", "`b`"), ("b", "")]
    run(
        complaints,
        [
            (
                with_page(UPPER_AND_LOWER, {"runtime/b/x.h": '#include "runtime/a/y.h"\n'}),
                "runtime/b/x.h:1: `b/` may not use `a`",
            ),
            (with_page([("b", ""), ("a", "`b`")], {}), "`a/` uses `b`, which has no row below"),
            (with_page(UPPER_AND_LOWER, {"runtime/c/x.cc": ""}), "no row for the room `c/`"),
            (with_page(UPPER_AND_LOWER, {"runtime/a/x.cc": ""}), "`a/` does not use `b`"),
        ],
    )
