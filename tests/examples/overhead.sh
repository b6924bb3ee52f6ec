#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# overhead.sh OVERHEAD PLOT: tasks_size_overhead prints a row for each number of CPUs, in which long tasks
# take about as long as they say, and its picture has a curve for each length.
set -euo pipefail
overhead=$PWD/$1
plot=$PWD/$2
cd "${TEST_TMPDIR:?}"
fail() {
  echo "$1"
  exit 1
}
STARPU_NCPU=2 "$overhead" -i 8 -t 4 -T 4096 -f 4 >table
cat table
[ "$(cut -f1 table | tr '\n' ' ')" = '# tasks : 8 buffers : 0 total_nbuffers : 0 # ncpus "seq" 1 2 ' ] || fail "other rows"
[ "$(sed -n 2p table | cut -f2,4,6,8,10,12)" = "$(printf '4 iters(us)\t16 iters(us)\t64 iters(us)\t256 iters(us)\t1024 iters(us)\t4096 iters(us)')" ] || fail "other lengths"
# Eight tasks of 4096 us for each CPU never take less in all.
awk -F'\t' 'NR > 3 && $13 * $1 < 8 * 0.004096 { print "too fast: " $0; exit 1 }' table
"$plot" <table >overhead.svg
xmllint --noout overhead.svg
[ "$(grep -c '<g class="curve"' overhead.svg)" = 6 ] || fail "not six curves"
[ "$(grep -o '<circle' overhead.svg | wc -l)" = 18 ] || fail "not two points and a legend for each"
if "$plot" </dev/null >nothing 2>said; then fail "a picture of nothing"; fi
grep -q 'is not what tasks_size_overhead prints' said || fail "not said: $(cat said)"
for words in "-x 3" "-i 0" "-f 1"; do
  # shellcheck disable=SC2086
  if "$overhead" $words >nothing 2>said; then fail "$words is accepted"; fi
  [ "$(wc -l <said)" = 1 ] || fail "not one line: $(cat said)"
done
