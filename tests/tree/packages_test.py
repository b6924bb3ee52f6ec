#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""packages.txt is well formed, gives reasons, and holds every package that WORKSPACE names."""

import re

from tree import Tree, run


def complaints(tree: Tree):
    found, listed = [], []
    for number, line in enumerate(tree.text("packages.txt").splitlines(), 1):
        if line.startswith("#"):
            continue
        match = re.fullmatch(r"(build|test) ([a-z0-9][a-z0-9+.-]+) +(\S.*)", line)
        if not match:
            found.append(f"packages.txt:{number}: not `build|test PACKAGE REASON`: {line}")
        elif match.group(2) in listed:
            found.append(f"packages.txt:{number}: {match.group(2)} is listed twice")
        else:
            listed.append(match.group(2))
    for package in re.findall(r'debian_package = "([^"]+)"', tree.text("WORKSPACE")):
        if package not in listed:
            found.append(f"packages.txt: {package}, which WORKSPACE names, is not listed")
    return found


if __name__ == "__main__":
    run(
        complaints,
        [
            ({"packages.txt": "build x-dev\n", "WORKSPACE": ""}, "packages.txt:1: not"),
            ({"packages.txt": "test xy a\ntest xy b\n", "WORKSPACE": ""}, "xy is listed twice"),
            ({"packages.txt": "", "WORKSPACE": 'debian_package = "xy"'}, "xy, which WORKSPACE"),
        ],
    )
