#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Puts TaskLens below a prefix, and takes it away again.

    install.py install [--prefix DIR] [--destdir DIR] [--built DIR]     `./tasklens install` builds first
    install.py uninstall [--prefix DIR] [--destdir DIR]

    --prefix   /usr/local; PREFIX/bin belongs into PATH
    --destdir  a folder that stands for / while a package is made
    --built    where Bazel put what it built; bazel-bin

What was made stands in PREFIX/share/tasklens/installed, files and folders, so that it alone is removed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
from npm_packages import npm_folder  # noqa: E402

LIST = "share/tasklens/installed"
STARPU_VERSION = "1.4.12"  # whose interface the runtime has
# StarPU's tools that the program is when it is called by their names.
TWINS = [
    "starpu_fxt_tool",
    "starpu_lp2paje",
    "starpu_perfmodel_display",
    "starpu_perfmodel_plot",
    "starpu_perfmodel_recdump",
    "starpu_tasks_rec_complete",
]


class Failure(Exception):
    pass


def pc_file(prefix):
    """For pkg-config, in a folder that it looks into only when PKG_CONFIG_PATH names it."""
    escaped = prefix.replace("\\", "\\\\").replace(" ", "\\ ")
    return f"""prefix={escaped}
includedir=${{prefix}}/include/tasklens
libdir=${{prefix}}/lib/tasklens

Name: starpu
Description: TaskLens' task runtime, with StarPU's interface
Version: {STARPU_VERSION}
Cflags: -I${{includedir}}
Libs: -L${{libdir}} -Wl,-rpath,${{libdir}} -lstarpu
"""


def said_by(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout


def files_below(folder):
    for place, _, names in os.walk(os.path.join(ROOT, folder), followlinks=True):
        for name in sorted(names):
            path = os.path.join(place, name)
            yield path, os.path.relpath(path, os.path.join(ROOT, folder))


def contents(prefix, built):
    """What goes where: pairs of a path below the prefix, and a file's path, bytes, or ('link', target)."""
    program = os.path.join(built, "server/tools/tasklens")
    yield "bin/tasklens", program
    # In a folder of its own: StarPU's packages have commands of these names.
    for twin in TWINS:
        yield f"lib/tasklens/bin/{twin}", ("link", "../../../bin/tasklens")
    for tool in ("starpu_calibrate_bus", "starpu_machine_display"):
        yield f"lib/tasklens/bin/{tool}", os.path.join(built, "runtime", tool)
    yield "lib/tasklens/libstarpu.so", os.path.join(built, "runtime/libstarpu.so")
    yield "lib/tasklens/libtasklens-cuda.so", os.path.join(
        built, "runtime/drivers/cuda/libtasklens-cuda.so"
    )
    yield "lib/tasklens/pkgconfig/starpu-1.4.pc", pc_file(prefix).encode()
    yield "libexec/tasklens/examples/cholesky", os.path.join(built, "examples/cholesky")
    for path, name in files_below("runtime/include"):
        yield f"include/tasklens/{name}", path
    yield "share/man/man1/tasklens.1", said_by(program, "man")
    yield "share/bash-completion/completions/tasklens", said_by(program, "completion", "bash")
    yield "share/zsh/site-functions/_tasklens", said_by(program, "completion", "zsh")
    yield "share/fish/vendor_completions.d/tasklens.fish", said_by(program, "completion", "fish")
    # Where Neovim looks by itself, when the prefix is /usr, /usr/local or ~/.local.
    for folder in ("doc", "lua", "plugin"):
        for path, name in files_below(f"ide-plugin/neovim/{folder}"):
            yield f"share/nvim/site/pack/tasklens/start/tasklens/{folder}/{name}", path
    for path, name in files_below("ide-plugin/emacs"):
        if name.endswith(".el"):
            yield f"share/emacs/site-lisp/{name}", path
    yield "share/tasklens/tasklens-eclipse.zip", os.path.join(
        built, "ide-plugin/eclipse/tasklens-eclipse.zip"
    )
    if os.path.isdir(npm_folder("ide-plugin/vscode/npm")):
        yield "share/tasklens/tasklens.vsix", vsix()
    else:
        print("tasklens.vsix is left out: its npm packages are not installed", file=sys.stderr)
    for page in ("README.md", "LICENSE"):
        yield f"share/doc/tasklens/{page}", os.path.join(ROOT, page)
    for page in ("protocol.md", "launch.md"):
        yield f"share/doc/tasklens/{page}", os.path.join(ROOT, "ide-plugin", page)
    yield "share/doc/tasklens/answers.md", os.path.join(ROOT, "server/answers/answers.md")


def vsix():
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "tasklens.vsix")
        subprocess.run([os.path.join(ROOT, "ide-plugin/vscode/make_vsix.py"), out], check=True)
        with open(out, "rb") as file:
            return file.read()


