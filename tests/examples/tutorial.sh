#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What docs/tutorial.md says of its program: the fault is found at its line, the change that stands
# there mends it, and the result stays the same.
#
#     tutorial.sh SERVER
set -euo pipefail

tasklens=$PWD/$1 page=$PWD/docs/tutorial.md
mkdir "$TEST_TMPDIR/tree" # headers, and the library as if Bazel had made it
ln -s "$PWD/runtime" "$TEST_TMPDIR/tree/runtime"
ln -s "$PWD" "$TEST_TMPDIR/tree/bazel-bin"
export TASKLENS_ROOT=$TEST_TMPDIR/tree STARPU_NCPU=2 # as its launch configuration says
cp -rL examples/tutorial "$TEST_TMPDIR/project"
cd "$TEST_TMPDIR/project"

# Prints the lines of primes.c at which the rule of the tutorial speaks up.
run() {
  make -s STARPU_CFLAGS="$("$tasklens" flags --cflags)" STARPU_LIBS="$("$tasklens" flags --libs)" >&2
  "$tasklens" run -o "$1" -- ./primes >"$1.txt" 2>&1 || { cat "$1.txt"; exit 1; }
  "$tasklens" advise --json "$1" | python3 -c '
import json, sys
print([one["line"] for one in json.load(sys.stdin)["findings"] if one["rule"] == "serial_chain"])'
}

fail() {
  echo "$@"
  exit 1
}

line=$(grep -n 'starpu_task_insert' primes.c | cut -d: -f1)
found=$(run before)
[[ $found == "[$line]" ]] || fail "the fault of line $line was found at $found"
grep -q "primes.c:$line" "$page" || fail "docs/tutorial.md names another line than $line"

# The change, as the tutorial shows it.
old=$(sed -n 's/^    - *//p' "$page") new=$(sed -n 's/^    + *//p' "$page")
[[ -n $old && -n $new ]] || fail "docs/tutorial.md shows no change"
python3 - "$old" "$new" <<'END'
import sys
text = open("primes.c").read()
old, new = sys.argv[1:]
if text.count(old) != 1:
    sys.exit(f"primes.c does not hold the line {old!r} of docs/tutorial.md once")
open("primes.c", "w").write(text.replace(old, new))
END
touch -d '1 hour' primes.c # newer than the program, whatever the clock's grain
found=$(run after)
[[ $found == "[]" ]] || fail "the fault was mended, and still found at $found"
[[ $(grep primes before.txt | head -1) == "$(grep primes after.txt | head -1)" ]] ||
  fail "the result has changed: $(cat before.txt after.txt)"
grep -q '^63951 primes$' after.txt || fail "wrong: $(cat after.txt)"
