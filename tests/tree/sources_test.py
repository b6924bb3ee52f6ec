#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Every source names its licence, is short enough to read, and knows no machine but its reader's."""

import re

from tree import DATA, Tree, run

SPDX = "SPDX-License-Identifier: Apache-2.0"
MAX_LINES = 800
TABLES = re.compile(r"\.inc$")
# A path of somebody's machine; relative to the tree nothing starts with a slash.
FOREIGN_PATH = re.compile(r"(?<![\w./~-])/(?:work|home|root)/|\.\./shared\b")


def complaints(tree: Tree):
    found = []
    for path in tree.sources():
        lines = (tree.text(path) or "").splitlines()
        if not any(SPDX in line for line in lines[:4]):
            found.append(f"{path}:1: no line `{SPDX}`")
        if len(lines) > MAX_LINES and not TABLES.search(path):
            found.append(f"{path}: {len(lines)} lines; split it ({MAX_LINES} at most)")
    for path in tree.files():
        if DATA.search(path) or path == "LICENSE":
            continue
        for number, line in enumerate((tree.text(path) or "").splitlines(), 1):
            if FOREIGN_PATH.search(line):
                found.append(f"{path}:{number}: a path of one machine: {line.strip()}")
    return found


if __name__ == "__main__":
    run(
        complaints,
        [
            ({"a.cc": "int a;\n"}, "a.cc:1: no line"),
            ({"a.lua": f"-- {SPDX}\n" + "\n" * MAX_LINES}, "a.lua: 801 lines"),
            ({"a.md": "see\n`/" + "home/me/x`\n"}, "a.md:2: a path"),
        ],
    )
