# SPDX-License-Identifier: Apache-2.0
"""The program as tests of its commands run it; its path is their first argument."""

import json
import os
import subprocess
import sys
import unittest

TASKLENS = os.path.abspath(sys.argv.pop(1))
DATA = os.path.abspath("tests/data/starpu")
CHOLESKY = DATA + "/cholesky_lws/prof_file_0"

# Of a trace with one row, "row", on which states S are pushed and popped.
PAJE_HEAD = """%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeCreateContainer 3
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajePushState 4
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 5
% Time date
% Type string
% Container string
%EndEventDef
1 T 0 Thread
2 S T State
3 0 c T 0 row
"""


def run(*arguments):
    return subprocess.run([TASKLENS, *arguments], capture_output=True, text=True, check=False)


class CommandTest(unittest.TestCase):
    def text(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.text(*arguments, "--json"))

    def refused(self, status, message, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, status, arguments)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(message, done.stderr)