class Place:
    """The prefix within destdir, and what is to be removed from it one day."""

    def __init__(self, prefix, destdir):
        self.prefix = prefix
        self.root = os.path.normpath(destdir + "/" + prefix) if destdir else prefix
        self.made = []  # relative paths, folders with a slash at the end and before what is in them

    def path(self, name):
        return os.path.join(self.root, name)

    def make_folder(self, name):
        """`name` below the prefix; also makes the prefix itself and what is above it."""
        path = os.path.normpath(self.path(name))
        if os.path.isdir(path):
            return
        self.make_folder(os.path.join(name, ".."))
        os.mkdir(path)
        self.made.append(os.path.relpath(path, self.root) + "/")

    def put(self, name, what):
        path = self.path(name)
        if os.path.lexists(path):
            raise Failure(f"{path} is there already and is not TaskLens'; move it away first")
        self.make_folder(os.path.dirname(name))
        self.made.append(name)
        if isinstance(what, tuple):
            os.symlink(what[1], path)
        elif isinstance(what, bytes):
            with open(path, "wb") as file:
                file.write(what)
            os.chmod(path, 0o644)
        else:
            shutil.copyfile(what, path)
            is_program = os.access(what, os.X_OK) and is_elf(path)
            os.chmod(path, 0o755 if is_program else 0o644)
            if is_program:
                subprocess.run(["strip", "--strip-unneeded", path], check=True)

    def write_list(self):
        self.make_folder(os.path.dirname(LIST))
        self.made.append(LIST)
        with open(self.path(LIST), "w", encoding="utf-8") as file:
            file.writelines(name + "\n" for name in self.made)

    def remove(self, made):
        for name in reversed(made):
            path = os.path.normpath(self.path(name))
            try:
                os.rmdir(path) if name.endswith("/") else os.unlink(path)
            except FileNotFoundError:
                pass  # the user was faster
            except OSError:
                if not name.endswith("/"):
                    raise
                # Somebody put something else into the folder, which stays.

    def installed(self):
        """The list, or None when nothing is installed here."""
        try:
            with open(self.path(LIST), encoding="utf-8") as file:
                names = file.read().splitlines()
        except FileNotFoundError:
            return None
        for name in names:
            is_above = name.endswith("/") and set(name.strip("/").split("/")) <= {".", ".."}
            if name.startswith("/") or (".." in name.split("/") and not is_above):
                raise Failure(f"{self.path(LIST)}: not a list of ours: {name}")
        return names


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def install(place, built):
    before = place.installed()
    if before is not None:
        place.remove(before)
    try:
        for name, what in contents(place.prefix, built):
            place.put(name, what)
        place.write_list()
    except BaseException:
        place.remove(place.made)  # whole or not at all
        raise
    print(f"{len(place.made)} files and folders are below {place.root}", file=sys.stderr)
    if not os.path.join(place.prefix, "bin") in os.environ.get("PATH", "").split(":"):
        print(f"put {place.prefix}/bin into PATH", file=sys.stderr)


def uninstall(place):
    made = place.installed()
    if made is None:
        raise Failure(f"TaskLens is not installed below {place.root}; name its folder with --prefix")
    place.remove(made)


def main():
    parser = argparse.ArgumentParser(prog="tasklens", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["install", "uninstall"])
    parser.add_argument("--prefix", default="/usr/local")
    parser.add_argument("--destdir", default="")
    parser.add_argument("--built", default=os.path.join(ROOT, "bazel-bin"))
    arguments = parser.parse_args()
    place = Place(os.path.abspath(os.path.expanduser(arguments.prefix)), arguments.destdir)
    os.umask(0o022)
    try:
        if arguments.what == "install":
            install(place, arguments.built)
        else:
            uninstall(place)
    except Failure as failure:
        sys.exit(f"tasklens: {failure}")
    except OSError as error:
        sys.exit(f"tasklens: {error.filename}: {error.strerror}; choose another --prefix, as ~/.local")


if __name__ == "__main__":
    main()
