#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The kit that examines a machine with a GPU: made, and run with small sizes on this one, on the stand-in where it has no
# device; what a step found stands in the report also when the step fails or never ends.
set -euo pipefail

work=$(readlink -f "$(mktemp -d "$TEST_TMPDIR/kit.XXXXXX")")
export HOME=$work TMPDIR=$work
fail() { printf 'FAILED: %s\n' "$1"; exit 1; }

tools/gpu_kit.py "$work/kit" --built "$PWD" >"$work/said" 2>&1 || fail "it is not made: $(<"$work/said")"
grep -Eq 'kit has [0-9.]+ MiB' "$work/said" || fail "what is said of it: $(<"$work/said")"
tools/gpu_kit.py "$work/kit" --built "$PWD" >"$work/said" 2>&1 && fail "it is made twice"
[[ $(<"$work/said") == "gpu_kit: $work/kit is there already; "* ]] || fail "what is said of a folder: $(<"$work/said")"
kit=$work/kit/run.sh

# All of it, from another folder, as it would be copied.
mv "$work/kit" "$work/a kit"
kit="$work/a kit/run.sh"
cd "$work"
status=0
"$kit" --small all >said 2>&1 || status=$?
report=$(<all/report.md) || fail "no report: $(<said)"
for step in 1 2 3 4 5 6 7 8; do
  grep -Eq "^\| $step\. .* \| (passed|measured|failed|left out) \|" <<<"$report" || fail "no step $step: $report"
done
if [[ -e /dev/nvidiactl ]]; then
  echo "SKIPPED: the verdicts, which are those of this machine's device: $(sed -n '/^| step/,/^$/p' <<<"$report")"
else
  [[ $status == 0 ]] || fail "exit status $status: $report $(tail -n 5 all/logs/*)"
  grep -q '^- device: none' <<<"$report" || fail "that there is no device is not said"
  for row in '| cuda_test, on the stand-in | all tests pass | [1-9][0-9]* passed, 0 failed, [0-9]* skipped | passed |' \
    '| all four under compute-sanitizer |  | no device | left out |' \
    '| bytes to the device | those of the data | 26214400 recorded, 26214400 copied | passed |' \
    '| memory limit | .*limit_mib 64;used_mib 64; | passed |' \
    "| a kernel that fails | .*gpu_check.c:[0-9]*: task 'beyond' .* | passed |" \
    '| a device that is lost | .*CUDA_ERROR_CONTEXT_IS_DESTROYED.* | passed |' \
    '| kernels | stats, advise and report | 8 tasks, .* | passed |'; do
    grep -q "^$row\$" <<<"$report" || fail "no row $row: $report"
  done
  [[ -s all/pages/kernels.html && -s all/traces/kernels_0.tlt ]] || fail "no trace, or no page of it"
fi
"$kit" --small all >said 2>&1 && fail "a result takes the place of another"
[[ $(<said) == "run.sh: all is there already; "* ]] || fail "what is said of it: $(<said)"

# A program that ends right once, and never again; the step is ended, the next one begins.
cat >"a kit/bin/gpu_check" <<'SH'
#!/bin/sh
[ "$1" != limit ] || exit 0
exec tail -f /dev/null
SH
KIT_LIMIT_S=10 "$kit" --small --only '6 8' ended >said 2>&1 && fail "it says that all is well"
grep -q '^| memory limit | .* | passed |$' ended/report.md || fail "what came before is lost: $(<ended/report.md)"
grep -q '^| the whole step | within 10 s | was ended.* | failed |$' ended/report.md || fail "the step is not ended: $(<ended/report.md)"
grep -q '^| 8\. .* | left out |' ended/report.md || fail "the next step does not begin: $(<ended/report.md)"

# Programs that fail, and some that are not there.
printf '#!/bin/sh\necho no memory\nexit 3\n' >"a kit/bin/gpu_check"
rm -f "a kit/bin/cuda_"*
: >"a kit/missing"
"$kit" --small --only '2 5' fails >said 2>&1 && fail "it says that all is well"
grep -q '^| bare launches |  | exit status 3: no memory; see logs/5-bare | failed |$' fails/report.md || fail "$(<fails/report.md)"
grep -q '^| sgemm |  | bin/cuda_sgemm is not there.* | left out |$' fails/report.md || fail "$(<fails/report.md)"
grep -q '^It failed: `logs/5-\*`' fails/report.md || fail "where to look is not said"
