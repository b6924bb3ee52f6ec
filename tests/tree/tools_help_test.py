#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The scripts of tools/ say what they do when they are asked, also those that others call; and no word that is
none of theirs ends in a traceback."""

import os
import subprocess
import sys

from tree import Tree, run


def complaints(tree: Tree):
    found = []
    for path in tree.files():
        if not (path.startswith("tools/") and path.count("/") == 1 and path.endswith(".py")):
            continue
        called = [sys.executable, "-B", os.path.join(tree.root, path), "--help"]
        done = subprocess.run(called, capture_output=True, text=True, check=False, cwd=tree.root)
        said = done.stdout + done.stderr
        name = os.path.basename(path).removesuffix(".py")  # `./tasklens release` is how one of them is called
        if "Traceback" in said or name not in said:
            found.append(f"{path} --help does not say how it is called")
    return found


if __name__ == "__main__":
    run(
        complaints,
        [
            ({"tools/ask.py": "import sys\nsys.exit(sys.argv[2])\n"}, "tools/ask.py --help does not say"),
            ({"tools/ask.py": "print('something else')\n"}, "tools/ask.py --help does not say"),
        ],
    )
