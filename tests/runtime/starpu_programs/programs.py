#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""StarPU's own example and test programs, unchanged, with our headers and library.

    bazel build //runtime:libstarpu.so
    tests/runtime/starpu_programs/programs.py                  # every program that changed or never ran
    tests/runtime/starpu_programs/programs.py --only 'main/*'  # some of them
    tests/runtime/starpu_programs/programs.py --write-table    # and table-VERSION.tsv from all results
    tests/runtime/starpu_programs/programs.py --starpu 1.4.10  # those of another version (EDITIONS)
    tests/runtime/starpu_programs/programs.py --mpi            # those of several processes, under mpirun
    TASKLENS_STARPU_SOURCE=.../starpu tests/runtime/starpu_programs/programs.py --starpu master

    bazel build --config=tsan //runtime:libstarpu.so           # or asan, ubsan
    tests/runtime/starpu_programs/programs.py --sanitizer tsan # reports of our code; the program has it as well

The source is that of Debian's package: where TASKLENS_STARPU_SOURCE says, else fetched into the user's cache with apt,
from Debian's archive as the machine's own list of sources has it. It is never part of this tree.

What is built of it is what its Makefile.am files list for a machine with CPUs only. Results are kept by program, and
a program is compiled and run again when our library or headers changed (--again: in any case).
"""
import argparse
import collections
import concurrent.futures
import contextlib
import fnmatch
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading

import sanitizers

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../mpi"))
from for_mpirun import ENVIRONMENT  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PACKAGE = "starpu"

# What the conditions of the Makefile.am files are on a machine with CPUs, hwloc and BLAS only. A condition that is
# not here is an error: a new one is looked at by a person.
CONDITIONS = {
    "FALSE": False, "STARPU_COVERITY": False, "STARPU_CROSS_COMPILING": False, "STARPU_HAVE_AM111": True,
    "STARPU_HAVE_CBLAS_H": True, "STARPU_HAVE_CBLAS_SGEMV": True, "STARPU_HAVE_CXX11": True, "STARPU_HAVE_F77": False,
    "STARPU_HAVE_F77_H": False, "STARPU_HAVE_FC": False, "STARPU_HAVE_HWLOC": True, "STARPU_HAVE_ICC": False,
    "STARPU_HAVE_OPENGL": False, "STARPU_HAVE_OPENMP": True, "STARPU_HAVE_WINDOWS": False, "STARPU_HAVE_X11": False,
    "STARPU_HWLOC_HAVE_TOPOLOGY_DUP": True, "STARPU_LONG_CHECK": True, "STARPU_MKL_BLAS_LIB": False,
    "STARPU_MPI_CHECK": False, "STARPU_NO_BLAS_LIB": False, "STARPU_QUICK_CHECK": True, "STARPU_SANITIZE": False,
    "STARPU_SIMGRID": False, "STARPU_SIMGRID_MC": False, "STARPU_USE_CUDA": False, "STARPU_USE_MPI": False,
    "STARPU_USE_MPI_MASTER_SLAVE": False, "STARPU_USE_OPENCL": False, "STARPU_COVERAGE_ENABLED": False,
    "STARPU_USE_FXT": False, "STARPU_USE_HIP": False, "STARPU_USE_HIPBLAS": False, "STARPU_USE_MAX_FPGA": False,
    "STARPU_HAVE_HWLOC_TYPE_SSCANF": True, "STARPU_PARALLEL_WORKER": True, "STARPU_RECURSIVE_TASKS": False,
    "STARPU_USE_SYCL": False, "STARPU_USE_SYCLBLAS": False, "STARPU_USE_MPI_MPI": True,
    "STARPU_MPI_MINIMAL_TESTS": False, "STARPU_USE_MPI_FT": True, "STARPU_HAVE_MPIFORT": False,
    "STARPU_HAVE_LIBLAPACK": True, "STARPU_MPI_SYNC_CLOCKS": False,
}
# Folder of a Makefile.am, and which of its programs are ours to run.
GROUPS = [
    ("examples", "*"),
    ("examples/stencil", "*"),
    ("tests", "main/*"), ("tests", "datawizard/*"), ("tests", "perfmodels/*"), ("tests", "microbenchs/*"),
    ("tests", "overlap/*"), ("tests", "sched_policies/*"), ("tests", "parallel_tasks/*"), ("tests", "disk/*"),
]
# What came with 1.4, or is private there no more.
GROUPS_OF_1_4 = GROUPS + [("tests", "errorcheck/*"), ("tests", "fault-tolerance/*"), ("tests", "helper/*"),
                          ("tests", "openmp/*"), ("tests", "sched_ctx/*")]
# Those of several processes, and with how many each is run.
GROUPS_OF_MPI = [("mpi/tests", "*"), ("mpi/examples", "*")]
RANKS = (2, 4)
# A version of StarPU: Debian's package of it (None: only where TASKLENS_STARPU_SOURCE says), the release of Debian that
# has it, and what of it is run.
Edition = collections.namedtuple("Edition", "version package_version suite groups")
EDITIONS = {edition.version: edition for edition in (
    Edition("1.3.10", "1.3.10+dfsg-2", "bookworm", GROUPS),
    Edition("1.4.10", "1.4.10+dfsg-2", "sid", GROUPS_OF_1_4),
    Edition("master", None, None, GROUPS_OF_1_4),
)}
# What StarPU's configure script would have found on this machine.
DEFINITIONS = ["-DSTARPU_HAVE_BLAS", "-DSTARPU_SYSTEM_BLAS", "-DSTARPU_HAVE_CBLAS_H", "-DSTARPU_HAVE_CXX11",
               "-DSTARPU_HAVE_NEARBYINTF", "-DSTARPU_QUICK_CHECK"]
# And what it gives to programs by name.
FLAGS = {"$(OPENMP_CFLAGS)": "-fopenmp"}
# What a program's part of the Makefile.am forgets.
MORE_FLAGS = {"examples/sched_ctx/parallel_tasks_with_cluster_api": ["-fopenmp"]}
# Arguments of the few programs that would not end, or do nothing, without. {source}: the folder of the source.
ARGUMENTS = {
    "examples/mandelbrot/mandelbrot": "-niter 2 -no-x11 -width 80 -height 80 -nblocks 16",
    "examples/pi/pi": "-ntasks 8",  # of 16 million shots each
    "examples/pi/pi_redux": "-ntasks 8",
    "examples/spmv/dw_block_spmv": "{source}/examples/spmv/matrix_market/examples/fidapm05.mtx",
}
# Programs that no other runtime can run: they want somebody's file, or are tests of what is inside StarPU's library.
LEFT_OUT = {
    "examples/ppm_downscaler/ppm_downscaler": "reads a picture that is not in the source package",
    "examples/ppm_downscaler/yuv_downscaler": "reads a film that is not in the source package",
    "mpi/tests/early_stuff": "tests private functions of StarPU (_starpu_mpi_early_data_create)",
    "mpi/tests/insert_task_recv_cache": "calls a private function of StarPU (_starpu_malloc_willpin_on_node)",
    "mpi/tests/policy_register_many": "reads a private number of StarPU (_STARPU_MPI_NODE_SELECTION_MAX_POLICY)",
    "mpi/tests/nothing": "is to fail, by StarPU's own list",
    "mpi/tests/policy_register_toomany": "is to fail, by StarPU's own list",
    "mpi/tests/policy_unregister": "is to fail, by StarPU's own list",
    "mpi/tests/starpu_redefine": "is to fail, by StarPU's own list",
    "tests/datawizard/data_register": "reads StarPU's private structures of data",
    "tests/datawizard/allocate": "looks into StarPU's private memory manager",
    "tests/datawizard/interfaces/copy_interfaces": "reads StarPU's private structures of data",
    "tests/errorcheck/invalid_blocking_calls": "is to fail, by StarPU's own list, and wants private names of valgrind's",
    "tests/main/deadlock": "never ends, on purpose: it is for trying debuggers on",
    "tests/main/mkdtemp": "tests private functions of StarPU (_starpu_mkdtemp)",
    "tests/main/starpu_worker_exists": "tests a private function of StarPU (_starpu_worker_exists)",
    "tests/microbenchs/display_structures_size": "shows StarPU's private structures",
    "tests/microbenchs/local_pingpong": "calls a private function of StarPU (_starpu_benchmark_ping_pong)",
    "tests/sched_ctx/sched_ctx_list": "tests a private list of StarPU (_starpu_sched_ctx_list)",
    "tests/perfmodels/path": "tests private functions of StarPU (_starpu_mkpath_and_check)",
    "tests/perfmodels/valid_model": "reads StarPU's private structures of models",
    "tests/perfmodels/value_nan": "tests private functions of StarPU (_starpu_write_double)",
    "tests/sched_policies/data_locality": "takes policies by private names (_starpu_sched_dmda_policy)",
    "tests/sched_policies/execute_all_tasks": "reads StarPU's private structures of tasks",
    "tests/sched_policies/simple_cpu_gpu_sched": "takes policies by private names (_starpu_sched_dmda_policy)",
}
# Programs that ask for a speedup: they are run alone, and again when the machine had other things to do.
ALONE = "tests/microbenchs/parallel_*"
ATTEMPTS = 3
SKIPPED_BY_ITSELF = 77  # the exit status
# Where a program itself is at fault for what a sanitizer reports of our code.
AT_FAULT = {
    "tests/main/job": "hands tasks from worker to worker with fences, which no sanitizer sees",
    "tests/datawizard/unpartition": "changes the codelet of a task that may still run",
}
# What can become of a program.
VERDICTS = ["runs", "does not compile", "ends with a signal", "fails", "hangs", "skips itself", "left out"]
REPORTED = "reported"  # only with a sanitizer


class Failure(Exception):
    """One line for the user."""


def source_folder(edition):
    given = os.environ.get("TASKLENS_STARPU_SOURCE")
    if given:
        folder = pathlib.Path(given)
        if not (folder / "tests/helper.h").is_file():
            raise Failure(f"TASKLENS_STARPU_SOURCE={given} is not StarPU's source (no tests/helper.h there)")
        return folder
    if not edition.package_version:
        raise Failure(f"StarPU {edition.version} is in no package: set TASKLENS_STARPU_SOURCE to a folder that has it")
    return cache_folder(edition) / "source"


def cache_folder(edition):
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "tasklens" / f"starpu-{edition.package_version or edition.version}"


def keyring():
    """The signed-by of the machine's own entry for Debian's archive, and its address."""
    for path in sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*.sources")):
        fields = {}
        for line in path.read_text().splitlines() + [""]:
            if not line.strip():
                if "debian.org/debian" in fields.get("uris", "") and "signed-by" in fields:
                    return fields["signed-by"], fields["uris"].split()[0]
                fields = {}
            elif ":" in line and not line.startswith("#"):
                key, value = line.split(":", 1)
                fields[key.lower()] = value.strip()
    path = pathlib.Path("/etc/apt/sources.list")
    for line in path.read_text().splitlines() if path.is_file() else []:
        found = re.match(r"deb\s+\[[^]]*signed-by=([^] ]+)[^]]*\]\s+(\S*debian\.org/debian)\S*\s", line)
        if found:
            return found.group(1), found.group(2)
    raise Failure("no entry for Debian's archive with a signed-by in /etc/apt: nowhere to fetch StarPU's source from; "
                  "set TASKLENS_STARPU_SOURCE to a folder that has it")


def fetch(edition, target):
    """The package's source in `target`, with lists and caches of apt's beside it."""
    signed_by, address = keyring()
    work = target.parent / "apt"
    for folder in ("parts", "lists/partial", "cache/archives/partial"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    (work / "parts/source.list").write_text(f"deb-src [signed-by={signed_by}] {address} {edition.suite} main\n")
    options = ["-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={work}/parts",
               "-o", f"Dir::State::Lists={work}/lists", "-o", f"Dir::Cache={work}/cache",
               "-o", "APT::Sandbox::User="]
    for command in (["update"], ["source", f"{PACKAGE}={edition.package_version}"]):
        done = subprocess.run(["apt-get", "-q", *options, *command], cwd=work, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode or "Failed to fetch" in done.stdout:
            last = done.stdout.strip().splitlines()[-1:] or [""]
            raise Failure(f"StarPU's source cannot be fetched (apt-get {command[0]}: {last[0]}); "
                          "set TASKLENS_STARPU_SOURCE to a folder that has it")
    found = [folder for folder in work.iterdir() if (folder / "tests/helper.h").is_file()]
    if not found:
        raise Failure(f"apt-get source left no source in {work}")
    found[0].rename(target)
    shutil.rmtree(work)


def variables(makefile):
    """The variables of a Makefile.am, as lists of words."""
    text = makefile.read_text().replace("\\\n", " ")
    values = collections.defaultdict(list)
    taken = []
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        condition = re.match(r"if\s+(!?)(\w+)", line)
        if condition:
            if condition.group(2) not in CONDITIONS:
                raise Failure(f"{makefile}: condition {condition.group(2)} is not in CONDITIONS")
            taken.append(CONDITIONS[condition.group(2)] != bool(condition.group(1)))
        elif re.match(r"else\b", line):
            taken[-1] = not taken[-1]
        elif re.match(r"endif\b", line):
            taken.pop()
        elif all(taken):
            assignment = re.match(r"(\w+)\s*(\+?=)\s*(.*)", line)
            if assignment:
                name, operator, words = assignment.groups()
                if operator == "=":
                    values[name] = []
                values[name] += words.split()
    return values


def expanded(values, words):
    """The words, with those of variables in the place of their names."""
    result = []
    for word in words:
        variable = re.fullmatch(r"\$\((\w+)\)", word)
        result += expanded(values, values[variable.group(1)]) if variable and variable.group(1) in values else [word]
    return result


# Of several processes: `ranks` of them, which its name says as well.
Program = collections.namedtuple("Program", "name folder sources flags libraries ranks")


def programs(groups, source, ranks):
    """Every program of the groups, in the order of their names, with each number of ranks (0: no MPI)."""
    found = {}
    for (folder, pattern), count in itertools.product(groups, ranks):
        values = variables(source / folder / "Makefile.am")
        listed = [word for key in ("examplebin_PROGRAMS", "noinst_PROGRAMS", "STARPU_EXAMPLES", "myPROGRAMS",
                                   "MICROBENCHS") for word in values[key]]
        for name in listed:
            if name.startswith("$(") or name == "loader" or not fnmatch.fnmatch(name, pattern):
                continue
            variable = re.sub(r"\W", "_", name)
            sources = expanded(values, values.get(variable + "_SOURCES") or [name + ".c"])
            sources = [word for word in sources if not word.endswith(".h")]
            flags = [FLAGS.get(word, word) for word in values.get(variable + "_CFLAGS", [])]
            flags = [word for word in flags if word.startswith("-")] + MORE_FLAGS.get(f"{folder}/{name}", [])
            libraries = []
            if "$(STARPU_BLAS_LDFLAGS)" in values.get(variable + "_LDADD", []):
                libraries = ["-lblas"]
            if name == "mlr/mlr":
                libraries = ["-llapack", "-lblas"]
            full_name = f"{folder}/{name}" + (f" -np {count}" if count else "")
            found[full_name] = Program(full_name, folder, sources, flags, libraries, count)
    return [found[name] for name in sorted(found)]


class Builder:
    """Compiles and runs programs, and keeps what came of it."""

    def __init__(self, source, library, headers, build, watchdog, mpi_library=None):
        self.source, self.library, self.headers, self.build, self.watchdog = source, library, headers, build, watchdog
        self.mpi_headers = headers.parent / "mpi/include"
        self.compiling = threading.Lock() if mpi_library else contextlib.nullcontext()
        self.compiled = {}  # binary -> what make() returns when it could not be made, or None
        self.results = build / "results"
        self.results.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256()
        of_mpi = [mpi_library, *sorted(self.mpi_headers.glob("*.h"))] if mpi_library else []
        for path in [library, *of_mpi, *sorted(headers.glob("*.h")), *sorted((HERE / "shims").rglob("*.h"))]:
            digest.update(path.read_bytes())
        self.version = digest.hexdigest()
        needed = subprocess.run(["ldd", library], text=True, capture_output=True, check=True).stdout
        # A library that was built with a sanitizer wants the program to have it as well.
        self.sanitizers, self.told = [], {}
        for part, name, options in sanitizers.SANITIZERS.values():
            if part in needed:
                self.sanitizers.append(f"-fsanitize={name}")
                self.told |= options
        (build / "lib").mkdir(exist_ok=True)
        for path in [library, mpi_library] if mpi_library else [library]:
            link = build / "lib" / path.name
            link.unlink(missing_ok=True)
            link.symlink_to(path)

    def path_of(self, program):
        return self.results / (program.name.replace("/", "__").replace(" ", "_") + ".json")

    def known(self, program):
        """The kept result, or None; whether it is of this library."""
        try:
            result = json.loads(self.path_of(program).read_text())
        except (OSError, ValueError):
            return None, False
        return result, result["version"] == self.version

    def make(self, program):
        """(verdict, first line of why, output)"""
        name = program.name.split(" ")[0]
        if name in LEFT_OUT:
            return "left out", LEFT_OUT[name], ""
        binary = self.build / "bin" / name
        with self.compiling:  # one with several numbers of ranks is compiled once
            if binary not in self.compiled:
                self.compiled[binary] = self.compile(program, binary)
        return self.compiled[binary] or self.run(program, binary)

    def compile(self, program, binary):
        """What make() returns when that fails, else None."""
        binary.parent.mkdir(parents=True, exist_ok=True)
        folder = self.source / program.folder
        cxx = any(name.endswith((".cpp", ".cc")) for name in program.sources)
        compilers = ("mpicxx", "mpicc") if program.ranks else ("g++", "gcc")
        command = [compilers[0 if cxx else 1], "-std=gnu++11" if cxx else "-std=gnu11", "-O2", "-g1", "-w", "-pthread",
                   *([] if cxx else ["-Werror=implicit-function-declaration"]),
                   f"-I{HERE / 'shims'}", f"-I{self.headers}",
                   *([f"-I{self.mpi_headers}"] if program.ranks else []),
                   f"-I{folder}", f"-I{self.source / 'examples'}",
                   *DEFINITIONS,
                   *self.sanitizers, *program.flags, "-o", str(binary),
                   *[str(folder / name) for name in program.sources],
                   f"-L{self.build / 'lib'}", *(["-lstarpumpi-1.4"] if program.ranks else []), "-lstarpu", *program.libraries, "-lm", "-lhwloc"]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              errors="replace")
        if done.returncode:
            return "does not compile", why_not_compiled(done.stdout), done.stdout
        return None

    def run(self, program, binary):
        """(verdict, first line of why, output)"""
        work = self.build / "work" / program.name
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        environment = dict(os.environ, **self.told, LD_LIBRARY_PATH=str(self.build / "lib"), HOME=str(work),
                           STARPU_HOME=str(work), top_srcdir=str(self.source), top_builddir=str(work), TMPDIR=str(work))
        arguments = shlex.split(ARGUMENTS.get(program.name.split(" ")[0], "").format(source=self.source))
        launcher = ["mpirun", "-np", str(program.ranks)] if program.ranks else []
        if program.ranks:
            environment |= ENVIRONMENT
        with subprocess.Popen([*launcher, str(binary), *arguments], cwd=work, env=environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                              start_new_session=True) as process:
            try:
                output, _ = process.communicate(timeout=self.watchdog)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                output, _ = process.communicate()
                return "hangs", f"was still running after {self.watchdog} s", output
        is_at_fault = program.name in AT_FAULT
        reports = sanitizers.of_ours(output) if self.sanitizers and not is_at_fault else []
        output = output[-20000:]
        shutil.rmtree(work, ignore_errors=True)
        if reports:
            return REPORTED, "; ".join(reports), output
        if process.returncode == 0:
            return "runs", "", output
        if process.returncode == SKIPPED_BY_ITSELF:
            return "skips itself", last_line(output), output
        # mpirun says of a rank's signal what a shell would.
        signal = process.returncode - 128 if program.ranks else -process.returncode
        if signal > 0:
            return "ends with a signal", f"signal {signal}: {last_line(output)}", output
        if self.sanitizers and fnmatch.fnmatch(program.name, ALONE):
            # It came to its end; that it was too slow for itself says how much a sanitizer takes.
            return "runs", "no report, though slower than it asks for", output
        return "fails", f"exit {process.returncode}: {last_line(output)}", output

    def update(self, program):
        for _ in range(ATTEMPTS if fnmatch.fnmatch(program.name, ALONE) else 1):
            verdict, why, output = self.make(program)
            if verdict != "fails":
                break
        result = {"version": self.version, "name": program.name, "verdict": verdict, "why": why, "output": output}
        self.path_of(program).write_text(json.dumps(result))
        return result


def why_not_compiled(output):
    """The first error, and whether all of them are names that the linker does not find."""
    missing = sorted(set(re.findall(r"undefined reference to `(\w+)'", output)))
    if missing:
        return "missing: " + " ".join(missing[:6]) + (" ..." if len(missing) > 6 else "")
    for line in output.splitlines():
        found = re.search(r"(?:fatal )?error: (.*)", line)
        if found:
            return re.sub(r"\s+", " ", found.group(1))[:160]
    return last_line(output)


def last_line(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    # What Open MPI prints of a process that crashed: "[host:123] Signal: ...".
    lines = [line for line in lines if not re.match(r"\[\S+:\d+\] ", line)]
    # What mpirun says of a program that failed stands below a line of dashes.
    lines = list(itertools.takewhile(lambda line: not re.fullmatch("-{9,}", line), lines)) or lines
    told = [line for line in lines if line.startswith("tasklens:")]
    line = (told or lines or ["no output"])[-1]
    line = re.sub(r"\s+", " ", line)
    line = re.sub(r"/\S*/((?:examples|tests)/)", r"\1", line)
    line = re.sub(re.escape(str(pathlib.Path.home())), "~", line)
    return re.sub(r"0x[0-9a-f]+", "0x...", line)[:160]


def group_of(name):
    parts = name.split("/")
    return parts[0] if parts[0] == "examples" else "/".join(parts[:2])


def summary(results):
    counts = collections.defaultdict(collections.Counter)
    for result in results:
        counts[group_of(result["name"])][result["verdict"]] += 1
    total = collections.Counter()
    for group in sorted(counts):
        total += counts[group]
        print(f"{group:22} {describe(counts[group])}")
    print(f"{'all':22} {describe(total)}")


def describe(counts):
    wanted = sum(counts.values()) - counts["left out"] - counts["skips itself"]
    share = 100 * counts["runs"] / wanted if wanted else 100
    rest = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()) if verdict != "runs")
    return f"{counts['runs']:3} of {wanted:3} run ({share:.0f} %)" + (f"; {rest}" if rest else "")


def table_of(edition, of_mpi=False):
    return HERE / f"table-{edition.version}{'-mpi' if of_mpi else ''}.tsv"


def write_table(edition, results, of_mpi):
    lines = ["# SPDX-License-Identifier: Apache-2.0",
             f"# StarPU {edition.version}'s programs with our runtime: program, verdict, reason. Written by programs.py --write-table."]
    lines += ["\t".join((r["name"], r["verdict"], r["why"].replace("\t", " "))).rstrip() for r in results]
    table_of(edition, of_mpi).write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starpu", choices=sorted(EDITIONS), default="1.3.10", help="whose programs (1.3.10)")
    parser.add_argument("--mpi", action="store_true", help="those of several processes, with 2 and with 4 of them")
    parser.add_argument("--only", action="append", metavar="GLOB",
                        help="programs of these names: 'tests/main/*', 'hello*'")
    parser.add_argument("--not-running", action="store_true", help="programs that did not run last time")
    parser.add_argument("--again", action="store_true", help="even where nothing changed")
    parser.add_argument("--show", action="store_true", help="print the output of programs that do not run")
    parser.add_argument("--write-table", action="store_true", help="write table-VERSION.tsv from all results")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="programs at once (2)")
    parser.add_argument("--watchdog", type=int, default=300, metavar="SECONDS",
                        help="after so long a program counts as hanging (300)")
    parser.add_argument("--sanitizer", choices=sorted(sanitizers.SANITIZERS),
                        help="with the library that bazel build --config=... made, in a folder of their own; what it "
                        "reports of our code is a verdict, what it reports of the program's own is not")
    parser.add_argument("--library", type=pathlib.Path, help="ours (bazel-bin/runtime/libstarpu.so)")
    parser.add_argument("--headers", type=pathlib.Path, default=ROOT / "runtime/include")
    parser.add_argument("--build", type=pathlib.Path, help="folder of what is compiled (in the user's cache)")
    parser.add_argument("--no-fetch", action="store_true", help="do not fetch a source that is not there")
    options = parser.parse_args()
    edition = EDITIONS[options.starpu]
    if options.write_table and options.sanitizer:
        raise Failure("the table is of programs without a sanitizer")
    if options.write_table and not edition.package_version:
        raise Failure(f"there is no table of {edition.version}, which is another one every day")

    config = f"--config={options.sanitizer} " if options.sanitizer else ""
    output = f"bazel-out/k8-opt-{options.sanitizer}/bin" if options.sanitizer else "bazel-bin"
    library = options.library or ROOT / output / "runtime/libstarpu.so"
    if not library.is_file():
        raise Failure(f"{library} is missing: bazel build {config}//runtime:libstarpu.so")
    source = source_folder(edition)
    if not source.is_dir():
        if options.no_fetch:
            raise Failure(f"StarPU {edition.version}'s source is not in {source}: run programs.py once, with a network")
        fetch(edition, source)
    mpi_library = library.parent / "mpi/libstarpumpi-1.4.so" if options.mpi else None
    if mpi_library and not mpi_library.is_file():
        raise Failure(f"{mpi_library} is missing: bazel build {config}//runtime/mpi:libstarpumpi-1.4.so")
    build = ("build-" + options.sanitizer if options.sanitizer else "build") + ("-mpi" if options.mpi else "")
    builder = Builder(source, library.resolve(), options.headers.resolve(),
                      options.build or cache_folder(edition) / build, options.watchdog,
                      mpi_library.resolve() if mpi_library else None)
    if options.sanitizer and not builder.sanitizers:
        raise Failure(f"{library} is not built with a sanitizer: bazel build {config}//runtime:libstarpu.so")
    groups, ranks = (GROUPS_OF_MPI, RANKS) if options.mpi else (edition.groups, (0,))
    everything = programs(groups, source, ranks)
    chosen = [p for p in everything if not options.only or
              any(fnmatch.fnmatch(p.name, glob) or fnmatch.fnmatch(p.name, "*/" + glob) for glob in options.only)]
    if not chosen:
        raise Failure("no program is called that")
    work = []
    for program in chosen:
        result, current = builder.known(program)
        if options.not_running and result and result["verdict"] == "runs":
            continue
        if options.again or not current:
            work.append(program)
    bad = 0
    alone = [program for program in work if fnmatch.fnmatch(program.name, ALONE)]
    together = [program for program in work if program not in alone]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in itertools.chain(pool.map(builder.update, together), map(builder.update, alone)):
            print(f"{result['name']}: {result['verdict']}" + (f": {result['why']}" if result["why"] else ""), flush=True)
            if result["verdict"] not in ("runs", "skips itself", "left out"):
                bad += 1
                if options.show:
                    print(result["output"])
    results = [builder.known(p)[0] for p in (everything if options.write_table else chosen)]
    if options.write_table:
        if None in results:
            raise Failure("some programs have no result yet: run programs.py without --only first")
        write_table(edition, results, options.mpi)
    summary([r for r in results if r])
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(failure)
        sys.exit(1)
