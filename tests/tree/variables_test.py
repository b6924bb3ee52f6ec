#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the runtime says that it does not heed, it does not read; what its page documents, it reads."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def names_in(path, pattern):
    return set(re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE))


class Variables(unittest.TestCase):
    def setUp(self):
        self.unheeded = names_in(ROOT / "runtime/support/unheeded_variables.inc",
                                 r'^VARIABLE\("(STARPU_[A-Z0-9_]+)"\)')
        self.assertTrue(self.unheeded)
        self.read = set()
        for folder in ["runtime", "perfmodel"]:
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".cc", ".h"):
                    self.read |= names_in(path, r'"(STARPU_[A-Z0-9_]+)')

    def test_what_is_read_is_heeded(self):
        self.assertEqual(set(), self.unheeded & self.read)

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
        for name in names - self.read:  # parts of the name may be numbers
            self.assertTrue(any(name.startswith(part) for part in self.read if part.endswith("_")),
                            f"{name} is documented and not read")


if __name__ == "__main__":
    unittest.main()
