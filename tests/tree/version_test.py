#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Numbers that stand in several files are the same in each: the version of the product, that of the protocol,
and that of StarPU's interface."""

import os
import re
import sys

from tree import Tree, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../tools"))
from set_version import VERSION, differing  # noqa: E402

# The number of the protocol: of the server, then of its clients and pages.
PROTOCOL = [
    ("server/protocol/version.h", r"int kProtocolVersion = (\d+);"),
    ("docs/versions.md", r"\| protocol \| (\d+) \|"),
    ("ide-plugin/eclipse/plugin/src/org/tasklens/eclipse/model/ServerClient.java", r"int PROTOCOL = (\d+);"),
    ("ide-plugin/emacs/tasklens.el", r"defconst tasklens-protocol (\d+) "),
    ("ide-plugin/neovim/lua/tasklens/client.lua", r"\nM\.protocol = (\d+) "),
    ("ide-plugin/protocol.json", r'"version": (\d+),'),
    ("ide-plugin/protocol.md", r"The number of this protocol is (\d+)\."),
    ("ide-plugin/vscode/src/server.ts", r"const PROTOCOL = (\d+);"),
    ("ide-plugin/webview/host.js", r"const PROTOCOL = (\d+);"),
]
STARPU_PARTS = ("MAJOR", "MINOR", "RELEASE")


def number_of(tree, path, pattern):
    found = re.findall(pattern, tree.text(path) if tree.exists(path) else "")
    return found[0] if len(found) == 1 else None


def complaints(tree: Tree):
    found = []
    version = tree.text("VERSION").rstrip("\n")
    if not VERSION.fullmatch(version):
        return [f"VERSION: {version!r} is no version such as 0.9.1"]
    found += differing(version, lambda path: tree.text(path) if tree.exists(path) else "")
    protocol = number_of(tree, *PROTOCOL[0])
    for path, pattern in PROTOCOL:
        number = number_of(tree, path, pattern)
        if number is None or number != protocol:
            found.append(f"{path}: protocol {number}, and {PROTOCOL[0][0]} says {protocol}")
    header = "runtime/include/starpu_config.h"
    parts = [number_of(tree, header, rf"STARPU_{part}_VERSION (\d+)") for part in STARPU_PARTS]
    starpu = number_of(tree, "packaging/install.py", r'STARPU_VERSION = "([\d.]+)"')
    if None in parts or ".".join(parts) != starpu:
        found.append(f"packaging/install.py: StarPU {starpu}, and {header} says {parts}")
    return found


if __name__ == "__main__":
    run(
        complaints,
        [
            ({"VERSION": "1\n"}, "VERSION: '1' is no version"),
            (
                {"VERSION": "1.2.4\n", "ide-plugin/vscode/package.json": '{\n  "version": "1.2.3",\n}\n'},
                "package.json: version 1.2.3, not 1.2.4",
            ),
            ({"VERSION": "1.2.3\n"}, "MANIFEST.MF: version None"),
            (
                {
                    "VERSION": "1.2.3\n",
                    "server/protocol/version.h": "int kProtocolVersion = 2;",
                    "ide-plugin/vscode/src/server.ts": "const PROTOCOL = 1;",
                },
                "server.ts: protocol 1, and server/protocol/version.h says 2",
            ),
            (
                {"VERSION": "1.2.3\n", "packaging/install.py": 'STARPU_VERSION = "1.4.1"'},
                "packaging/install.py: StarPU 1.4.1",
            ),
        ],
    )
