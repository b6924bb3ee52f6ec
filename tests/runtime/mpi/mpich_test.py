#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""starpu_mpi_* compiles against MPICH as well, and the programs of these tests run there.

The product is built with one MPI, Open MPI where the machine has both. In MPICH a communicator is a number instead of
a pointer, tags have another limit, and the launcher is another one.
"""

import concurrent.futures
import glob
import os
import shutil
import subprocess
import tempfile
import unittest

COMPILER, LAUNCHER = "mpicxx.mpich", "mpirun.mpich"
PROGRAMS = {
    "checkpoints": ((), "checkpoint 8: data with tag "),
    "messages": ((), "all messages are right"),
    "random_program": (("23", "300"), "the program of seed 23 is right"),
    "tasks": ((), "all tasks are right"),
}

# libstarpu.so needs the sanitizer that it was built with.
SANITIZER = os.environ.get("TASKLENS_SANITIZER")
FLAGS = ["-std=c++20", "-O1", "-fPIC", "-pthread", "-DMPICH_SKIP_MPICXX", "-I.", "-Iruntime/include",
         "-Iruntime/mpi/include"] + ([f"-fsanitize={SANITIZER}"] if SANITIZER else [])


def run(*words, **variables):
    """Both outputs together."""
    done = subprocess.run(words, env=dict(os.environ, **variables), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def compile_all(folder):
    """The library and the programs, into the folder."""
    library = glob.glob("runtime/mpi/*.cc")
    programs = [f"tests/runtime/mpi/{name}.cc" for name in PROGRAMS]

    def compile_one(source):
        # The library defines the functions that macros of its header stand before.
        flags = [*FLAGS, "-DSTARPU_NO_CALL_SITES"] if source in library else FLAGS
        target = f"{folder}/{source.replace('/', '-')}.o"
        run(COMPILER, *flags, "-c", source, "-o", target)
        return target

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, library + programs))
    runtime = ["-Lruntime", "-l:libstarpu.so", "-Wl,-rpath," + os.path.abspath("runtime")]
    run(COMPILER, *FLAGS, "-shared", "-Wl,-soname,libstarpumpi-1.4.so", "-Wl,--no-undefined",
        "-Wl,--version-script=runtime/mpi/libstarpumpi.lds", *objects[:len(library)], *runtime, "-o",
        f"{folder}/libstarpumpi-1.4.so")
    for name, its_object in zip(PROGRAMS, objects[len(library):]):
        run(COMPILER, *FLAGS, its_object, "-L" + folder, "-l:libstarpumpi-1.4.so", "-Wl,-rpath," + folder, *runtime,
            "-o", f"{folder}/{name}")


class WithMpich(unittest.TestCase):
    def test_the_programs_are_right(self):
        with tempfile.TemporaryDirectory() as folder:
            compile_all(folder)
            for name, (arguments, says) in PROGRAMS.items():
                for ranks in (2, 3):
                    with self.subTest(program=name, ranks=ranks):
                        output = run(LAUNCHER, "-np", str(ranks), f"{folder}/{name}", *arguments, STARPU_HOME=folder,
                                     STARPU_WORKERS_NOBIND="1")
                        self.assertIn(says, output)


if __name__ == "__main__":
    if missing := [name for name in (COMPILER, LAUNCHER) if not shutil.which(name)]:
        print(f"SKIPPED: there is no {missing[0]}: apt-get install libmpich-dev mpich")
    else:
        unittest.main()
