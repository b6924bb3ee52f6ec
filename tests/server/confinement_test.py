#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What server/security.md promises and no other test shows."""

import os
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import STARPU, Client, main  # noqa: E402

HELLO = os.path.join(STARPU, "hello/prof_file_0")
SHOWS = {"window": {"showDocument": {"support": True}}}


class Confinement(unittest.TestCase):
    def test_a_trace_leads_to_no_file_outside(self):
        # The source that the trace names lies beside the workspace, and a link leads to it.
        with Client(initialize=False) as c:
            outside = os.path.join(c.folder.name, "outside")
            inside = os.path.join(c.folder.name, "inside")
            os.mkdir(outside)
            os.mkdir(inside)
            shutil.copy(os.path.join(STARPU, "src/hello.c"), outside)
            os.symlink(os.path.join(outside, "hello.c"), os.path.join(inside, "hello.c"))
            c.root = os.path.realpath(inside)
            c.initialize(capabilities=SHOWS)
            c.open(HELLO)
            for task in range(3):
                code, _ = c.error("tasklens/reveal", {"task": task})
                self.assertEqual(code, -32803)
            self.assertEqual(c.asked, [])
            self.assertNotIn("location", c.request("tasklens/tasksAt", {"uri": "file:///x", "line": 0}))

    def is_asked(self, program, work, **params):
        """Whether `work`, with a client, runs this program of PATH."""
        with Client(initialize=False) as probe:
            folder = probe.folder.name
            os.mkdir(folder + "/bin")
            with open(f"{folder}/bin/{program}", "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\ntouch "{folder}/ran"\nexit 1\n')
            os.chmod(f"{folder}/bin/{program}", 0o755)
            with Client(env={"PATH": folder + "/bin:/usr/bin:/bin"}, **params) as c:
                work(c)
                return os.path.exists(folder + "/ran")

    def test_git_is_not_asked_in_a_workspace_that_is_not_trusted(self):
        def work(c):
            # Newer than the trace, so that its text is looked for in the history.
            shutil.copy(os.path.join(STARPU, "src/hello.c"), c.root)
            trace = shutil.copy(HELLO, c.root)
            os.utime(trace, (1000, 1000))
            c.open(trace)

        self.assertTrue(self.is_asked("git", work))
        self.assertFalse(self.is_asked("git", work, options={"trusted": False}))

    def test_what_a_repository_misses_is_not_fetched(self):
        # The way to fetch it is a program of the workspace.
        with Client() as c:
            def git(*words):
                date = f"@{int(time.time()) - 2000} +0000"
                names = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date, "HOME": c.folder.name}
                command = ["git", "-C", c.root, "-c", "user.name=n", "-c", "user.email=e@example.org", *words]
                return subprocess.run(
                    command, check=True, capture_output=True, text=True, env={**os.environ, **names}
                ).stdout.strip()

            program = c.script(f'touch "{c.root}/ran"\nexit 1\n', name="evil")
            shutil.copy(os.path.join(STARPU, "src/hello.c"), c.root)
            trace = shutil.copy(HELLO, c.root)
            os.utime(trace, (time.time() - 1000, time.time() - 1000))
            git("init", "-q")
            git("add", "hello.c")
            git("commit", "-q", "-m", "m")
            tree = git("rev-parse", "HEAD^{tree}")
            os.unlink(f"{c.root}/.git/objects/{tree[:2]}/{tree[2:]}")
            for name, value in (
                ("core.repositoryformatversion", "1"),
                ("extensions.partialClone", "origin"),
                ("remote.origin.promisor", "true"),
                ("remote.origin.url", c.root + "/.git"),
                ("remote.origin.uploadpack", program),
            ):
                git("config", name, value)
            self.assertNotEqual(c.open(trace)["trace"], "")
            self.assertNotEqual(c.lenses("file://" + c.root + "/hello.c"), [])
            c.request("tasklens/sources")
            self.assertFalse(os.path.exists(c.root + "/ran"))

    def test_pkg_config_is_not_asked_in_a_workspace_that_is_not_trusted(self):
        def work(c):
            reply = c.request("tasklens/configurations", {"runtimes": True})
            self.assertEqual([row["runtime"] for row in reply["runtimes"]], ["tasklens", "starpu"])

        self.assertTrue(self.is_asked("pkg-config", work))
        self.assertFalse(self.is_asked("pkg-config", work, options={"trusted": False}))

    def test_nothing_runs_without_a_command(self):
        with Client() as c:
            program = c.script(f'touch "{c.root}/ran"\n', name="hello")
            c.write(
                ".tasklens/launch.json",
                '{"version": 1, "configurations": [{"name": "a", "program": "./hello", "build": ["./hello"]}]}',
            )
            path = c.write("hello.c", '#include <starpu.h>\nint main(void) { return 0; }\n')
            c.did_open("file://" + path, '#include <starpu.h>\nint main(void) { return 0; }\n')
            lens = c.lenses("file://" + path, "tasklens.run")[0]
            c.open(HELLO)
            c.request("tasklens/configurations", {"runtimes": True})
            c.request("tasklens/runs")
            document = {"textDocument": {"uri": "file://" + path}}
            c.request("textDocument/hover", {**document, "position": {"line": 1, "character": 5}})
            self.assertFalse(os.path.exists(c.root + "/ran"))
            c.request("workspace/executeCommand", {
                "command": lens["command"]["command"], "arguments": lens["command"]["arguments"]})  # fmt: skip
            self.assertTrue(os.path.exists(c.root + "/ran"), program)


if __name__ == "__main__":
    main()
