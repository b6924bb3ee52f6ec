#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Releases a version: `./tasklens release 0.9.0`. RELEASING.md says what comes before and after.

Refuses unless everything is committed, VERSION and its copies say this version, CHANGELOG.md has it with a
date, and there is no such tag yet. Then runs all tests, makes the packages in dist/VERSION, and makes the
annotated tag vVERSION with the changelog's text. Nothing is pushed.
"""

import datetime
import os
import re
import subprocess
import sys

from set_version import ROOT, VERSION, differing, read_file


def git(*words, check=True, text=None):
    command = ["git", "-C", ROOT, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, input=text)
    if check and done.returncode != 0:
        sys.exit(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def uncommitted():
    """Files that git does not have as they are, in words; or ""."""
    files = git("status", "--porcelain").splitlines()
    return f"not everything is committed: {', '.join(line[3:] for line in files[:5])}" if files else ""


def changes(changelog, version):
    """The changelog's date and text of a version; None where it has no such heading."""
    heading = rf"^## {re.escape(version)}, (.*)\n((?:(?!## ).*\n?)*)"
    found = re.search(heading, changelog, re.MULTILINE)
    return (found.group(1), found.group(2).strip()) if found else None


def wrong_changes(found, version):
    """What is wrong with them, in words; or ""."""
    if found is None:
        return f"CHANGELOG.md: no heading `## {version}, YEAR-MONTH-DAY`"
    date, text = found
    try:
        if datetime.date.fromisoformat(date) > datetime.date.today():
            return f"CHANGELOG.md: {date}, of {version}, is yet to come"
    except ValueError:
        return f"CHANGELOG.md: {version} has no date but {date!r}; write YEAR-MONTH-DAY"
    return "" if text else f"CHANGELOG.md: nothing is said of {version}"


def run(*words):
    """A command of ./tasklens, which says itself what fails."""
    if subprocess.run([os.path.join(ROOT, "tasklens"), *words], check=False).returncode != 0:
        sys.exit(f"not released: ./tasklens {words[0]} failed")


def main():
    if len(sys.argv) != 2 or not VERSION.fullmatch(sys.argv[1]):
        sys.exit("usage: ./tasklens release VERSION, such as 0.9.1")
    version = sys.argv[1]
    tag = "v" + version
    written = read_file("VERSION").strip()
    found = changes(read_file("CHANGELOG.md"), version)
    complaints = [
        uncommitted(),
        "" if written == version else f"VERSION: {written}, not {version}; run tools/set_version.py {version}",
        *differing(version, read_file),
        wrong_changes(found, version),
        f"the tag {tag} is there already" if git("tag", "--list", tag) else "",
    ]
    complaints = [complaint for complaint in complaints if complaint]
    if complaints:
        sys.exit("\n".join(["not released:", *complaints]))
    commit = git("rev-parse", "HEAD")
    folder = os.path.join("dist", version)
    run("test")
    run("package", "-o", os.path.join(ROOT, folder))
    if uncommitted() or git("rev-parse", "HEAD") != commit:
        sys.exit("not released: the tree has changed meanwhile, so the packages are not those of a commit")
    git("tag", "--annotate", "--cleanup=whitespace", "--file=-", tag, commit, text=f"TaskLens {version}\n\n{found[1]}\n")
    print(f"{tag} is the commit {commit}, its packages are in {folder}; RELEASING.md goes on", file=sys.stderr)


if __name__ == "__main__":
    main()
