#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each public name of StarPU 1.4 is in our headers, or on the page that says it is not."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class StarpuNames(unittest.TestCase):
    def test_each_is_there_or_said_not_to_be(self):
        names = set((ROOT / "tests/tree/starpu-1.4-names.txt").read_text(encoding="utf-8").split())
        self.assertGreater(len(names), 1000)
        there = set()
        for header in (ROOT / "runtime/include").rglob("*.h"):
            code = re.sub(r"/\*.*?\*/", " ", header.read_text(encoding="utf-8"), flags=re.DOTALL)
            there |= set(re.findall(r"\bstarpu_\w+", code))
        page = (ROOT / "runtime/not_there.md").read_text(encoding="utf-8")
        said = set(re.findall(r"`(starpu_\w+)`", page))
        self.assertEqual(set(), names - there - said, "neither there nor on the page")
        self.assertEqual(set(), said & there, "on the page, and there")


if __name__ == "__main__":
    unittest.main()
