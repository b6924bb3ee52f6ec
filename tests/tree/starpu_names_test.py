#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each public name of StarPU 1.4 is in our headers, or on the page that says it is not."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def names_in(file):
    return set((ROOT / "tests/tree" / file).read_text(encoding="utf-8").split())


class StarpuNames(unittest.TestCase):
    def setUp(self):
        headers = [*(ROOT / "runtime/include").rglob("*.h"), *(ROOT / "runtime/mpi/include").rglob("*.h")]
        self.assertGreater(len(headers), 50)
        code = "\n".join(
            re.sub(r"/\*.*?\*/", " ", header.read_text(encoding="utf-8"), flags=re.DOTALL) for header in headers
        )
        self.declared = set(re.findall(r"\bstarpu_\w+", code))
        self.defined = set(re.findall(r"^\s*#\s*define\s+(\w+)", code, flags=re.MULTILINE))
        page = (ROOT / "runtime/not_there.md").read_text(encoding="utf-8")
        self.said = set(re.findall(r"`((?:starpu|STARPU)_\w+)`", page))

    def check(self, names, there):
        self.assertEqual(set(), names - there - self.said, "neither there nor on the page")
        self.assertEqual(set(), self.said & names & there, "on the page, and there")

    def test_each_function_is_there_or_said_not_to_be(self):
        names = names_in("starpu-1.4-names.txt")
        self.assertGreater(len(names), 1000)
        self.check(names, self.declared)

    def test_each_macro_is_there_or_said_not_to_be(self):
        names = names_in("starpu-1.4-macros.txt")
        self.assertGreater(len(names), 600)
        # Some that are macros in StarPU are functions here.
        self.check(names, self.defined | self.declared)


if __name__ == "__main__":
    unittest.main()
