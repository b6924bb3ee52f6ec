#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/build_times.py adds up what Bazel's profile says of each kind of work.
set -euo pipefail

fail() { printf 'FAILED: %s\n%s\n' "$1" "$(cat "$TEST_TMPDIR/out" "$TEST_TMPDIR/err")"; exit 1; }
times() { tools/build_times.py "$@" >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/err"; }

# Two files compiled on two threads, 1.5 and 2.5 s of a compiler's; a link of 0.5 s; a test that failed
# once and ran twice; an object that came from the cache; time in which an action only waited.
profile=$TEST_TMPDIR/profile
python3 - >"$profile" <<'PY'
import json
def event(cat, name, thread, begin_s, length_s):
    return {"ph": "X", "cat": cat, "name": name, "tid": thread, "ts": begin_s * 1e6, "dur": length_s * 1e6}
def action(name, thread, begin_s, length_s, *runs):
    yield event("action processing", name, thread, begin_s, length_s)
    for run_begin_s, run_s in runs:
        yield event("general information", "subprocess.run", thread, run_begin_s, run_s)
events = [{"ph": "M", "name": "thread_name", "tid": 1}]
events += action("Compiling server/handlers/run.cc", 1, 0, 5, (1, 1.5))
events += action("Compiling server/main.cc", 2, 0, 3, (0.2, 2.5))
events += action("Linking bazel-out/k8-opt/bin/server/command_line/tasklens", 1, 6, 1, (6.1, 0.5))
events += action("Testing //tests/server:run_test", 2, 7, 9, (7, 4), (12, 3))
events += action("Compiling trace/a.cc", 1, 8, 1)
events.append(event("remote output download", "download", 1, 8.1, 0.1))
print(json.dumps({"traceEvents": events}))
PY
expect() { # a row: its columns, with one blank between
  sed 's/^ *//; s/  */ /g' "$TEST_TMPDIR/out" | grep -qxF -- "$1" || fail "no row: $1"
}
times "$profile" || fail "exit status $?"
expect "4.0 34.8% 2 0 compile server"
expect "0.5 4.3% 1 0 link server"
expect "7.0 60.9% 1 0 test tests/server"
expect "0.0 0.0% 1 1 compile trace"
expect "11.5 5 all"
expect "7.0 Testing //tests/server:run_test"

# Packed, as Bazel writes it: the same.
cp "$TEST_TMPDIR/out" "$TEST_TMPDIR/plain"
gzip -k "$profile"
times "$profile.gz" || fail "packed: exit status $?"
cmp "$TEST_TMPDIR/out" "$TEST_TMPDIR/plain" || fail "packed it says something else"

# Who reads a part of it, as head does, gets no complaint.
mkfifo "$TEST_TMPDIR/unread"
: <"$TEST_TMPDIR/unread" &
tools/build_times.py "$profile" >"$TEST_TMPDIR/unread" 2>"$TEST_TMPDIR/err" && status=0 || status=$?
# By SIGPIPE, or with 0 where all was written before the reader had gone.
[[ $status == 141 || $status == 0 ]] || fail "nobody reads: exit status $status"
[[ ! -s $TEST_TMPDIR/err ]] || fail "nobody reads: $(<"$TEST_TMPDIR/err")"

# What is no profile gets one line.
echo '{"a": 1}' >"$TEST_TMPDIR/other"
times "$TEST_TMPDIR/other" && fail "a file of another kind"
[[ $(wc -l <"$TEST_TMPDIR/err") == 1 ]] || fail "more than a line about it"
times "$TEST_TMPDIR/missing" && fail "no file"
grep -q 'No such file' "$TEST_TMPDIR/err" || fail "what it says of no file"
echo "all sums are right"
