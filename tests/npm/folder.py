# SPDX-License-Identifier: Apache-2.0
"""Where `./tasklens test` puts the npm packages of package.json, and how it does."""

import hashlib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# What decides what is in the folder.
FILES = ["package.json", "package-lock.json", "messages.ts", "make_schemas.js", "tsconfig.json"]


def npm_folder():
    """The folder with node_modules and schemas.json, which exists when it is complete. Tests have no
    HOME, so the user's is asked for where $TASKLENS_NPM names no other place."""
    digest = hashlib.sha256()
    for name in FILES:
        with open(os.path.join(HERE, name), "rb") as file:
            digest.update(file.read())
    home = pwd.getpwuid(os.getuid()).pw_dir
    root = os.environ.get("TASKLENS_NPM") or os.path.join(home, ".cache/tasklens/npm")
    return os.path.join(root, digest.hexdigest()[:16])


def install():
    """Makes the folder unless it is there: whole or not at all."""
    folder = npm_folder()
    if os.path.isdir(folder):
        return
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(folder)) as part:
        for name in FILES:
            shutil.copy(os.path.join(HERE, name), part)
        for command in (
            ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
            ["node", "make_schemas.js"],
        ):
            done = subprocess.run(command, cwd=part, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        os.chmod(part, 0o755)
        try:
            os.rename(part, folder)
            os.mkdir(part)  # for the one that removes it
        except OSError:  # another one was faster
            if not os.path.isdir(folder):
                raise


if __name__ == "__main__":
    install()
