#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Puts TaskLens below a prefix, or takes it away again.

./tasklens install [--prefix DIR] [--with EDITORS] [--from DIR] [--symbols WHICH]
./tasklens uninstall [--prefix DIR]

What was there of an older version is replaced, all of it or nothing. Files that you changed stay: as NAME.changed,
where a new one takes the place. What was put stands in PREFIX/share/tasklens/installed, so that it alone is removed.
"""

import argparse
import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tools"))
from editors import EDITORS, WrongUsage, chosen, ready_made  # noqa: E402
from emacs_autoloads import autoloads  # noqa: E402
from exchange import Failure, Place, exchange, recover  # noqa: E402
from npm_packages import npm_folder  # noqa: E402

STARPU_VERSION = "1.4.12"  # whose interface the runtime has
# StarPU's tools that the program is when it is called by their names.
TWINS = [
    "fxt_print",
    "starpu_codelet_histo_profile",
    "starpu_codelet_profile",
    "starpu_fxt_data_trace",
    "starpu_fxt_number_events_to_names.py",
    "starpu_fxt_stats",
    "starpu_fxt_tool",
    "starpu_lp2paje",
    "starpu_mpi_comm_matrix.py",
    "starpu_paje_draw_histogram",
    "starpu_paje_sort",
    "starpu_paje_state_stats",
    "starpu_paje_summary",
    "starpu_perfmodel_display",
    "starpu_perfmodel_plot",
    "starpu_perfmodel_recdump",
    "starpu_send_recv_data_use.py",
    "starpu_tasks_rec_complete",
    "starpu_trace_state_stats.py",
    "starpu_workers_activity",
]
SERVER_LIBRARY = "lib/tasklens/libtasklens-server.so"
MPI_LIBRARY = "libstarpumpi-1.4.so"
TOOLS = ["starpu_calibrate_bus", "starpu_machine_display"]  # and those that are programs of their own


def pc_file(prefix, name, description, libs, requires=""):
    """For pkg-config, in a folder that it looks into only when PKG_CONFIG_PATH names it."""
    escaped = prefix.replace("\\", "\\\\").replace(" ", "\\ ")
    return f"""prefix={escaped}
exec_prefix=${{prefix}}
includedir=${{prefix}}/lib/tasklens/starpu/include
libdir=${{prefix}}/lib/tasklens

