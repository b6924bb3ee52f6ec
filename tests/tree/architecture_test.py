#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""ARCHITECTURE.md names each top folder; what it names exists; links between pages lead somewhere."""

import os
import re

from tree import DATA, Tree, run

PAGE = "ARCHITECTURE.md"


def names_of(line, folder):
    """Paths in backquotes, and where each may lie: from the root, or in the folder of its row."""
    for name in re.findall(r"`([\w.-]+(?:/[\w.-]*)*)`", line):
        if name.endswith("/") or re.search(r"\.(h|cc|inc|md|bzl|py|lua)$", name):
            yield name, [name, folder + name]
        elif "/" in name:  # a test, named without its ending
            yield name, [name + ending for ending in ("", ".py", ".sh", ".cc")]


def complaints(tree: Tree):
    found = []
    page = tree.text(PAGE)
    for folder in tree.top_folders():
        if f"`{folder}/`" not in page:
            found.append(f"{PAGE}: does not name the folder `{folder}/`")
    for number, line in enumerate(page.splitlines(), 1):
        row = re.match(r"\| `([\w./-]+/)`", line)
        for name, places in names_of(line, row.group(1) if row else ""):
            if not any(tree.exists(place) for place in places):
                found.append(f"{PAGE}:{number}: `{name}` does not exist")
    for path in tree.files():
        if not path.endswith(".md") or DATA.search(path):
            continue
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", line):
                if ":" in target:
                    continue
                if not tree.exists(os.path.join(os.path.dirname(path), target)):
                    found.append(f"{path}:{number}: the link to {target} leads nowhere")
    return found


if __name__ == "__main__":
    run(
        complaints,
        [
            ({PAGE: "", "new/a.cc": ""}, "does not name the folder `new/`"),
            ({PAGE: "| `gone/` | x |"}, ":1: `gone/` does not exist"),
            ({PAGE: "| `a/` | `b.h` |", "a/c.h": ""}, ":1: `b.h` does not exist"),
            ({PAGE: "`a/`", "a/p.md": "[x](q.md)"}, "a/p.md:1: the link to q.md leads nowhere"),
        ],
    )
