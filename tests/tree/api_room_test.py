#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The functions that programs call are defined in four rooms of the runtime: ROOMS_OF_FUNCTIONS."""

import re

from tree import Tree, run

ROOMS_OF_FUNCTIONS = ("runtime/api/", "runtime/interfaces/", "runtime/openmp/", "runtime/mpi/")
HEADERS = "runtime/include/"
# What libstarpu.so offers to libstarpumpi.so, and to no program: core/communication.h.
BETWEEN_LIBRARIES = "_starpu_communication_"

# The type, the name, and the parenthesis of a function that begins a line.
BEGINNING = re.compile(
    r'^(?:extern "C" )?(?:(?:[\w:]|<[^<>\n]*>)+[\s*&]+)+?(_?starpu_\w+)\s*(?=\()', re.MULTILINE
)
BODY = re.compile(r"\s*(?:\w+(?:\([^)]*\))?\s*)*\{")  # after words such as noexcept


def after_parentheses(text, at):
    depth = 0
    for parenthesis in re.finditer(r"[()]", text[at:]):
        depth += 1 if parenthesis.group() == "(" else -1
        if depth == 0:
            return at + parenthesis.end()
    return len(text)


def definitions(text):
    """The line and the name of each function of StarPU's that the text defines."""
    return [
        (text.count("\n", 0, found.start(1)) + 1, found.group(1))
        for found in BEGINNING.finditer(text)
        if not found.group(1).startswith(BETWEEN_LIBRARIES)
        and BODY.match(text, after_parentheses(text, found.end()))
    ]


def complaints(tree: Tree):
    found = []
    for path in tree.files():
        if not re.match(r"runtime/\w+/.*\.(h|cc|inc)$", path):
            continue
        if path.startswith(HEADERS) or path.startswith(ROOMS_OF_FUNCTIONS):
            continue
        for line, name in definitions(tree.text(path)):
            found.append(f"{path}:{line}: {name}() belongs into runtime/api/")
    return found


if __name__ == "__main__":
    DEFINED = 'extern "C" {\n\nint starpu_x(void (*f)(int),\n             int y) {\n  return y;\n}\n}\n'
    run(
        complaints,
        [
            ({"runtime/core/x.cc": DEFINED}, "runtime/core/x.cc:3: starpu_x() belongs into runtime/api/"),
            ({"runtime/data/deep/x.cc": 'extern "C" void starpu_x(void) {}\n'}, "starpu_x() belongs into"),
            ({"runtime/core/x.cc": "starpu_task* _starpu_x_at(int line) noexcept {\n}\n"}, "_starpu_x_at() belongs"),
        ],
    )