Name: {name}
Description: TaskLens' task runtime{description}, with StarPU's interface
Version: {STARPU_VERSION}
{requires}Cflags: -I${{prefix}}/include/tasklens
Libs: -L${{libdir}} -Wl,-rpath,${{libdir}} {libs}
"""


def cmake_version():
    """What find_package() asks before the package itself: every version of StarPU 1 up to ours will do."""
    return f"""set(PACKAGE_VERSION {STARPU_VERSION})
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION AND PACKAGE_FIND_VERSION VERSION_GREATER_EQUAL 1)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
"""


def said_by(*command):
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout
    except FileNotFoundError:
        raise Failure(f"{command[0]} is missing") from None
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout).decode(errors="replace").strip()
        raise Failure(f"{os.path.basename(command[0])} failed: {said or error.returncode}") from None


def files_below(folder):
    for place, _, names in os.walk(os.path.join(ROOT, folder), followlinks=True):
        for name in sorted(names):
            path = os.path.join(place, name)
            yield path, os.path.relpath(path, os.path.join(ROOT, folder))


def contents(prefix, built, editors=tuple(EDITORS), ready=None):
    """What goes where: pairs of a path below the prefix, and a file's path, bytes, or ('link', target).

    built    the folder where Bazel put what it built
    editors  whose plugins are among it
    ready    files of plugins that are not to be built, by editor
    """
    program = os.path.join(built, "server/command_line/tasklens")
    yield "bin/tasklens", program
    # A part of it that is loaded for some commands; see server/command_line/server_commands.h.
    yield SERVER_LIBRARY, os.path.join(built, "server/command_line", os.path.basename(SERVER_LIBRARY))
    # In a folder of its own: StarPU's packages have commands of these names.
    for twin in TWINS:
        yield f"lib/tasklens/bin/{twin}", ("link", "../../../bin/tasklens")
    for tool in TOOLS:
        yield f"lib/tasklens/bin/{tool}", os.path.join(built, "runtime", tool)
    yield "lib/tasklens/libstarpu.so", os.path.join(built, "runtime/libstarpu.so")
    yield "lib/tasklens/libtasklens-cuda.so", os.path.join(
        built, "runtime/drivers/cuda/libtasklens-cuda.so"
    )
    yield "lib/tasklens/pkgconfig/starpu-1.4.pc", pc_file(prefix, "starpu", "", "-lstarpu").encode()
    yield from several_processes(prefix, built)
    yield from names_of_starpu()
    yield "libexec/tasklens/examples/cholesky", os.path.join(built, "examples/cholesky")
    for path, name in files_below("runtime/include"):
        yield f"include/tasklens/{name}", path
    yield "share/man/man1/tasklens.1", said_by(program, "man")
    yield "share/bash-completion/completions/tasklens", said_by(program, "completion", "bash")
    yield "share/zsh/site-functions/_tasklens", said_by(program, "completion", "zsh")
    yield "share/fish/vendor_completions.d/tasklens.fish", said_by(program, "completion", "fish")
    for editor in editors:
        yield from PLUGINS[editor](built, (ready or {}).get(editor))
    for page in pages():
        yield f"share/doc/tasklens/{page}", os.path.join(ROOT, page)


def pages():
    """README.md, and each file that it or one of these pages links to, so that their links hold where they are put."""
    found, ahead = set(), ["README.md"]
    while ahead:
        page = ahead.pop()
        if page in found:
            continue
        found.add(page)
        if page.endswith(".md"):
            with open(os.path.join(ROOT, page), encoding="utf-8") as text:
                links = re.findall(r"\]\(([^)#:]+)[)#]", text.read())
            ahead += [os.path.normpath(os.path.join(os.path.dirname(page), link)) for link in links]
    return sorted(found)


def several_processes(prefix, built):
    """starpu_mpi_*, where the build found an MPI; where not, it said so."""
    library = os.path.join(built, "runtime/mpi", MPI_LIBRARY)
    if not os.path.isfile(library):
        return
    yield f"lib/tasklens/{MPI_LIBRARY}", library
    for path, name in files_below("runtime/mpi/include"):
        yield f"include/tasklens/{name}", path
    # MPI's own flags come from mpicc.
    several = " for several processes"
    text = pc_file(prefix, "starpumpi", several, "-lstarpumpi-1.4", "Requires: starpu-1.4\n")
    yield "lib/tasklens/pkgconfig/starpumpi-1.4.pc", text.encode()
    for name in ("libstarpumpi", "starpumpi-1.0", "starpumpi-1.1", "starpumpi-1.2", "starpumpi-1.3"):
        yield f"lib/tasklens/pkgconfig/{name}.pc", ("link", "starpumpi-1.4.pc")
    for version in ("", "-1.3"):
        yield f"lib/tasklens/libstarpumpi{version}.so", ("link", MPI_LIBRARY)
    for version in ("", "-1.3", "-1.4"):
        yield f"lib/tasklens/starpu/lib/libstarpumpi{version}.so", ("link", f"../../{MPI_LIBRARY}")


def commands_of_starpu(place):
    """Links in bin to the twins of those of StarPU's tools that the machine has not: who types their names finds them,
    and nobody's StarPU is hidden. Also the names of the others."""
    links, others = [], []
    ours = {place.path("bin"), place.path("lib/tasklens/bin")}
    elsewhere = os.pathsep.join(p for p in os.environ.get("PATH", "").split(os.pathsep) if p not in ours)
    for name in TWINS + TOOLS:
        link = f"bin/{name}"
        foreign = os.path.lexists(place.path(link)) and link not in (place.installed() or {})
        if foreign or shutil.which(name, path=elsewhere):
            others.append(name)
        else:
            links.append((link, ("link", f"../lib/tasklens/bin/{name}")))
    return links, others


def names_of_starpu():
    """The names under which programs look for StarPU, all of them below lib/tasklens, so that they hide no StarPU of
    the system. lib/tasklens/starpu is a prefix of StarPU's shape, for STARPU_DIR and the like.
    """
    shape = "lib/tasklens/starpu"
    for name in ("libstarpu", "starpu-1.0", "starpu-1.1", "starpu-1.2", "starpu-1.3"):
        yield f"lib/tasklens/pkgconfig/{name}.pc", ("link", "starpu-1.4.pc")
    yield f"{shape}/lib/pkgconfig", ("link", "../../pkgconfig")
    # Where it is given as the prefix of this installation.
    yield f"{shape}/lib/tasklens", ("link", ".")
    for version in ("", "-1.3", "-1.4"):
        if version:
            yield f"lib/tasklens/libstarpu{version}.so", ("link", "libstarpu.so")
            yield f"{shape}/include/starpu/{version[1:]}", ("link", "../../../../../include/tasklens")
        yield f"{shape}/lib/libstarpu{version}.so", ("link", "../../libstarpu.so")
    # For find_package(StarPU), in whatever case it is written.
    cmake = f"{shape}/lib/cmake/starpu"
    yield f"{cmake}/starpu-config.cmake", os.path.join(ROOT, "packaging/starpu-config.cmake")
    yield f"{cmake}/starpu-config-version.cmake", cmake_version().encode()


