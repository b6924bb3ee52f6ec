# SPDX-License-Identifier: Apache-2.0
"""The program as tests of its commands run it; its path is their first argument."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.abspath("tools"))
import protocol  # noqa: E402

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


checker = protocol.Checker(protocol.Protocol())


def wrong_in(answer, arguments):
    """What is not as protocol.json says in what the command printed."""
    command = arguments[0]
    for options in (["--list"], ["--task"], ["--worker", "--at"]):
        if set(options) <= set(arguments) and (name := " ".join([command, *options])) in checker.protocol.commands:
            command = name
    answer = dict(answer)
    wrong = [] if next(iter(answer)) == "version" and answer.pop("version") == 1 else ["the version is not first"]
    return wrong + checker.faults_of_command(command, answer)


class CommandTest(unittest.TestCase):
    def text(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def json(self, *arguments):
        answer = json.loads(self.text(*arguments, "--json"))
        self.assertEqual(wrong_in(answer, arguments), [], arguments)
        return answer

    def refused(self, status, message, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, status, arguments)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(message, done.stderr)
