# SPDX-License-Identifier: Apache-2.0
"""What the checks of the tree share: its files, and one way to run a check.

A check is a function from a Tree to a list of complaints (`path: what is wrong`). `run` applies it to
samples that it must complain about, so that it is known to be able to fail, then to the real tree.
"""

import os
import re
import subprocess
import sys
import tempfile

# Inputs and expected outputs of tests: not written by hand, or broken on purpose.
DATA = re.compile(r"^tests/(.*/)?(data|golden|corpus)/")
SOURCE = re.compile(
    r"\.(bzl|c|cc|css|h|html|in|inc|java|js|lua|py|sh|ts|vim)$"
    r"|(^|/)(BUILD|WORKSPACE|tasklens|packages\.txt|\.bazelrc|\.clang-format|\.gitignore)$"
    r"|^\.ci/"
)


class Tree:
    def __init__(self, root):
        self.root = root

    def files(self):
        """Paths from the root, sorted: what git tracks or would add; without git, what is there."""
        git = ["git", "-c", "safe.directory=*", "-C", self.root, "ls-files", "-z"]
        listed = subprocess.run(
            git + ["--cached", "--others", "--exclude-standard"], capture_output=True, check=False
        )
        if listed.returncode == 0 and os.path.exists(os.path.join(self.root, ".git")):
            paths = set(listed.stdout.decode().split("\0")) - {""}
        else:
            paths = set(self._walk())
        return sorted(path for path in paths if os.path.isfile(os.path.join(self.root, path)))

    def _walk(self):
        for folder, subfolders, names in os.walk(self.root):
            subfolders[:] = [s for s in subfolders if s != ".git" and not s.startswith("bazel-")]
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), self.root)

    def sources(self):
        """Files written by hand in some language, tests and scripts included."""
        return [p for p in self.files() if SOURCE.search(p) and not DATA.search(p)]

    def top_folders(self):
        return sorted({path.split("/")[0] for path in self.files() if "/" in path})

    def exists(self, path):
        return os.path.exists(os.path.join(self.root, path))

    def text(self, path):
        """The file as text, or None when it is binary."""
        with open(os.path.join(self.root, path), "rb") as file:
            data = file.read()
        try:
            return None if b"\0" in data else data.decode("utf-8")
        except UnicodeDecodeError:
            return None


def complaints_of_rooms(page, picture, arrows):
    """That arrows go down, as the table of `page` says: `picture` has its rooms in their order, each with those that it
    may use; `arrows` has a place for each (room, used) of the code."""
    rooms = list(picture)
    for room, uses in picture.items():
        for used in uses:
            if used not in rooms or rooms.index(used) <= rooms.index(room):
                yield f"{page}: `{room}/` uses `{used}`, which has no row below"
            if (room, used) not in arrows:
                yield f"{page}: `{room}/` does not use `{used}`: take it out of its row"
    for (room, used), place in sorted(arrows.items()):
        if used not in picture.get(room, []):
            yield f"{place}: `{room}/` may not use `{used}` ({page})"


def run(check, samples):
    """`samples`: pairs of {path: text} and a part of the complaint that they must cause."""
    for files, expected in samples:
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)) or root, exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            found = check(Tree(root))
        if not any(expected in complaint for complaint in found):
            sys.exit(f"the check itself is broken: no '{expected}' in {found} for {files}")

    # A runfile is a link to the file in the source tree.
    root = os.path.dirname(os.path.realpath("packages.txt"))
    complaints = check(Tree(root))
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)
