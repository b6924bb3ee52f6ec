#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the runtime says that it does not heed, it does not read; what its page documents, it reads. Each variable of
StarPU 1.4's handbook and sources, in starpu-1.4-variables.txt, is one or the other."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def names_in(path, pattern):
    return set(re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE))


class Variables(unittest.TestCase):
    def setUp(self):
        table = ROOT / "runtime/support/unheeded_variables.inc"
        self.heeded = names_in(table, r'^HEEDED\("(STARPU_[A-Z0-9_]+)"\)')
        self.unheeded = names_in(table, r'^(?:VARIABLE|WORKERS|GPUS)\("(STARPU_[A-Z0-9_]+)"\)')
        self.assertTrue(self.heeded and self.unheeded)
        self.read = set()
        for folder in ["runtime", "perfmodel", "server/command_line"]:
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".cc", ".h") and path.name != "machine_display.cc":  # prints them
                    self.read |= names_in(path, r'"(STARPU_[A-Z0-9_]+)"')

    def is_in(self, names, name):
        return name in names or any(name.startswith(part) for part in names if part.endswith("_"))

    def test_what_is_read_is_heeded(self):
        self.assertEqual(set(), self.unheeded & self.read)
        said = {name for name in self.read if self.is_in(self.unheeded, name)}
        self.assertEqual(self.heeded, said, "read, though a part of the name says that it is not heeded")

    def test_each_of_starpus_is_read_or_said_not_to_be_heeded(self):
        names = set((ROOT / "tests/tree/starpu-1.4-variables.txt").read_text(encoding="utf-8").split())
        self.assertGreater(len(names), 200)
        self.assertEqual(set(), {name for name in names
                                 if not self.is_in(self.unheeded, name) and not self.is_in(self.read, name)})

    def test_what_openmp_heeds_is_documented_and_read(self):
        table = ROOT / "runtime/openmp/heeded_variables.inc"
        heeded = names_in(table, r'^HEEDED\("(OMP_[A-Z_]+)"\)')
        kept = names_in(table, r'^KEPT\("(OMP_[A-Z_]+)"')
        self.assertTrue(heeded and kept)
        page = (ROOT / "runtime/README.md").read_text(encoding="utf-8").split("## OpenMP", 1)[1].split("\n## ", 1)[0]
        self.assertEqual(heeded, set(re.findall(r"^\| `(OMP_[A-Z_]+)` \|", page, re.MULTILINE)))
        self.assertLessEqual(kept, set(re.findall(r"`(OMP_[A-Z_]+)`", page.rsplit("|", 1)[1])))
        self.assertEqual(heeded | kept, names_in(ROOT / "runtime/openmp/environment.cc", r'"(OMP_[A-Z_]+)"'))

    def test_what_the_page_documents_is_read(self):
        page = (ROOT / "runtime/README.md").read_text(encoding="utf-8")
        table = page.split("## Environment", 1)[1].split("\n## ", 1)[0]
        documented = re.findall(r"^\| (.*?) \|", table, re.MULTILINE)
        names = set(re.findall(r"`(STARPU_[A-Z0-9_]+)`", " ".join(documented)))
        self.assertTrue(names)
        for name in names:  # parts of the name may be numbers
            self.assertTrue(self.is_in(self.read, name), f"{name} is documented and not read")


if __name__ == "__main__":
    unittest.main()
