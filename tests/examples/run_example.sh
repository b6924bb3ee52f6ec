#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_example.sh PROGRAM EXPECTED: the program ends with status 0 and prints EXPECTED (in any order
# of lines, as tasks print from several workers), under each policy, and the same while recorded.
set -eu
out="${TEST_TMPDIR:?}"
for policy in lws eager prio; do
  for trace in 0 1; do
    STARPU_SCHED=$policy STARPU_FXT_TRACE=$trace STARPU_FXT_PREFIX="$out" \
      STARPU_FXT_SUFFIX="$policy" "$1" >"$out/printed"
    sort "$2" >"$out/expected"
    sort "$out/printed" | diff -u "$out/expected" -
  done
  [ -s "$out/${policy}_0.tlt" ] || { echo "no trace was written with $policy"; exit 1; }
done