def neovim_plugin(_built, _ready):
    # Where Neovim looks by itself, when the prefix is /usr, /usr/local or ~/.local.
    for folder in ("doc", "lua", "plugin"):
        for path, name in files_below(f"ide-plugin/neovim/{folder}"):
            yield f"share/nvim/site/pack/tasklens/start/tasklens/{folder}/{name}", path


def emacs_plugin(_built, _ready):
    files = []
    for path, name in files_below("ide-plugin/emacs"):
        if name.endswith(".el"):
            yield f"share/emacs/site-lisp/{name}", path
            with open(path, encoding="utf-8") as file:
                files.append((name, file.read()))
    yield "share/emacs/site-lisp/tasklens-autoloads.el", autoloads(files).encode()


def eclipse_plugin(built, ready):
    yield "share/tasklens/tasklens-eclipse.zip", ready or eclipse_site(built)


def vscode_plugin(_built, ready):
    yield "share/tasklens/tasklens.vsix", ready or vsix()


PLUGINS = {
    "eclipse": eclipse_plugin,
    "vscode": vscode_plugin,
    "neovim": neovim_plugin,
    "emacs": emacs_plugin,
}


def eclipse_site(built):
    return os.path.join(built, "ide-plugin/eclipse/tasklens-eclipse.zip")


def vsix():
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "tasklens.vsix")
        said_by(os.path.join(ROOT, "ide-plugin/vscode/make_vsix.py"), out)
        with open(out, "rb") as file:
            return file.read()


def is_buildable(editor, built):
    """Whether what its plugin is built with is here; so it is where nothing is to be built."""
    if editor == "vscode":
        return os.path.isdir(npm_folder("ide-plugin/vscode/npm"))
    return editor != "eclipse" or os.path.exists(eclipse_site(built))


def write(items, folder, symbols):
    """Writes what `contents` answers below a folder, programs without what only a debugger reads: that is in .debug
    beside a program, where debuggers and profilers look, whatever the prefix is. Which of it, `symbols` says."""
    for name, what in items:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(what, tuple):
            os.symlink(what[1], path)
            continue
        if isinstance(what, bytes):
            with open(path, "wb") as file:
                file.write(what)
        elif not os.path.exists(what):
            raise Failure(f"{what} is not built; ./tasklens install builds it")
        elif is_program(what):
            write_program(what, path, SYMBOLS[symbols](name))
        else:
            shutil.copyfile(what, path)
        os.chmod(path, 0o755 if not isinstance(what, bytes) and is_program(what) else 0o644)


# Of which files the symbols are wanted.
SYMBOLS = {
    "runtime": lambda name: name.endswith(".so") and name != SERVER_LIBRARY,
    "all": lambda name: True,
    "none": lambda name: False,
}


def write_program(built, path, symbols):
    # Elsewhere first: of a full disk objcopy tells in many words.
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, os.path.basename(path))
        debug = program + ".debug"
        more = []
        if symbols:
            said_by("objcopy", "--only-keep-debug", "--compress-debug-sections", built, debug)
            folder = os.path.join(os.path.dirname(path), ".debug")
            os.makedirs(folder, exist_ok=True)
            shutil.copyfile(debug, os.path.join(folder, os.path.basename(debug)))
            more = ["--add-gnu-debuglink=" + debug]
        said_by("objcopy", "--strip-unneeded", *more, built, program)
        shutil.copyfile(program, path)


def is_program(path):
    with open(path, "rb") as file:
        return os.access(path, os.X_OK) and file.read(4) == b"\x7fELF"


def say(text):
    print(f"tasklens: {text}", file=sys.stderr)


def check_place(place):
    """Before anything is built or moved: whether it can be put there, or taken away, at all."""
    folder = place.path("share/tasklens")
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise Failure(f"{folder} is a file; choose another --prefix")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Failure(f"{folder} is not yours to write to; choose another --prefix, as ~/.local, or use sudo")


def plan(place, arguments):
    """Tells ./tasklens the plugins to build: `must EDITOR`, or `may EDITOR` where --with does not name it."""
    check_place(place)
    ready = ready_made(arguments.ready)
    for name in arguments.wanted:
        if EDITORS[name].plugin and name not in ready:
            print("may" if arguments.editors is None else "must", name)


def choose(arguments, ready):
    """The editors whose plugins are put in place; a line for each that is left out without having been asked for."""
    editors, left_out = [], []
    unbuilt = arguments.unbuilt.split(",")
    for name, editor in EDITORS.items():
        if name not in arguments.wanted:
            why = f"{editor.title} is not on this machine; --with {name} puts it there all the same"
        elif name in ready or (name not in unbuilt and is_buildable(name, arguments.built)):
            editors.append(name)
            continue
        else:
            why = f"{editor.unbuilt}; --with {name} says what is missing, --from takes it from a release"
            if arguments.editors:
                raise Failure(f"the plugin of {editor.title} is not built: {editor.unbuilt}; see --from")
        if arguments.editors is None:
            left_out.append(f"the plugin of {editor.title} is left out: {why}")
    return editors, left_out


