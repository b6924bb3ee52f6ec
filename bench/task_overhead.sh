#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# task_overhead.sh OURS SOURCE: microseconds per empty task, ours and Debian's StarPU in turns, for
# 1 and 2 workers, 0 and 1 buffers, and ours traced as well.
set -eu
ours=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STARPU_SILENT=1
theirs=
if pkg-config --exists starpu-1.3; then
  # shellcheck disable=SC2046
  cc -O2 -w -o "$work/theirs" "$source" $(pkg-config --cflags --libs starpu-1.3)
  theirs=$work/theirs
else
  echo "no StarPU to compare with: apt-get install libstarpu-dev"
fi
line() { printf '%-18s %7s %7s %10s %10s %10s %10s\n' "$@"; }
line runtime workers buffers submit total submit total
line '' '' '' 'least us' 'least us' 'median us' 'median us'
for workers in 1 2; do
  for buffers in 0 1; do
    export STARPU_NCPU=$workers
    # shellcheck disable=SC2046
    line TaskLens $("$ours" 65536 7 $buffers)
    # shellcheck disable=SC2046
    line 'TaskLens, traced' $(STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX="$work" "$ours" 65536 7 $buffers)
    rm -f "$work"/*.tlt
    # shellcheck disable=SC2046
    [ -z "$theirs" ] || line "StarPU $(pkg-config --modversion starpu-1.3)" $("$theirs" 65536 7 $buffers)
  done
done
