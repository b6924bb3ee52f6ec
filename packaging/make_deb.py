#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian package: make_deb.py OUT BUILT. What is in it, install.py says."""

import os
import subprocess
import sys
import tempfile

from editors import EDITORS
from install import SERVER_LIBRARY, is_buildable

HERE = os.path.dirname(os.path.abspath(__file__))
# Where Debian's policy wants another place than install.py's.
MOVED = {"usr/share/zsh/site-functions": "usr/share/zsh/vendor-completions"}
PROGRAMS = [
    "usr/bin/tasklens",
    f"usr/{SERVER_LIBRARY}",
    "usr/lib/tasklens/libstarpu.so",
    "usr/lib/tasklens/libtasklens-cuda.so",
    "usr/libexec/tasklens/examples/cholesky",
]


def said_by(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout.strip()


def editors(built):
    """All whose plugins can be in it."""
    found = [name for name in EDITORS if is_buildable(name, built)]
    for name in EDITORS.keys() - found:
        print(f"{EDITORS[name].plugin} is left out: {EDITORS[name].unbuilt}", file=sys.stderr)
    return found


def control(root, version):
    with tempfile.TemporaryDirectory() as work:
        # dpkg-shlibdeps wants the sources' description, and reads nothing in it.
        os.mkdir(os.path.join(work, "debian"))
        with open(os.path.join(work, "debian/control"), "w", encoding="ascii") as file:
            file.write("Source: tasklens\n\nPackage: tasklens\nArchitecture: any\n")
        programs = [os.path.join(root, program) for program in PROGRAMS]
        words = said_by("dpkg-shlibdeps", "-O", *programs, cwd=work)
    depends = words.split("=", 1)[1]
    size = sum(
        os.lstat(os.path.join(place, name)).st_size
        for place, _, names in os.walk(root)
        for name in names
    )
    return f"""Package: tasklens
Version: {version}
Architecture: {said_by("dpkg", "--print-architecture")}
Maintainer: TaskLens <tasklens@localhost>
Installed-Size: {size // 1024}
Depends: {depends}, libgvc6
Recommends: coinor-libcbc3, coinor-libclp1
Suggests: neovim, emacs, pkg-config, libopenmpi-dev
Section: devel
Priority: optional
Description: task graphs and timelines of StarPU programs, tied to their source
 Runs a program that is written as a graph of tasks, records the run, and
 shows what the tasks cost at the lines that submit them: from a shell and in
 Eclipse, VS Code, Neovim and Emacs. Traces of StarPU (FxT) are read as well.
"""


def main():
    out, built = (os.path.abspath(path) for path in sys.argv[1:])
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        command = [os.path.join(HERE, "install.py"), "install", "--prefix", "/usr", "--destdir", root]
        command += ["--with", ",".join(editors(built)), "--symbols", "none", "--built", built]
        subprocess.run(command, check=True)
        os.unlink(os.path.join(root, "usr/share/tasklens/installed"))  # dpkg has its own list
        for before, after in MOVED.items():
            os.makedirs(os.path.dirname(os.path.join(root, after)), exist_ok=True)
            os.rename(os.path.join(root, before), os.path.join(root, after))
        os.rename(
            os.path.join(root, "usr/share/doc/tasklens/LICENSE"),
            os.path.join(root, "usr/share/doc/tasklens/copyright"),
        )
        subprocess.run(["gzip", "-9n", os.path.join(root, "usr/share/man/man1/tasklens.1")], check=True)
        version = said_by(os.path.join(root, "usr/bin/tasklens"), "--version").split()[-1]
        text = control(root, version)
        os.mkdir(os.path.join(root, "DEBIAN"))
        with open(os.path.join(root, "DEBIAN/control"), "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, out],
            check=True,
            stdout=subprocess.DEVNULL,
        )


if __name__ == "__main__":
    main()
