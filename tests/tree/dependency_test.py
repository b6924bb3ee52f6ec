#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Who may use whom: every #include and every label in a BUILD file keeps to ARCHITECTURE.md.

Bazel's visibility refuses most breaches by itself; this also finds an include that happens to work
because the file lies there, and says in one place what the rule is.
"""

import re

from tree import Tree, run

# Top folder: our folders that it may use, besides itself; libraries (repositories of WORKSPACE).
RULE = {
    "trace": ([], []),
    "perfmodel": (["trace"], []),
    "runtime": (["perfmodel", "trace"], ["cbc", "hwloc", "mpi"]),
    "drawing": (["trace"], ["fmt", "graphviz"]),
    "converters": (["drawing", "trace"], ["fmt", "otf2", "xxhash", "zlib"]),
    "analysis": (["trace"], ["clp"]),
    "server": (
        # (of ide-plugin only the web app's text, which it serves, and protocol.json, of which tools make structs)
        ["analysis", "converters", "drawing", "ide-plugin", "perfmodel", "tools", "trace"],
        ["cli11", "fmt", "json", "qt6_core", "qt6_network", "zlib"],
    ),
    "examples": (["runtime"], []),
}
# Folders without a rule (tests, bench) may use all; no rule names them, so nobody may use them.
EVERYBODY = ["third_party", "visibility"]

# How an #include gives a library away.
HEADERS = [
    (r"nlohmann/", "json"),
    (r"fmt/", "fmt"),
    (r"CLI/", "cli11"),
    (r"Q[A-Z]\w*$|Qt\w+/", "qt6_core"),
    (r"hwloc\.h|hwloc/", "hwloc"),
    (r"Cbc", "cbc"),
    (r"Clp|Coin|coin/", "clp"),
    (r"graphviz/|gvc\.h|cgraph\.h|gvplugin", "graphviz"),
    (r"otf2/", "otf2"),
    (r"xxhash\.h", "xxhash"),
    (r"zlib\.h", "zlib"),
    (r"gtest/|gmock/", "gtest"),
    (r"benchmark/", "benchmark"),
]
# The C and C++ libraries and the system's own headers; schedulers/ is a folder of runtime/include.
SYSTEM = re.compile(r"[\w.]+$|(sys|linux|bits|arpa|asm|net|netinet|sanitizer|schedulers)/")
# Their licences would bind ours.
BANNED = re.compile(r"""[-/"<]l?(fxt|glpk)(["/>. ]|$|\.h|/fxt\.h)""")


def library_of(header):
    for pattern, library in HEADERS:
        if re.match(pattern, header):
            return library
    return None if SYSTEM.match(header) else header


def uses(path, text, top_folders):
    """Yields (line number, 'ours' or 'library', name) for each thing that a file uses."""
    for number, line in enumerate(text.splitlines(), 1):
        include = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', line)
        if include and include.group(1):
            folder = include.group(1).split("/")[0]
            if "/" in include.group(1) and folder in top_folders:
                yield number, "ours", folder
        elif include and library_of(include.group(2)):
            yield number, "library", library_of(include.group(2))
        elif path.endswith("BUILD"):
            for ours, library in re.findall(r'"(?://([\w-]+)[^"]*|@(\w+)[^"]*)"', line):
                if "__pkg__" not in line and "__subpackages__" not in line:
                    yield number, *(("ours", ours) if ours else ("library", library))


def complaints(tree: Tree):
    found = []
    top_folders = tree.top_folders()
    for path in tree.sources():
        if not re.search(r"\.(c|cc|h|inc)$|(^|/)(BUILD|WORKSPACE)$", path):
            continue
        text = tree.text(path) or ""
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(r"#include|link|modules|-l", line) and BANNED.search(line):
                found.append(f"{path}:{number}: libfxt and GLPK may not be linked: {line.strip()}")
        folder = path.split("/")[0]
        if folder not in RULE:
            continue
        ours, libraries = RULE[folder]
        allowed = {"ours": [folder, *ours, *EVERYBODY], "library": libraries}
        for number, kind, name in uses(path, text, top_folders):
            if name not in allowed[kind]:
                found.append(f"{path}:{number}: {folder} may not use {name}")
    return found


if __name__ == "__main__":
    run(
        complaints,
        [
            ({"trace/a.h": '#include "server/b.h"\n', "server/b.h": ""}, "trace may not use server"),
            ({"trace/a.h": "#include <fmt/core.h>\n"}, "a.h:1: trace may not use fmt"),
            ({"trace/a.h": "#include <boost/any.hpp>\n"}, "trace may not use boost"),
            ({"converters/a.cc": "#include <QString>\n"}, "converters may not use qt6_core"),
            ({"analysis/BUILD": 'deps = ["//converters"],\n'}, "analysis may not use converters"),
            ({"server/a.cc": "#include <gvc.h>\n"}, "server may not use graphviz"),
            ({"runtime/BUILD": 'deps = ["@json"],\n'}, "runtime may not use json"),
            ({"tests/a.cc": "#include <fxt/fxt.h>\n"}, "may not be linked"),
            ({"server/BUILD": 'linkopts = ["-lglpk"],\n'}, "may not be linked"),
        ],
    )
