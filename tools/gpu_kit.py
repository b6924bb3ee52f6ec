#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Makes a folder with which a machine with a GPU is examined: tools/gpu_kit.py OUT [--built DIR].

Copy OUT, at most 60 MiB, to a machine with an NVIDIA device and run OUT/run.sh there, which says at its beginning what
it does. It needs glibc and the C++ library as new as those of this machine, and nothing of ours. docs/gpu.md has more.

    run.sh, build_cuda.sh  what is run there
    lib/tasklens           the runtime and the driver, as in the folder of a release that runs everywhere; include its headers
    bin, sources           programs of the kit, of bench/ and of examples/, and what they are compiled of
    standin                libcuda.so.1 for a machine without a device
    missing                a line for each thing that could not be made here
    packed.tar.gz          program: bin/tasklens with all its libraries, as in that folder
                           tests: those of //tests/runtime/cuda, in the places where Bazel runs them, with their libraries
                           starpu: StarPU's own library and benchmarks, if they are on this machine, to compare with

Without --built, Bazel builds what is needed: //tests/tools:gpu_kit_parts.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../packaging"))
from install import ROOT, files_below  # noqa: E402
from exchange import Failure as InstallFailure  # noqa: E402
from make_tar import PORTABLE, Failure, libraries_of, program_files, said_by, write  # noqa: E402

MOST_MIB = 60
TESTS = ["cuda_test", "cuda_copies_test", "cuda_lifetime_test", "cuda_multiformat_test"]
# Compiled here, against the runtime's library: name, source.
PROGRAMS = {
    "gpu_check": "tools/gpu_kit/gpu_check.c",
    "task_overhead": "bench/task_overhead.c",
    "tasks_size_overhead": "examples/tasks_size_overhead.c",
    "cholesky": "examples/cholesky.c",
}
# Of these the same source measures StarPU.
OF_STARPU_TOO = ["task_overhead", "tasks_size_overhead"]
# StarPU's own program takes the place of ours where it is.
ITS_OWN = "/usr/lib/*/starpu/examples/tasks_size_overhead"
CUDA_SOURCES = ["examples/cuda/*.cu", "tools/gpu_kit/alone.cu", "tools/gpu_kit/cupti_times.c"]
# Every system has its own of these, and they fit its loader alone.
OF_THE_SYSTEM = "libc.so. libm.so. libdl.so. libpthread.so. librt.so. libgcc_s.so. libstdc++.so. ld-linux".split()


class Kit:
    """Folders that are written: the kit itself, and what is packed in it."""

    def __init__(self, folder, packed, built):
        self.folder = folder
        self.packed = packed
        self.built = built
        self.missing = []

    def put(self, name, what):
        write(self.folder, name, what)

    def pack(self, name, what):
        write(self.packed, name, what)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def pack_libraries(self, place, *files, but=()):
        """What these load, but what every system has."""
        for name, path in libraries_of(*files).items():
            if not name.startswith(tuple(OF_THE_SYSTEM)) and name not in but:
                self.pack(f"{place}/{name}", path)


def put_runtime(kit):
    for name, file in PORTABLE.items():
        if name.startswith("lib/tasklens/lib"):
            kit.put(name, os.path.join(kit.built, "packaging/portable", file))
    for path, name in files_below("runtime/include"):
        kit.put(f"include/tasklens/{name}", path)
    for folder in ("/usr/include", "/usr/include/x86_64-linux-gnu"):
        for path in glob.glob(folder + "/hwloc.h") + glob.glob(folder + "/hwloc/**/*.h", recursive=True):
            kit.put("include/tasklens/" + os.path.relpath(path, folder), path)


def pack_program(kit):
    kit.pack("program/bin/tasklens", os.path.join(kit.built, "packaging/portable/launcher"))
    for name, what in program_files(kit.built):
        kit.pack(f"program/lib/tasklens/program/{name}", what)


def pack_tests(kit):
    folder = os.path.join(kit.built, "tests/runtime/cuda")
    for name in TESTS:
        kit.pack(f"tests/tests/runtime/cuda/{name}", os.path.join(folder, name))
    kit.pack_libraries(
        "tests/lib", *(os.path.join(folder, name) for name in TESTS), but=os.listdir(kit.path("lib/tasklens"))
    )
    # By the paths that the tests know.
    driver = "runtime/drivers/cuda/libtasklens-cuda.so"
    kit.pack(f"tests/{driver}", os.path.join(kit.built, "packaging/portable", os.path.basename(driver)))
    standin = os.path.join(folder, "libcuda_standin.so")
    kit.pack("tests/tests/runtime/cuda/libcuda_standin.so", standin)
    kit.put("standin/libcuda.so.1", standin)
    kernels = "tests/runtime/cuda/kernels.ptx"
    kit.pack(f"tests/{kernels}", os.path.join(ROOT, kernels))


