#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The rooms of the runtime and of the server include each other as the tables in ARCHITECTURE.md say, and no other way.

The rows of a table stand above what they use, so that its arrows go one way. An arrow that no
include needs is a failure, too. Files that lie in no room of a house are a room of the house's name.
"""

import re

from tree import Tree, complaints_of_rooms, run

PAGE = "ARCHITECTURE.md"
# Folder and heading, each with the folders in it that are no rooms.
HOUSES = {
    # What programs see is everybody's; beside it lie a program and its rules.
    "runtime": ("## The rooms of the runtime", {"include", None}),
    "server": ("## The rooms of the server", set()),
}


def picture_of(page, house, heading):
    """Rooms in the order of the page, each with those that it may use."""
    section = page.split(heading, 1)[-1].split("\n## ", 1)[0] if heading in page else ""
    rows = re.findall(rf"^\| `{house}/(?:(\w+)/)?` \|[^|]*\|([^|]*)\|$", section, re.MULTILINE)
    return {room or house: re.findall(r"`(\w+)`", uses) for room, uses in rows}


def complaints_of_house(tree: Tree, house):
    heading, not_rooms = HOUSES[house]
    picture = picture_of(tree.text(PAGE) or "", house, heading)
    include = re.compile(rf'^\s*#\s*include\s*"{house}/(?:(\w+)/)?[\w./]+"', re.MULTILINE)
    arrows = {}
    for path in tree.files():
        place = re.match(rf"{house}/(?:(\w+)/)?.*\.(h|cc|inc)$", path)
        if not place or place.group(1) in not_rooms:
            continue
        room = place.group(1) or house
        if room not in picture:
            yield f"{path}: {PAGE} has no row for the room `{room}/`"
            continue
        text = tree.text(path)
        for found in include.finditer(text):
            used, line = found.group(1) or house, text.count("\n", 0, found.end()) + 1
            if used != room and used not in not_rooms:
                arrows.setdefault((room, used), f"{path}:{line}")
    yield from complaints_of_rooms(PAGE, picture, arrows)


def complaints(tree: Tree):
    return [complaint for house in HOUSES for complaint in complaints_of_house(tree, house)]


def with_page(house, rows, files):
    heading, _ = HOUSES[house]
    return {PAGE: f"{heading}\n\n" + "".join(f"| `{house}/{room}` | x | {uses} |\n" for room, uses in rows), **files}


if __name__ == "__main__":
    UPPER_AND_LOWER = [("a/", "`b`"), ("b/", "")]
    run(
        complaints,
        [
            (
                with_page(house, UPPER_AND_LOWER, {f"{house}/b/x.h": f'#include "{house}/a/y.h"\n'}),
                f"{house}/b/x.h:1: `b/` may not use `a`",
            )
            for house in HOUSES
        ]
        + [
            (
                with_page("server", [*UPPER_AND_LOWER, ("", "")], {"server/b/x.h": '\n#include "server/y.h"\n'}),
                "server/b/x.h:2: `b/` may not use `server`",
            ),
            (with_page("runtime", [("b/", ""), ("a/", "`b`")], {}), "`a/` uses `b`, which has no row below"),
            (with_page("runtime", UPPER_AND_LOWER, {"runtime/c/x.cc": ""}), "no row for the room `c/`"),
            (with_page("runtime", UPPER_AND_LOWER, {"runtime/a/x.cc": ""}), "`a/` does not use `b`"),
        ],
    )
