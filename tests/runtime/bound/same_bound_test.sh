#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# same_bound_test.sh LIBRARY HEADERS SOURCE: bounds are those of Debian's StarPU on the same tasks
# and the same model, and what is printed for other solvers has the same solution.
set -eu
library=$1
headers=$2
source=$3
pkg-config --exists starpu-1.3 || {
  echo "StarPU is missing, to compare with: apt-get install libstarpu-dev"
  exit 1
}
command -v lp_solve >/dev/null || {
  echo "SKIPPED: lp_solve is missing, to solve what is printed: apt-get install lp-solve"
  exit 0
}
work=${TEST_TMPDIR:?}
export STARPU_SILENT=1 STARPU_NCPU=2 STARPU_NCUDA=0 STARPU_NOPENCL=0 STARPU_WORKERS_NOBIND=1
export STARPU_PERF_MODEL_DIR="$work/sampling" STARPU_HOSTNAME=bound STARPU_HOME="$work"
export ASAN_OPTIONS=detect_leaks=0
mkdir -p "$work/sampling/codelets/45" "$work/sampling/bus"
{
  # Version; combinations, devices; a CPU's kind, number and cores; implementations; footprints.
  printf '45\n1\n1\n0\n0\n1\n1\n3\n'
  # No regression.
  printf '0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n'
  # Footprint, size, flops, mean in microseconds, deviation, sums, measures.
  printf '00000001\t4\t0\t5000\t0\t100000\t500000000\t20\n'
  printf '00000002\t4\t0\t7000\t0\t140000\t980000000\t20\n'
  printf '00000003\t4\t0\t2000\t0\t40000\t80000000\t20\n'
} >"$work/sampling/codelets/45/same_bound.bound"

ln -sf "$(readlink -f "$library")" "$work/libstarpu.so"
sanitizers=
for sanitizer in asan:address ubsan:undefined tsan:thread; do
  if ldd "$work/libstarpu.so" | grep -q "lib${sanitizer%:*}"; then
    sanitizers="$sanitizers -fsanitize=${sanitizer#*:}"
  fi
done
# shellcheck disable=SC2086
cc -std=c11 -O2 -Wall -Wextra -Werror $sanitizers -I"$(dirname "$headers")" -o "$work/ours" "$source" \
  -L"$work" -lstarpu
# shellcheck disable=SC2046
cc -std=gnu11 -O2 -w $(pkg-config --cflags starpu-1.3) -o "$work/theirs" "$source" \
  $(pkg-config --libs starpu-1.3)

# What lp_solve makes of a file, as a number.
solved() {
  lp_solve -S3 "$@" | sed -n 's/^Value of objective function: *//p'
}
same() {
  if awk "BEGIN { exit !(($2) - ($3) < 1e-4 && ($3) - ($2) < 1e-4) }"; then
    echo "same: $1 $2"
  else
    echo "$1: StarPU says $2, we say $3"
    exit 1
  fi
}

"$work/theirs" alone "$work/theirs.lp" "$work/theirs.mps" >"$work/theirs.txt"
LD_LIBRARY_PATH="$work" "$work/ours" alone "$work/ours.lp" "$work/ours.mps" >"$work/ours.txt"
cat "$work/theirs.txt" "$work/ours.txt"
read -r relaxed whole <"$work/theirs.txt"
read -r our_relaxed our_whole <"$work/ours.txt"
same "shared evenly" "$relaxed" "$our_relaxed"
same "in whole tasks" "$whole" "$our_whole"
same "the printed program" "$(solved "$work/theirs.lp")" "$(solved "$work/ours.lp")"
same "as MPS" "$(solved -fmps "$work/theirs.mps")" "$(solved -fmps "$work/ours.mps")"
# How tasks are shared may differ; StarPU has the kinds the other way round.
for file in theirs ours; do
  sed '1,2d; s/^\tw.*//' "$work/$file.txt" | sort >"$work/$file.kinds"
done
diff "$work/theirs.kinds" "$work/ours.kinds"

for mode in chains priorities; do
  "$work/theirs" $mode "$work/theirs.lp" "$work/theirs.mps"
  LD_LIBRARY_PATH="$work" "$work/ours" $mode "$work/ours.lp" "$work/ours.mps"
  same "$mode" "$(solved "$work/theirs.lp")" "$(solved "$work/ours.lp")"
done
if command -v starpu_lp2paje >/dev/null; then
  lp_solve -S3 "$work/ours.lp" | starpu_lp2paje >"$work/ours.paje" 2>"$work/ours.said"
  grep -q "2 workers, 5 tasks" "$work/ours.said"
  if grep oops "$work/ours.said"; then exit 1; fi
  echo "same: StarPU's starpu_lp2paje reads our schedule"
fi
