#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_example.sh PROGRAM EXPECTED: the program ends with status 0 and prints EXPECTED (in any order
# of lines, as tasks print from several workers), under each policy, and the same while recorded. Of a
# benchmark, whose first line begins with "#", all numbers are those of the moment.
set -eu
out="${TEST_TMPDIR:?}"
comparable() {
  if head -n 1 "$2" | grep -q '^#'; then
    sed -E 's/[0-9]+(\.[0-9]+)?/0/g' "$1" | sort
  else
    sort "$1"
  fi
}
for policy in lws eager prio; do
  for trace in 0 1; do
    STARPU_SCHED=$policy STARPU_FXT_TRACE=$trace STARPU_FXT_PREFIX="$out" \
      STARPU_FXT_SUFFIX="$policy" "$1" >"$out/printed"
    comparable "$2" "$2" >"$out/expected"
    comparable "$out/printed" "$2" | diff -u "$out/expected" -
  done
  [ -s "$out/${policy}_0.tlt" ] || { echo "no trace was written with $policy"; exit 1; }
done
