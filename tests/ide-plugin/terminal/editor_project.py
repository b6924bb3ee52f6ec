# SPDX-License-Identifier: Apache-2.0
"""What the tests of editors in a terminal begin with: a project with the cholesky example, and nothing of the user's."""

import os
import shutil
import subprocess
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
        self.said = os.path.join(self.folder, "said.jsonl")
        shutil.copy("examples/cholesky.c", self.work + "/examples")
        shutil.copy(cholesky, self.work + "/cholesky")
        with open(self.work + "/examples/cholesky.c", encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.environment = {
            "HOME": self.home, "PATH": programs + ":" + os.environ["PATH"],
            "TASKLENS": os.path.abspath(tasklens), "CONVERSATIONS": self.said,
        }  # fmt: skip
        for kind in ("config", "data", "cache", "state"):
            self.environment[f"XDG_{kind.upper()}_HOME"] = f"{self.home}/{kind}"

    def line_of(self, codelet):
        """The number of the line that submits tasks of a codelet."""
        return next(i + 1 for i, line in enumerate(self.lines) if f"starpu_task_insert(&{codelet}," in line)

    def check_messages(self):
        """Ends the test where the editor and the server did not keep to the protocol."""
        subprocess.run(["tests/npm/check_conversations.sh", self.said], check=True)


def measured(what, begun):
    print(f"MEASURED {what}: {1000 * (time.monotonic() - begun):.0f} ms", flush=True)
