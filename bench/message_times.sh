#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# message_times.sh OURS SOURCE: microseconds one way between two ranks, and MB/s: MPI alone, ours, ours traced, and
# Debian's StarPU-MPI, in turns.
set -eu
ours=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STARPU_SILENT=1 STARPU_NCPU=1 STARPU_HOME="$work" STARPU_WORKERS_NOBIND=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
theirs=
if pkg-config --exists starpumpi-1.3; then
  # shellcheck disable=SC2046
  mpicc -O2 -w -o "$work/theirs" "$source" $(pkg-config --cflags --libs starpumpi-1.3)
  theirs=$work/theirs
else
  echo "no StarPU-MPI to compare with: apt-get install libstarpu-dev"
fi
of() { sed "s/^/$(printf '%-18s' "$1")/"; }
printf '%-18s%9s %10s %10s %10s\n' '' bytes 'least us' 'median us' MB/s
for turn in 1 2 3; do
  mpirun -np 2 "$ours" raw | of 'MPI alone'
  mpirun -np 2 "$ours" | of TaskLens
  STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX="$work" mpirun -np 2 "$ours" | of 'TaskLens, traced'
  rm -f "$work"/*.tlt
  [ -z "$theirs" ] || mpirun -np 2 "$theirs" | of "StarPU $(pkg-config --modversion starpumpi-1.3)"
done