def install(place, arguments):
    check_place(place)
    ready = ready_made(arguments.ready)
    editors, left_out = choose(arguments, ready)
    items = list(contents(place.prefix, arguments.built, editors, ready))
    others = []
    if not arguments.destdir:  # a package does not know what other machines have
        links, others = commands_of_starpu(place)
        items += links
    done = exchange(place, lambda folder: write(items, folder, arguments.symbols))
    size_mb = sum(os.lstat(place.path(name)).st_size for name in done.put) / 1e6
    say(f"{len(done.put)} files, {size_mb:.0f} MB, are below {place.root}")
    for line in left_out:
        say(line)
    for name, copy in done.aside.items():
        say(f"you had changed {place.path(name)}; yours is now {place.path(copy)}")
    tell_left(place, done.left)
    for name in editors:
        if EDITORS[name].use:
            say(f"in {EDITORS[name].title}: {EDITORS[name].use.format(place.prefix)}")
    if others:
        say(
            f"this machine has StarPU's own {', '.join(others)}; to have ours instead, put "
            f"{place.prefix}/lib/tasklens/bin in front of PATH"
        )
    if os.path.join(place.prefix, "bin") not in os.environ.get("PATH", "").split(":"):
        say(f"put {place.prefix}/bin into PATH")


def uninstall(place, _arguments):
    recover(place)
    if place.installed() is None:
        raise Failure(f"TaskLens is not installed below {place.root}; name its folder with --prefix")
    check_place(place)
    tell_left(place, exchange(place).left)


def tell_left(place, names):
    for name in names:
        if name.endswith("/"):
            say(f"{place.path(name)} stays, as something else is in it")
        else:
            say(f"{place.path(name)} stays, as it was changed since it was put there")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise WrongUsage(f"{message}; see ./tasklens install --help")


def parse(words):
    parser = Parser(
        prog="tasklens",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    hidden = argparse.SUPPRESS
    parser.add_argument("what", choices=ACTIONS, help=hidden)
    parser.add_argument(
        "--prefix", metavar="DIR", default="/usr/local", help="/usr/local; DIR/bin belongs into PATH"
    )
    parser.add_argument(
        "--with", metavar="EDITORS", dest="editors",
        help=f"whose plugins: a list such as {','.join(EDITORS)}; all; none. Without it: those of the"
        " editors that are on this machine",
    )
    parser.add_argument(
        "--from", metavar="DIR", dest="ready",
        help="an unpacked release, or its files tasklens.vsix, tasklens-eclipse.zip: these plugins are"
        " taken from there, and what building them needs is not asked for",
    )
    parser.add_argument(
        "--symbols", metavar="WHICH", choices=SYMBOLS, default="runtime",
        help="what gdb and perf need to name functions: those of the runtime that your programs load (2 MB);"
        " all (22 MB); none. Without it: runtime",
    )
    # For ./tasklens: where Bazel put what it built, and the editors whose plugins it could not build.
    parser.add_argument("--built", default=os.path.join(ROOT, "bazel-bin"), help=hidden)
    parser.add_argument("--unbuilt", default="", help=hidden)
    # For packages: a folder that stands for /.
    parser.add_argument("--destdir", default="", help=hidden)
    arguments = parser.parse_args(words)
    arguments.wanted = chosen(arguments.editors)
    return arguments


ACTIONS = {"plan": plan, "install": install, "uninstall": uninstall}


class Interrupted(BaseException):
    pass


def interrupt(number, _frame):
    raise Interrupted(number)


def explained(error, place):
    """A fault of the file system, and what to do."""
    where = f"{error.filename or place.root}: {error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"{where}; it is as it was. Free some space, or choose another --prefix"
    return f"{where}; choose another --prefix, as ~/.local"


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    os.umask(0o022)
    place = None
    try:
        arguments = parse(sys.argv[1:])
        place = Place(os.path.abspath(os.path.expanduser(arguments.prefix)), arguments.destdir)
        ACTIONS[arguments.what](place, arguments)
    except Failure as failure:
        say(failure)
        sys.exit(2 if isinstance(failure, WrongUsage) else 1)
    except OSError as error:
        say(explained(error, place))
        sys.exit(1)
    except Interrupted as interrupted:
        say("interrupted; everything is as it was")
        sys.exit(128 + interrupted.args[0])


if __name__ == "__main__":
    main()
