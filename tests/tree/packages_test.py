#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""packages.txt is well formed, gives reasons, and holds every package that WORKSPACE names."""

import re

from tree import Tree, run

KINDS = ["build", "eclipse", "vscode", "package", "test"]


def complaints(tree: Tree):
    found, listed = [], []
    for number, line in enumerate(tree.text("packages.txt").splitlines(), 1):
        if line.startswith("#"):
            continue
        match = re.fullmatch(rf"({'|'.join(KINDS)}) ([a-z0-9][a-z0-9+.-]+) +(\S.*)", line)
        if not match:
            found.append(f"packages.txt:{number}: not `{'|'.join(KINDS)} PACKAGE REASON`: {line}")
            continue
        kind, package = match.group(1), match.group(2)
        # What is needed for the product is there for everything else.
        if (kind, package) in listed or ("build", package) in listed:
            found.append(f"packages.txt:{number}: {package} is listed twice")
        listed.append((kind, package))
    for package in re.findall(r'debian_package = "([^"]+)"', tree.text("WORKSPACE")):
        if ("build", package) not in listed and ("test", package) not in listed:
            found.append(f"packages.txt: {package}, which WORKSPACE names, is not listed")
    return found


if __name__ == "__main__":
    run(
        complaints,
        [
            ({"packages.txt": "build x-dev\n", "WORKSPACE": ""}, "packages.txt:1: not"),
            ({"packages.txt": "test xy a\ntest xy b\n", "WORKSPACE": ""}, "xy is listed twice"),
            ({"packages.txt": "build xy a\nvscode xy b\n", "WORKSPACE": ""}, "xy is listed twice"),
            ({"packages.txt": "", "WORKSPACE": 'debian_package = "xy"'}, "xy, which WORKSPACE"),
        ],
    )
