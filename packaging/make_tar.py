#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Makes tasklens-VERSION-linux-x86_64.tar.gz: make_tar.py OUT BUILT.

What an installation holds, as install.py says, in one folder that runs on every Linux of glibc 2.28 and newer, from
any place. Three kinds of programs are in it:

    bin/tasklens            finds the others; packaging/portable/launcher.c
    lib/tasklens/program/   the program itself, with all libraries and the dynamic loader of this machine
    the rest                what a user's program loads, and what loads that: for the glibc of the system that it is
                            on, however old. From packaging/portable

The same bytes come of the same parts.
"""

import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from install import ROOT, SERVER_LIBRARY, contents, files_below, said_by  # noqa: E402

OLDEST_GLIBC = (2, 28)
PROGRAM = "lib/tasklens/program"
LOADER = "/lib64/ld-linux-x86-64.so.2"
# In the places of an installation's: files below packaging/portable. They run with the system's glibc.
PORTABLE = {
    "lib/tasklens/libstarpu.so": "libstarpu.so",
    "lib/tasklens/libtasklens-cuda.so": "libtasklens-cuda.so",
    "lib/tasklens/libhwloc.so.15": "libhwloc.so.15",
    "lib/tasklens/libCbcSolver.so.3": "libCbcSolver.so.3",
    "lib/tasklens/bin/starpu_calibrate_bus": "starpu_calibrate_bus",
    "lib/tasklens/bin/starpu_machine_display": "starpu_machine_display",
    "libexec/tasklens/examples/cholesky": "cholesky",
}
# What those may ask of the system.
OF_THE_SYSTEM = {"ld-linux-x86-64.so.2", "libgcc_s.so.1"} | {
    f"lib{name}.so.{number}"
    for name, number in (("c", 6), ("m", 6), ("dl", 2), ("pthread", 0), ("rt", 1))
}
# Loaded when there is a graph to lay out; it loads its layouts by name, after a list of them.
GRAPHVIZ = "libgvc.so.6"
LAYOUT = "libgvplugin_dot_layout.so.6"
# The program loads it when there is something to solve.
SOLVER = "libClp.so.1"
# Static libraries that the portable ones are linked of.
LINKED = ["libCbc.a", "libCgl.a", "libClp.a", "libCoinUtils.a", "libOsi.a", "blas/libblas.a", "lapack/liblapack.a"]
LINKED += ["libbz2.a", "libc.a", "libhwloc.a", "libstdc++.a", "libz.a"]
# Libraries that are headers alone, of which the program is compiled.
INCLUDED = ["/usr/include/CLI/CLI.hpp", "/usr/include/nlohmann/json.hpp"]
# Everything was made at this time: the first that a zip can say.
MADE = 315532800

README = """TaskLens {version}, a folder that runs on every Linux for x86-64 with glibc {glibc} or newer

    bin/tasklens demo
    cc my_program.c $(bin/tasklens flags) -o my_program
    bin/tasklens run -- ./my_program its arguments

Put it anywhere, and bin/ into PATH, or a link to bin/tasklens into a folder that is there already. It needs no
installation and no package; to remove it, remove the folder. A compiler is needed for programs of your own alone.

    share/tasklens/tasklens-eclipse.zip         Eclipse: Help > Install New Software > Add > Archive
    share/tasklens/tasklens.vsix                VS Code: code --install-extension
    share/nvim/site/pack/tasklens               Neovim: link it into ~/.local/share/nvim/site/pack
    share/emacs/site-lisp                       Emacs: (load "THIS FOLDER/tasklens-autoloads") in the init file
    share/doc/tasklens/README.md                the manual
    examples/                                   programs to begin with
    lib/tasklens/pkgconfig                      for PKG_CONFIG_PATH: the runtime as starpu-1.4
    licences/                                   of the libraries of others that are in the folder

