#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each examples/NAME.c or NAME.cc has tests/examples/expected/NAME.txt; what tasks_size_overhead prints
# has as many rows as there are CPUs, which overhead.sh looks at.
status=0
for source in examples/*.c examples/*.cc; do
  [ -e "$source" ] || continue
  name=$(basename "$source")
  [ "$name" = tasks_size_overhead.c ] && continue
  expected="tests/examples/expected/${name%.*}.txt"
  [ -e "$expected" ] || { echo "missing: $expected"; status=1; }
done
exit $status
