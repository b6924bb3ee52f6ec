#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PROGRAM.c cpus|both: compiles the program for Debian's StarPU and runs it on three CPU
# workers, or on two and those of OpenCL that there are. The performance models are new.
set -eu
pkg-config --exists starpu-1.3 || {
  echo "StarPU is missing, to compare with: apt-get install libstarpu-dev" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2046
cc -std=gnu11 -O2 -w $(pkg-config --cflags starpu-1.3) -o "$work/program" "$1" \
  $(pkg-config --libs starpu-1.3)
case $2 in
  cpus) export STARPU_NCPU=3 STARPU_NOPENCL=0 ;;
  both) export STARPU_NCPU=2 STARPU_OPENCL_ON_CPUS=1 STARPU_OPENCL_ONLY_ON_CPUS=1 ;;
esac
export HOME="$work" STARPU_HOME="$work" STARPU_SILENT=1 STARPU_WORKERS_NOBIND=1
# What takes long on a busy machine is a measure as well: else models forget what they know.
export STARPU_HISTORY_MAX_ERROR=1000000000
STARPU_SCHED=eager STARPU_CALIBRATE=1 "$work/program"