They are Debian's, unchanged but those in lib/tasklens, which are linked anew of Debian's static libraries; which
packages they come from says licences/packages, and https://snapshot.debian.org has their sources. Those in
{program} may be exchanged for others of the same interface.
"""


class Failure(Exception):
    pass


def text_of(*command):
    return said_by(*command).decode()


def libraries_of(*files):
    """The files of all libraries that these load when they start, by the names that they are loaded by."""
    # Not those that an administrator may have chosen in the places of BLAS and LAPACK.
    place = os.path.dirname(system_library("libm.so.6"))
    first = f"LD_LIBRARY_PATH={place}/blas:{place}/lapack"
    found = {}
    for file in files:
        for name, path in re.findall(r"(\S+) => (\S+)", text_of("env", first, "ldd", file)):
            if path == "not":
                raise Failure(f"{file} needs {name}, which is not on this machine")
            found[name] = path
    return found


def system_library(name):
    path = text_of("gcc", f"-print-file-name={name}").strip()
    if not os.path.isabs(path):
        raise Failure(f"{name} is not on this machine; packages.txt names the packages")
    return os.path.realpath(path)


def layouts(folder):
    """What Graphviz reads of its plugins, with the one that is used alone: (name, text)."""
    lists = glob.glob(os.path.join(folder, "graphviz/config*"))
    for path in lists:
        with open(path, encoding="utf-8") as file:
            section = re.search(rf"^{re.escape(LAYOUT)} .*?^\}}\n", file.read(), re.MULTILINE | re.DOTALL)
        if section:
            return os.path.basename(path), section.group()
    raise Failure(f"{folder}/graphviz: no list of plugins names {LAYOUT}; `dot -c` writes it")


def program_files(built):
    """lib/tasklens/program: pairs of a name, and a file's path or bytes."""
    parts = {name: os.path.join(built, "server/command_line", name) for name in ("tasklens", os.path.basename(SERVER_LIBRARY))}
    yield from parts.items()
    yield os.path.basename(LOADER), os.path.realpath(LOADER)
    graphviz = os.path.join(os.path.dirname(system_library("libgvc.so")))
    layout = os.path.join(graphviz, "graphviz", LAYOUT)
    loaded = {name: system_library(name) for name in (GRAPHVIZ, SOLVER)}
    # The layout needs Graphviz itself.
    yield from (libraries_of(*parts.values(), layout, *loaded.values()) | loaded).items()
    name, text = layouts(graphviz)
    yield f"graphviz/{name}", text.encode()
    yield f"graphviz/{LAYOUT}", layout
    # Qt loads no plugin of the system's.
    yield "qt.conf", b"[Paths]\nPrefix = .\nPlugins = plugins\n"


def items(built):
    """All that is in the folder: pairs of a name, and a file's path, bytes, or ('link', target)."""
    portable = os.path.join(built, "packaging/portable")
    # pkg-config knows where its file lies.
    for name, what in contents("${pcfiledir}/../../..", built):
        if name == "bin/tasklens":
            what = os.path.join(portable, "launcher")
        if name not in PORTABLE and name != SERVER_LIBRARY:
            yield name, what
    for name, file in PORTABLE.items():
        yield name, os.path.join(portable, file)
    yield "lib/tasklens/libhwloc.so", ("link", "libhwloc.so.15")
    # Our headers include its.
    for folder in ("/usr/include", "/usr/include/x86_64-linux-gnu"):
        for path in glob.glob(folder + "/hwloc.h") + glob.glob(folder + "/hwloc/**/*.h", recursive=True):
            yield "include/tasklens/" + os.path.relpath(path, folder), path
    for name, what in program_files(built):
        yield f"{PROGRAM}/{name}", what
    # `tasklens demo` shows the text of the one that it runs.
    for path, name in files_below("examples"):
        if re.fullmatch(r"\w+\.(c|cc|h)", name):
            yield f"examples/{name}", path


