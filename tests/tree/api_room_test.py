#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The functions that programs call are defined in `runtime/api/` (those of OpenMP and of MPI in their rooms).

LEFT counts those that still stand in other rooms. It only shrinks: a file with more of them than its
row says is a failure, and so is one with fewer until its row is corrected.
"""

import re

from tree import Tree, run

ROOMS_OF_FUNCTIONS = ("runtime/api/", "runtime/openmp/", "runtime/mpi/")
HEADERS = "runtime/include/"
# What libstarpu.so offers to libstarpumpi.so, and to no program: core/communication.h.
BETWEEN_LIBRARIES = "_starpu_communication_"

# The type, the name, and the parenthesis of a function that begins a line.
BEGINNING = re.compile(
    r'^(?:extern "C" )?(?:(?:[\w:]|<[^<>\n]*>)+[\s*&]+)+?(_?starpu_\w+)\s*(?=\()', re.MULTILINE
)
BODY = re.compile(r"\s*(?:\w+(?:\([^)]*\))?\s*)*\{")  # after words such as noexcept

LEFT = {
    "runtime/data/filters/array_filters.cc": 28,
    "runtime/data/filters/block_filters.cc": 9,
    "runtime/data/filters/matrix_filters.cc": 6,
    "runtime/data/filters/sparse_filters.cc": 5,
    "runtime/data/filters/vector_filters.cc": 8,
    "runtime/data/footprint.cc": 6,
    "runtime/data/interfaces/bcsr.cc": 10,
    "runtime/data/interfaces/block.cc": 9,
    "runtime/data/interfaces/coo.cc": 1,
    "runtime/data/interfaces/csr.cc": 8,
    "runtime/data/interfaces/matrix.cc": 9,
    "runtime/data/interfaces/multiformat.cc": 1,
    "runtime/data/interfaces/ndim.cc": 9,
    "runtime/data/interfaces/tensor.cc": 11,
    "runtime/data/interfaces/variable.cc": 4,
    "runtime/data/interfaces/vector.cc": 7,
    "runtime/data/interfaces/void.cc": 1,
    "runtime/support/environment.cc": 6,
    "runtime/support/message.cc": 2,
}


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


def complaints(tree: Tree, left=None):
    left = LEFT if left is None else left
    found = []
    counts = {}
    for path in tree.files():
        if not re.match(r"runtime/\w+/.*\.(h|cc|inc)$", path):
            continue
        if path.startswith(HEADERS) or path.startswith(ROOMS_OF_FUNCTIONS):
            continue
        defined = definitions(tree.text(path))
        counts[path] = len(defined)
        if len(defined) > left.get(path, 0):
            line, name = defined[-1]
            found.append(
                f"{path}:{line}: {name}() belongs into runtime/api/: {len(defined)} functions of "
                f"StarPU's are defined here, and {left.get(path, 0)} are left to be moved"
            )
    for path, count in left.items():
        if counts.get(path, 0) < count:
            found.append(f"api_room_test.py: LEFT[{path!r}] is {counts.get(path, 0)} now, not {count}")
    return found


if __name__ == "__main__":
    DEFINED = 'extern "C" {\n\nint starpu_x(void (*f)(int),\n             int y) {\n  return y;\n}\n}\n'
    run(
        complaints,
        [
            ({"runtime/core/x.cc": DEFINED}, "runtime/core/x.cc:3: starpu_x() belongs into runtime/api/"),
            ({"runtime/data/deep/x.cc": 'extern "C" void starpu_x(void) {}\n'}, "starpu_x() belongs into"),
            ({"runtime/core/x.cc": "starpu_task* _starpu_x_at(int line) noexcept {\n}\n"}, "_starpu_x_at() belongs"),
            ({"runtime/api/x.cc": DEFINED}, "is 0 now, not"),
        ],
    )
