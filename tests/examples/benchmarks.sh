#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# benchmarks.sh PUBLISHED SGEMM DGEMM LU LOCAL_PINGPONG: the benchmarks of StarPU's handbook on a machine
# whose performance models and buses it publishes, attila: no faster than their bounds, near them, and
# a byte takes from GPU to GPU what the bus files tell.
set -euo pipefail
# shellcheck source=tests/examples/published.sh
. tests/examples/published.sh
published=$PWD/$1
sgemm=$PWD/$2
dgemm=$PWD/$3
lu=$PWD/$4
local_pingpong=$PWD/$5
cd "${TEST_TMPDIR:?}"
unpack_published "$published"
export STARPU_NSIM_CUDA=3 STARPU_NCPU=8 STARPU_SCHED=dmdas

# between LOW VALUE HIGH WHAT
between() {
  awk "BEGIN { exit !($1 <= $2 && $2 <= $3) }" || fail "$4: $2 is not in $1..$3"
  echo "$4: $2"
}
# The columns of a benchmark's only line.
figures() {
  "$@" | awk '!/^#/ && NF > 2'
}

read -r x _ z ms gflops bound_ms bound_gflops whole_ms _ <<<"$(figures "$sgemm" -bound 8 960)"
[ "$x $z" = "7680 3840" ] || fail "sgemm is of $x x $z"
between "$((bound_ms - 1))" "$ms" "$((bound_ms * 3 / 2))" "sgemm ms, bound $bound_ms ms"
between "$bound_ms" "$whole_ms" "$((ms + 1))" "sgemm in whole tasks"
between "$gflops" "$bound_gflops" 3000 "GFlops at best"
read -r _ _ _ double_ms _ <<<"$(figures "$dgemm" 8 960)"
between "$ms" "$double_ms" 1000000 "dgemm ms, which takes longer"
read -r n ms _ bound_ms _ <<<"$(figures "$lu" -bound 20 960)"
[ "$n" = 19200 ] || fail "lu is of $n"
between "$bound_ms" "$ms" "$((bound_ms * 3 / 2))" "lu ms, bound $bound_ms ms"
# Without numbers, of a size that is published.
read -r x _ <<<"$(figures "$sgemm")"
read -r n _ <<<"$(figures "$lu")"
[ "$x $n" = "3840 4800" ] || fail "sgemm and lu are of $x and $n"
if "$sgemm" 2 961 >out 2>/dev/null; then fail "blocks of 961 x 961 are known"; fi
[ ! -s out ] || fail "a figure of nothing: $(cat out)"

us=$("$local_pingpong" 100 | sed -n 's/Avg. transfer time : \(.*\) us/\1/p')
# Rows are sources; the first is the main memory.
latency_us=$(awk '!/^#/ && NF { row++ } row == 2 { there = $3 } row == 3 { back = $2 }
                  END { printf "%f", (there + back) / 2 }' sampling/bus/attila.latency)
between "$(awk "BEGIN { print $latency_us - 0.01 }")" "$us" "$(awk "BEGIN { print $latency_us + 0.5 }")" "ping-pong us, latency $latency_us us"
STARPU_NSIM_CUDA=1 "$local_pingpong" | grep -q 'no two CUDA workers' || fail "one GPU plays alone"
