#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns `bazel aquery --output=jsonproto` on standard input into a compile_commands.json.

    tools/compile_commands.py TREE EXECUTION_ROOT FILE

TREE is that of the sources, EXECUTION_ROOT Bazel's; FILE is written.
"""

import json
import os
import sys


def absolute(argument, execution_root):
    """Paths below bazel-out and external exist in the execution root only."""
    for start in ("bazel-out/", "external/"):
        if argument.startswith(start):
            return os.path.join(execution_root, argument)
    return argument


def entry(arguments, tree, execution_root):
    """One compilation as clangd wants it: what it writes is left out."""
    kept, source = [], None
    words = iter(arguments)
    for word in words:
        if word in ("-o", "-MF"):
            next(words)
        elif word == "-c":
            source = next(words)
        elif word != "-MD" and word != "-fno-canonical-system-headers":  # gcc only
            kept.append(absolute(word, execution_root))
    return {
        "directory": tree,
        "file": absolute(source, execution_root),
        "arguments": kept + ["-c", absolute(source, execution_root)],
    }


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    tree, execution_root, output = sys.argv[1:]
    actions = json.load(sys.stdin).get("actions", [])
    entries = [entry(action["arguments"], tree, execution_root) for action in actions]
    with open(output + ".new", "w", encoding="utf-8") as file:
        json.dump(sorted(entries, key=lambda e: e["file"]), file, indent=1)
        file.write("\n")
    os.replace(output + ".new", output)
    print(f"{output}: {len(entries)} sources", file=sys.stderr)


if __name__ == "__main__":
    main()
