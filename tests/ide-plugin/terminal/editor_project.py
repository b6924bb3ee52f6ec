# SPDX-License-Identifier: Apache-2.0
"""What the tests of editors in a terminal begin with: a project with the cholesky example, and nothing of the user's."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time


class Project:
    """`examples/cholesky.c` and the program made of it, a home, and the server in PATH."""

    def __init__(self, tasklens, cholesky):
        self.folder = os.path.realpath(tempfile.mkdtemp(dir=os.environ["TEST_TMPDIR"]))
        self.home = os.path.join(self.folder, "home")
        self.work = os.path.join(self.folder, "project")
        programs = os.path.join(self.folder, "bin")
        for folder in (self.home, programs, self.work + "/examples", self.work + "/.git"):
            os.makedirs(folder)
        os.symlink(os.path.abspath("tests/testing/recorded_server.py"), programs + "/tasklens")
        # Kept with the outputs of the test: who said what.
        self.said = os.path.join(os.environ["TEST_UNDECLARED_OUTPUTS_DIR"], "said.jsonl")
        shutil.copy("examples/cholesky.c", self.work + "/examples")
        shutil.copy(cholesky, self.work + "/cholesky")
        with open(self.work + "/examples/cholesky.c", encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        # The user's browser: it notes what it was asked to show.
        self.browser, self.noted = programs + "/browser", os.path.join(self.folder, "opened")
        with open(self.browser, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho \"$1\" >'{self.noted}.part' && mv '{self.noted}.part' '{self.noted}'\n")
        os.chmod(self.browser, 0o755)
        self.environment = {
            "HOME": self.home, "PATH": programs + ":" + os.environ["PATH"],
            "TASKLENS": os.path.abspath(tasklens), "CONVERSATIONS": self.said,
        }  # fmt: skip
        for kind in ("config", "data", "cache", "state"):
            self.environment[f"XDG_{kind.upper()}_HOME"] = f"{self.home}/{kind}"

    def add_tutorial(self):
        """The example of docs/tutorial.md, and what compiles it: headers, and the library as if Bazel had made it."""
        shutil.copytree("examples/tutorial", self.work, dirs_exist_ok=True)
        tree = os.path.join(self.folder, "tree")
        os.makedirs(tree)
        os.symlink(os.path.abspath("runtime"), tree + "/runtime")
        os.symlink(os.getcwd(), tree + "/bazel-bin")
        self.environment["TASKLENS_ROOT"] = tree

    def line_of(self, codelet):
        """The number of the line that submits tasks of a codelet."""
        return next(i + 1 for i, line in enumerate(self.lines) if f"starpu_task_insert(&{codelet}," in line)

    def opened(self):
        """The file that the browser was asked to show, or None."""
        if not os.path.exists(self.noted):
            return None
        with open(self.noted, encoding="utf-8") as file:
            return file.read().strip().removeprefix("file://")

    def check_parallel(self):
        """Ends the test unless the tasks of the first run of the tutorial came one after the other, and those of the last one beside each
        other: of two workers' time, half was spent in tasks, or more. How long they took is up to what else the machine does."""
        runs = {}
        with open(self.said, encoding="utf-8") as file:
            for message in (json.loads(line).get("message", {}) for line in file):
                if message.get("method") == "tasklens/traceUpdated":
                    runs[message["params"]["trace"]] = message["params"]["efficiency"]
        first, *_, last = runs.values()
        if not first <= 0.5 < last:
            sys.exit(f"the workers' time spent in tasks: {runs}")

    def check_messages(self):
        """Ends the test where the editor and the server did not keep to the protocol."""
        subprocess.run(["tests/npm/check_conversations.sh", self.said], check=True)


def measured(what, begun):
    print(f"MEASURED {what}: {1000 * (time.monotonic() - begun):.0f} ms", flush=True)
