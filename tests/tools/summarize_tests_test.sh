#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The summary counts cases, names failures and skips, and never passes when nothing was run.
set -euo pipefail

cd "$TEST_TMPDIR"
summarize=$TEST_SRCDIR/tasklens/tools/summarize_tests.py
: >events

# One result of one target: label, status, and the test.xml on standard input.
result() {
  local xml=${1//[^a-z]/_}.xml
  cat >"$xml"
  printf '{"id":{"testResult":{"label":"%s","run":1}},"testResult":{"status":"%s",' "$1" "$2"
  printf '"testActionOutput":[{"name":"test.xml","uri":"file://%s"}]}}\n' "$PWD/$xml"
}

expect() { # exit status, expected output on standard input
  local status=0
  "$summarize" events >out || status=$?
  cat >expected
  diff expected out
  [[ $status == "$1" ]] || { echo "exit status $status, not $1"; exit 1; }
}

expect 1 <<'TEXT'
0 passed, 0 failed
TEXT

# GoogleTest: each case counts. A script counts once.
{
  result //a:good_test PASSED <<'XML'
<testsuites><testsuite name="Unit"><testcase name="Works" status="run" result="completed" classname="Unit"/>
<testcase name="WorksToo" status="run" result="completed" classname="Unit"/></testsuite></testsuites>
XML
  result //b:script_test PASSED <<'XML'
<testsuites><testsuite name="b/script_test"><testcase name="b/script_test" status="run"/>
<system-out>all well</system-out></testsuite></testsuites>
XML
} >>events
expect 0 <<'TEXT'
3 passed, 0 failed
TEXT

# Skips are named with their reasons and are no failures.
{
  result //c:skip_test PASSED <<'XML'
<testsuites><testsuite name="Gpu"><testcase name="Copies" status="run" result="skipped" classname="Gpu">
<skipped message="gpu_test.cc:3&#x0A;no GPU here&#x0A;"/></testcase>
<testcase name="DISABLED_Old" status="notrun" result="suppressed" classname="Gpu"/></testsuite></testsuites>
XML
  result //d:script_test PASSED <<'XML'
<testsuites><testsuite name="d/script_test"><testcase name="d/script_test" status="run"/>
<system-out>starting
SKIPPED: no display
</system-out></testsuite></testsuites>
XML
} >>events
expect 0 <<'TEXT'
SKIPPED //c:skip_test Gpu.Copies: no GPU here
SKIPPED //c:skip_test Gpu.DISABLED_Old: disabled in its source
SKIPPED //d:script_test: no display
3 passed, 0 failed, 3 skipped
TEXT

# Failures: of a case; of a target beside its cases; of one without a readable file; of a build.
{
  result //e:bad_test FAILED <<'XML'
<testsuites><testsuite name="Unit"><testcase name="Breaks" status="run" result="completed" classname="Unit">
<failure message="x"/></testcase><testcase name="Holds" status="run" classname="Unit"/></testsuite></testsuites>
XML
  result //f:leak_test FAILED <<'XML'
<testsuites><testsuite name="Unit"><testcase name="Leaks" status="run" classname="Unit"/></testsuite></testsuites>
XML
  result //g:slow_test TIMEOUT <<<'half a fi'
  printf '%s\n' '{"id":{"targetCompleted":{"label":"//h:broken_test"}},"completed":{"success":false}}'
  printf '%s\n' '{"id":{"targetCompleted":{"label":"//e:bad_test"}},"completed":{"success":false}}'
} >>events
expect 1 <<'TEXT'
SKIPPED //c:skip_test Gpu.Copies: no GPU here
SKIPPED //c:skip_test Gpu.DISABLED_Old: disabled in its source
SKIPPED //d:script_test: no display
FAILED //e:bad_test Unit.Breaks
FAILED //f:leak_test: failed
FAILED //g:slow_test: timeout
FAILED //h:broken_test: does not build
5 passed, 4 failed, 3 skipped
TEXT

# What passed when it was run again counts, and is named.
: >events
{
  result //i:shaky_test FAILED <<'XML'
<testsuites><testsuite name="Unit"><testcase name="Shakes" status="run" result="completed" classname="Unit">
<failure message="x"/></testcase></testsuite></testsuites>
XML
  result //i:shaky_test PASSED <<'XML'
<testsuites><testsuite name="Unit"><testcase name="Shakes" status="run" classname="Unit"/></testsuite></testsuites>
XML
} >>events
expect 0 <<'TEXT'
AGAIN //i:shaky_test: failed, and passed when it was run again
1 passed, 0 failed
TEXT
