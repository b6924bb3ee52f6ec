#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Makes all that a release consists of, in one folder; `./tasklens package` builds first.

./tasklens package [-o DIR]

    tasklens_VERSION_amd64.deb                for Debian as it is here
    tasklens-VERSION-linux-x86_64.tar.gz      a folder that runs on every Linux of glibc 2.28 and newer
    tasklens.vsix                             the extension of VS Code
    tasklens-eclipse.zip                      Eclipse's update site
    SHA256SUMS                                of these; sha256sum -c reads it
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from install import ROOT, said_by  # noqa: E402

PLUGINS = ["tasklens.vsix", "tasklens-eclipse.zip"]  # as they are in the folder, too


def made_by(command):
    """Ends as the command does, which has said why."""
    if status := subprocess.run(command).returncode:
        sys.exit(status)


def make(folder, built):
    """The names of what it made."""
    version = said_by(os.path.join(built, "server/command_line/tasklens"), "--version").decode().split()[-1]
    architecture = said_by("dpkg", "--print-architecture").decode().strip()
    top = f"tasklens-{version}-linux-x86_64"
    deb, tar = f"tasklens_{version}_{architecture}.deb", f"{top}.tar.gz"
    made_by([os.path.join(HERE, "make_deb.py"), os.path.join(folder, deb), built])
    made_by([os.path.join(HERE, "make_tar.py"), os.path.join(folder, tar), built])
    with tarfile.open(os.path.join(folder, tar)) as file:
        for name in PLUGINS:
            try:
                plugin = file.extractfile(f"{top}/share/tasklens/{name}")
            except KeyError:
                sys.exit(f"tasklens: {name} could not be made; what is missing for it is said above")
            with open(os.path.join(folder, name), "wb") as out:
                shutil.copyfileobj(plugin, out)
    return [deb, tar, *PLUGINS]


def sums(folder, names):
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            yield f"{hashlib.sha256(file.read()).hexdigest()}  {name}\n"


def main():
    parser = argparse.ArgumentParser(
        prog="tasklens package", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=argparse.SUPPRESS,
    )  # fmt: skip
    parser.add_argument("-o", dest="out", metavar="DIR", default="dist", help="the folder; dist")
    parser.add_argument("--built", default=os.path.join(ROOT, "bazel-bin"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    out, built = os.path.abspath(arguments.out), os.path.abspath(arguments.built)
    os.umask(0o022)
    try:
        os.makedirs(out, exist_ok=True)
        names = make(out, built)
        with open(os.path.join(out, "SHA256SUMS"), "w", encoding="ascii") as file:
            file.writelines(sums(out, names))
    except OSError as error:
        sys.exit(f"tasklens: {error.filename}: {error.strerror}; choose another folder with -o")
    for name in [*names, "SHA256SUMS"]:
        size = os.path.getsize(os.path.join(out, name))
        print(f"{os.path.join(out, name)}  {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
