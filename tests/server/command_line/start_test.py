#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""What the program needs to start: nothing that only some of its commands use."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TASKLENS = os.path.abspath(sys.argv.pop(1))
TRACE = os.path.abspath("tests/data/starpu/hello/prof_file_0")
LIBRARY = "libtasklens-server.so"


def run(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def libraries(file):
    return set(re.findall(r"^\s*(lib\w+)", run("ldd", file).stdout, re.MULTILINE))


class Start(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))

    def alone(self, *parts):
        """The program in a folder of its own, below PREFIX/bin, with these parts of it."""
        for name in ("bin", "lib/tasklens"):
            os.makedirs(os.path.join(self.folder, name))
        program = os.path.join(self.folder, "bin/tasklens")
        shutil.copy(os.path.realpath(TASKLENS), program)
        for part in parts:
            shutil.copy(os.path.join(os.path.dirname(os.path.realpath(TASKLENS)), part), os.path.join(self.folder, "lib/tasklens"))
        return program

    def test_the_program_links_what_every_command_uses(self):
        linked = libraries(os.path.realpath(TASKLENS))
        self.assertIn("libstdc", linked)
        self.assertEqual([], [name for name in linked if re.match("libQt|libicu|libgvc|libcgraph|libClp|libblas", name)])

    def test_commands_without_the_server_need_no_library_of_it(self):
        program = self.alone()
        drawn = ["graph", TRACE, "--layout", "graphviz", "--svg", os.path.join(self.folder, "graph.svg")]
        for words in (["--version"], ["--help"], ["stats", "--help"], ["stats", TRACE], drawn):
            with self.subTest(words=words):
                said = run(program, *words)
                self.assertEqual("", said.stderr)
                self.assertEqual(0, said.returncode)

    def test_a_missing_library_is_named_in_one_line(self):
        program = self.alone()
        for words in (["report", TRACE], ["serve", "--help"], ["man"], ["completion", "bash"]):
            with self.subTest(words=words):
                said = run(program, *words)
                self.assertEqual(1, said.returncode)
                self.assertRegex(said.stderr, rf"^tasklens: \w+: [^\n]*{LIBRARY}[^\n]*install TaskLens again\n$")
                self.assertEqual("", said.stdout)

    def test_the_library_is_found_where_an_installation_has_it(self):
        program = self.alone(LIBRARY)
        page = os.path.join(self.folder, "page.html")
        said = run(program, "report", TRACE, "-o", page)
        self.assertEqual((0, ""), (said.returncode, said.stderr))
        self.assertGreater(os.path.getsize(page), 1000)


if __name__ == "__main__":
    unittest.main()
