# SPDX-License-Identifier: Apache-2.0
# For tests of simulated machines, to be read by them: `. tests/examples/published.sh`.

# unpack_published FILE: the performance models that StarPU publishes, into ./sampling; attila is the machine.
unpack_published() {
  awk '/^=== / { path = "sampling/" $2; folder = path; sub("/[^/]*$", "", folder)
                 if (!made[folder]++) system("mkdir -p " folder); printf "" >path; next }
       { print >>path; close(path) }' "$1"
  export STARPU_PERF_MODEL_DIR=$PWD/sampling STARPU_HOSTNAME=attila
}

fail() {
  echo "$1"
  exit 1
}
