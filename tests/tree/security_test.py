#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Each sentence of server/security.md names its tests, and they exist."""

import re

from tree import Tree, run

PAGE = "server/security.md"


def complaints(tree: Tree):
    found = []
    sentences = re.split(r"\n- ", tree.text(PAGE))[1:]
    if not sentences:
        found.append(f"{PAGE}: has no sentences")
    for sentence in sentences:
        sentence = re.split(r"\n\n|\n#", " ".join(sentence.split(" ")))[0]
        tests = re.findall(r"`(tests/[^`:]+)(?:: ([^`]+))?`", sentence)
        if not tests:
            found.append(f"{PAGE}: names no test: {sentence[:60]}")
        for path, name in tests:
            if not tree.exists(path):
                found.append(f"{PAGE}: {path} does not exist")
            elif name not in tree.text(path):
                found.append(f"{PAGE}: {path} has no test '{name}'")
    return found


if __name__ == "__main__":
    run(
        complaints,
        [
            ({PAGE: "x\n- Nothing is read."}, "names no test: Nothing is read."),
            ({PAGE: "x\n- No. `tests/a.py: b`"}, "tests/a.py does not exist"),
            ({PAGE: "x\n- No. `tests/a.py: b`", "tests/a.py": "c"}, "tests/a.py has no test 'b'"),
        ],
    )