def put_programs(kit):
    os.makedirs(kit.path("bin"))
    for name, source in PROGRAMS.items():
        said_by(
            "cc", "-O2", "-w", f"-ffile-prefix-map={ROOT}/=", f"-I{kit.path('include/tasklens')}",
            os.path.join(ROOT, source), "-o", kit.path("bin", name), f"-L{kit.path('lib/tasklens')}", "-lstarpu",
            "-Wl,-rpath,$ORIGIN/../lib/tasklens", "-lm", "-ldl",
        )  # fmt: skip
    for pattern in CUDA_SOURCES:
        for path in glob.glob(os.path.join(ROOT, pattern)):
            kit.put(f"sources/{os.path.basename(path)}", path)
    for script in ("run.sh", "build_cuda.sh"):
        kit.put(script, os.path.join(HERE, "gpu_kit", script))
        os.chmod(kit.path(script), 0o755)
    toolkit = next((path for path in toolkits() if os.path.exists(os.path.join(path, "bin/nvcc"))), None)
    if toolkit:
        said = said_by(kit.path("build_cuda.sh"), toolkit, os.devnull).decode()
        kit.missing += said.splitlines()
    else:
        kit.missing.append("no nvcc where it was made: run.sh compiles what has kernels, where there is one")


def toolkits():
    yield os.environ.get("CUDA_HOME") or "/usr/local/cuda"
    if nvcc := shutil.which("nvcc"):
        yield os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    yield "/usr/local/cuda"


def pack_starpu(kit):
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "starpu-1.3"], capture_output=True, text=True, check=False
    )
    if flags.returncode != 0:
        kit.missing.append("no StarPU to compare with where it was made: its package is libstarpu-dev")
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in OF_STARPU_TOO:
            program = os.path.join(folder, name)
            said_by("cc", "-O2", "-w", os.path.join(ROOT, PROGRAMS[name]), "-o", program, *flags.stdout.split())
            kit.pack(f"starpu/{name}", program)
        kit.pack_libraries("starpu/lib", program)
    for path in glob.glob(ITS_OWN):
        kit.pack(f"starpu/{os.path.basename(path)}", path)
    if not glob.glob(ITS_OWN):
        kit.missing.append(
            "StarPU's own tasks_size_overhead (package starpu-examples) was not where it was made: ours, linked with StarPU, "
            "takes its place"
        )


def fill(kit):
    put_runtime(kit)
    put_programs(kit)
    pack_program(kit)
    pack_tests(kit)
    pack_starpu(kit)
    with tarfile.open(kit.path("packed.tar.gz"), "w:gz") as tar:
        tar.add(kit.packed, ".")
    kit.put("missing", "".join(line + "\n" for line in kit.missing).encode())
    kit.put("version", said_by(os.path.join(kit.built, "server/command_line/tasklens"), "--version"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT", help="a folder that is not there yet")
    parser.add_argument("--built", help="the folder where Bazel put what it built")
    options = parser.parse_args()
    if os.path.lexists(options.out):
        sys.exit(f"gpu_kit: {options.out} is there already; name another folder, or remove it")
    if not options.built:
        if subprocess.run(["bazel", "build", "//tests/tools:gpu_kit_parts"], cwd=ROOT, check=False).returncode:
            sys.exit("gpu_kit: the build failed; what Bazel said is above")
        options.built = os.path.join(ROOT, "bazel-bin")
    with tempfile.TemporaryDirectory() as packed:
        kit = Kit(os.path.abspath(options.out), packed, os.path.abspath(options.built))
        try:
            fill(kit)
        except (Failure, InstallFailure) as failure:
            sys.exit(f"gpu_kit: {failure}")
    files = filter(os.path.isfile, glob.glob(kit.path("**"), recursive=True))
    mib = sum(os.path.getsize(path) for path in files) / 2**20
    for line in kit.missing:
        print(f"gpu_kit: {line}")
    print(f"gpu_kit: {options.out} has {mib:.1f} MiB; copy it to the machine with the device and run run.sh there")
    if mib > MOST_MIB:
        sys.exit(f"gpu_kit: that is more than {MOST_MIB} MiB")


if __name__ == "__main__":
    main()
