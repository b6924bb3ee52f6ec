#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""C and C++ sources look as clang-format leaves them. Repair: clang-format -i FILE."""

import os
import re
import shutil
import subprocess
import sys

from tree import Tree, run

VERSION = "14"  # Debian 12's. Others differ in details.


def complaints(tree: Tree):
    paths = [p for p in tree.sources() if re.search(r"\.(c|cc|h)$", p)]
    if not paths:
        return []
    style = os.path.join(os.path.dirname(os.path.realpath("packages.txt")), ".clang-format")
    result = subprocess.run(
        ["clang-format", f"--style=file:{style}", "--dry-run", "--Werror", *paths],
        cwd=tree.root,
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.findall(r"^(\S.*?:\d+):\d+: error: code should", result.stderr, re.MULTILINE)
    if result.returncode and not found:
        return [result.stderr]
    return [f"{place}: not formatted" for place in found]


if __name__ == "__main__":
    if not shutil.which("clang-format"):
        sys.exit("clang-format is missing; ./tasklens test installs it")
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=True)
    if f"version {VERSION}." not in version.stdout:
        print(f"SKIPPED: this needs clang-format {VERSION}, not {version.stdout.strip()}")
        sys.exit(0)
    run(complaints, [({"a.cc": "int   f( );\n"}, "a.cc:1: not formatted")])
