# SPDX-License-Identifier: Apache-2.0
"""What comes from npm, which Debian has not: where `./tasklens` puts it, and how.

    npm_packages.py [SET...]    installs these sets, all of them where none is named

A set is a folder of the tree with a package.json, which says why each package is wanted, and its package-lock.json.
It lies in the user's cache, under a name made from what decides what is in it, whole or not at all.
"""

import hashlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# By set: what else is in its folder, and what is called there when its packages are installed.
SETS = {
    "ide-plugin/vscode/npm": ([], []),
    "tests/npm": (["messages.ts", "make_schemas.js", "tsconfig.json"], ["node", "make_schemas.js"]),
    "tests/ide-plugin/vscode/code-server": (["complete.sh"], ["bash", "complete.sh"]),
}


def files_of(name):
    return ["package.json", "package-lock.json"] + SETS[name][0]


def npm_folder(name):
    """The folder with a set's node_modules, which exists when it is complete. Tests and the build have no
    HOME, so the user's is asked for where $TASKLENS_NPM names no other place."""
    digest = hashlib.sha256()
    for file_name in files_of(name):
        with open(os.path.join(ROOT, name, file_name), "rb") as file:
            digest.update(file.read())
    home = pwd.getpwuid(os.getuid()).pw_dir
    root = os.environ.get("TASKLENS_NPM") or os.path.join(home, ".cache/tasklens/npm")
    return os.path.join(root, digest.hexdigest()[:16])


def install(name):
    """Makes the folder unless it is there; answers what went wrong, or ''."""
    folder = npm_folder(name)
    if os.path.isdir(folder):
        return ""
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(folder)) as part:
        for file_name in files_of(name):
            shutil.copy(os.path.join(ROOT, name, file_name), part)
        npm = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        for command in (npm, SETS[name][1]):
            if not command:
                continue
            done = subprocess.run(command, cwd=part, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return f"{' '.join(command)} failed for {name}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        os.chmod(part, 0o755)
        try:
            os.rename(part, folder)
            os.mkdir(part)  # for the one that removes it
        except OSError:  # another one was faster
            if not os.path.isdir(folder):
                raise
    return ""


def main():
    if not SETS.keys() >= set(sys.argv[1:]):
        sys.exit(__doc__)
    complaints = [complaint for name in sys.argv[1:] or SETS if (complaint := install(name))]
    print("".join(complaints), file=sys.stderr, end="")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
