# SPDX-License-Identifier: Apache-2.0
"""Sanitizers for programs.py: what they are told, and which of their reports are of our code.

A program may race with itself, or read what it has freed: such a report is its own. One is ours where our code makes
one of the accesses that it is about. What programs leave behind at their end is not looked at, nor races that go by
OpenMP's threads, whose barriers no sanitizer sees.
"""
import re

# The name in .bazelrc: the library by which it is known, gcc's name of it, and the variable with its options.
SANITIZERS = {
    "asan": ("libasan", "address", {"ASAN_OPTIONS": "detect_leaks=0"}),
    "tsan": ("libtsan", "thread", {"TSAN_OPTIONS": "halt_on_error=0:history_size=4:exitcode=0"}),
    "ubsan": ("libubsan", "undefined", {"UBSAN_OPTIONS": "print_stacktrace=1"}),
}

BEGIN = re.compile(r"ERROR: AddressSanitizer|WARNING: ThreadSanitizer|: runtime error: ")
END = re.compile(r"SUMMARY: \w+Sanitizer")
FRAME = re.compile(r"\s*#\d+ ")
OURS = re.compile(r"(?:^|[\s/])((?:runtime|trace|perfmodel)/(?:\w+/)*\w+\.(?:cc|h):\d+)")
# Functions of the sanitizer's own that stand for those of the C library.
STAND_IN = re.compile(r"lib(?:asan|tsan|ubsan)\b|libsanitizer|<null>")
# Of these stacks a report says only where something came from.
ORIGIN = re.compile(r"(?:freed|allocated|created) (?:by|at)\b|Location is|As if synchronized")


def split(output):
    """The reports in a program's output, each a list of lines."""
    found, current = [], None
    for line in output.splitlines():
        if BEGIN.search(line):
            current = [line]
            found.append(current)
        elif current is not None:
            current.append(line)
            if END.search(line):
                current = None
    return found


def accesses(report):
    """The innermost frame of each access of a report; its first line where it has no stack."""
    frames, is_wanted = [], True
    for line in report:
        if not FRAME.match(line):
            if line.strip():
                is_wanted = not ORIGIN.search(line)
        elif is_wanted and not STAND_IN.search(line):
            frames.append(line)
            is_wanted = False
    return frames or report[:1]


def of_ours(output):
    """One line for each report of our code, none twice."""
    lines = []
    for report in split(output):
        if "ThreadSanitizer" in report[0] and any("libgomp.so" in line for line in report):
            continue
        places = [match.group(1) for match in map(OURS.search, accesses(report)) if match]
        if places:
            what = re.sub(r".*(?:ERROR: |WARNING: |runtime error: )", "", report[0])
            what = re.sub(r" on (?:unknown )?address.*| \(pid=\d+\)", "", what).strip()
            lines.append(f"{what} at {', '.join(dict.fromkeys(places))}")
    return list(dict.fromkeys(lines))