def write(folder, name, what):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if isinstance(what, tuple):
        os.symlink(what[1], path)
    elif isinstance(what, bytes):
        with open(path, "wb") as file:
            file.write(what)
        os.chmod(path, 0o644)
    else:
        shutil.copyfile(what, path)
        os.chmod(path, 0o755 if is_elf(path) else 0o644)
        if is_elf(path):
            subprocess.run(["strip", "--strip-unneeded", path], check=True)


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def check_portable(path, name):
    """Whether what a user's program loads asks for nothing that an old system has not."""
    needed = set(re.findall(r"NEEDED\s+(\S+)", text_of("objdump", "-p", path)))
    if strange := needed - OF_THE_SYSTEM - {os.path.basename(other) for other in PORTABLE}:
        raise Failure(f"{name} needs {', '.join(sorted(strange))}, which not every system has")
    for version, symbol in re.findall(r"\(GLIBC_([\d.]+)\)\s+(\S+)", text_of("objdump", "-T", path)):
        if tuple(map(int, version.split("."))) > OLDEST_GLIBC:
            raise Failure(
                f"{name} needs {symbol} of glibc {version}; add it to packaging/portable/old_glibc.c"
            )


def package_of(path):
    for name in (path, os.path.realpath(path), os.path.realpath(path).removeprefix("/usr")):
        said = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True)
        if said.returncode == 0:
            return said.stdout.split(":")[0]
    raise Failure(f"{path} is of no Debian package, so nobody knows its licence")


def licences(paths):
    """Pairs of a name in licences/ and bytes: of the packages of these files, and of what is linked or included."""
    packages = sorted({package_of(path) for path in [*paths, *INCLUDED, *map(system_library, LINKED)]})
    versions = text_of("dpkg-query", "--show", "-f", "${Package} ${Version} ${source:Package}\n", *packages)
    yield "packages", ("# package, version, source package\n" + versions).encode()
    named = set()
    for package in packages:
        with open(f"/usr/share/doc/{package}/copyright", "rb") as file:
            text = file.read()
        yield f"{package}/copyright", text
        named |= set(re.findall(rb"/usr/share/common-licenses/([\w.+-]*\w)", text))
    for name in sorted(named):
        path = os.path.join(b"/usr/share/common-licenses", name)
        if os.path.exists(path):  # some pages have misspelt names
            with open(path, "rb") as file:
                yield f"common-licenses/{name.decode()}", file.read()


def fill(folder, built, version):
    of_others = []
    for name, what in items(built):
        write(folder, name, what)
        if isinstance(what, str) and not what.startswith((ROOT + "/", built + "/")):
            of_others.append(what)
    for name, text in licences(of_others):
        write(folder, f"licences/{name}", text)
    glibc = ".".join(map(str, OLDEST_GLIBC))
    write(folder, "README", README.format(version=version, glibc=glibc, program=PROGRAM).encode())
    for name in PORTABLE:
        check_portable(os.path.join(folder, name), name)


def pack(folder, out, top):
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = MADE
        return entry

    with open(out, "wb") as file, gzip.GzipFile("", "wb", 6, file, 0) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for place, folders, names in os.walk(folder):
                folders.sort()
                inside = os.path.join(top, os.path.relpath(place, folder))
                tar.add(place, os.path.normpath(inside), recursive=False, filter=plain)
                for name in sorted(names):
                    entry = os.path.normpath(os.path.join(inside, name))
                    tar.add(os.path.join(place, name), entry, filter=plain)


def main():
    out, built = (os.path.abspath(path) for path in sys.argv[1:])
    version = text_of(os.path.join(built, "server/command_line/tasklens"), "--version").split()[-1]
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        try:
            fill(folder, built, version)
        except Failure as failure:
            sys.exit(f"tasklens: {failure}")
        pack(folder, out, f"tasklens-{version}-linux-x86_64")


if __name__ == "__main__":
    main()
