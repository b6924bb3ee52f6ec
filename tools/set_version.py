#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Writes a version into VERSION and into the files that repeat it: set_version.py 0.9.1

The program `tasklens` takes its version from VERSION when it is built. The files of the table are read by
others as they are; tests/tree/version_test.py holds them equal.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VERSION = re.compile(r"\d+\.\d+\.\d+")
# Files that repeat the version, with what stands before it and after it.
COPIES = [
    ("docs/versions.md", "\n| product | ", " | "),
    ("ide-plugin/eclipse/feature/feature.xml", 'label="TaskLens" version="', '"'),
    ("ide-plugin/eclipse/plugin/META-INF/MANIFEST.MF", "\nBundle-Version: ", "\n"),
    ("ide-plugin/emacs/tasklens.el", "\n;; Version: ", "\n"),
    ("ide-plugin/emacs/tasklens.el", '(defconst tasklens-version "', '")'),
    ("ide-plugin/neovim/lua/tasklens/client.lua", "\nM.version = '", "'"),
    ("ide-plugin/vscode/package.json", '\n  "version": "', '",\n'),
]


def find_copy(text, before, after):
    """Where the version stands in the text: begin and end; None where it does not stand once."""
    found = list(re.finditer(re.escape(before) + f"({VERSION.pattern})" + re.escape(after), text))
    return found[0].span(1) if len(found) == 1 else None


def differing(version, read):
    """What is wrong with the copies, a line each; `read` answers the text of a path."""
    found = []
    for path, before, after in COPIES:
        text = read(path)
        span = find_copy(text, before, after)
        copy = text[slice(*span)] if span else None
        if copy != version:
            found.append(f"{path}: version {copy}, not {version}; run tools/set_version.py {version}")
    return found


def read_file(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def main():
    if len(sys.argv) != 2 or not VERSION.fullmatch(sys.argv[1]):
        sys.exit("usage: tools/set_version.py VERSION, such as 0.9.1")
    version = sys.argv[1]
    texts = {"VERSION": version + "\n"}
    for path, before, after in COPIES:
        text = texts.get(path) or read_file(path)
        span = find_copy(text, before, after)
        if span is None:
            sys.exit(f"{path}: no version after {before!r}; correct the table COPIES of tools/set_version.py")
        texts[path] = text[: span[0]] + version + text[span[1] :]
    for path, text in texts.items():
        with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
