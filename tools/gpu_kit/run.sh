#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [--small] [--only STEPS] [RESULT]: examines the machine that it is on, in at most eight minutes, and writes
# RESULT/report.md (in the folder `result` here, if no other is named). Most important first, each step within its own time:
#
#   1 tests      the tests of the CUDA driver
#   2 examples   examples/cuda: right results, also under compute-sanitizer
#   3 times      recorded times of kernels and copies beside those of CUPTI; copies beside plain ones; that both overlap
#   4 together   Cholesky and sgemm on the device, on CPUs, on both; cuBLAS alone; models written and read again
#   5 costs      of recording a kernel; of an empty task, beside a bare launch
#   6 failures   memory that does not suffice, a kernel that fails, a device that is lost: what the user reads
#   7 cores      the runtime on 2, 4, 8 and 16 cores, beside StarPU
#   8 traces     stats, advise and report of the traces of all that
#
# A step that fails or takes too long leaves what it found, and the next one begins. report.md is written anew after each.
# Without a device (/dev/nvidiactl) what needs one is left out, with the reason, and the rest runs on a stand-in for it.
# --small: sizes with which nothing is measured, to try the kit itself. --only 'NUMBER...': these steps alone.
# KIT_LIMIT_S=SECONDS: of each step, instead of its own.
#
#   RESULT/report.md   the page          RESULT/logs     what each command said
#   RESULT/traces      the traces        RESULT/pages    their report, as pages
#   RESULT/steps       what each step found, in lines of: verdict, what, claim, measured
#
# Ends with 1 when something failed, with 0 otherwise. It needs bash, awk, sed, tar, gzip and timeout.
set -uo pipefail
export LC_ALL=C

# Number, name, seconds, title.
readonly steps='1 tests 95 The tests of the driver
2 examples 90 The examples on the device
3 times 50 Recorded times beside the profiler
4 together 70 Device and CPUs together
5 costs 25 What recording and tasks cost
6 failures 45 When something goes wrong
7 cores 75 The runtime on more cores
8 traces 30 What TaskLens says of the traces'

kit=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd) || exit
readonly kit

# --- What a step says ----------------------------------------------------------------------------

# passed|failed|left out|measured, then what, claim, measured.
row() { printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >>"$result/steps/$step.rows"; }
# Lines of Markdown under the rows.
text() { cat >>"$result/steps/$step.text"; }
left_out() { row "left out" "$1" "" "$2"; }
# Whether WHAT is as CLAIM says: judge WHAT CLAIM MEASURED, condition of awk. What is no number (nan, inf, nothing) is not.
judge() {
  if [[ $4 != *[a-z]* ]] && awk "BEGIN { exit !($4) }"; then row passed "$1" "$2" "$3"; else row failed "$1" "$2" "$3"; fi
}

# Runs a command with at most so many seconds; what it says is in logs/STEP-NAME. Its status is the command's.
try() { # SECONDS NAME COMMAND...
  local seconds=$1 name=$2
  shift 2
  log=$result/logs/$step-$name
  printf '%s\n' "${*//$kit\//}" >>"$result/steps/$step.commands"
  timeout --foreground --kill-after=5 "$seconds" "$@" >"$log" 2>&1 </dev/null
}
# Why the last command failed: its status, and the last line that it said.
why() { printf 'exit status %s: %s; see logs/%s' "$1" "$(tail -n 1 "$log" | tr '\t|' '  ' | cut -c1-300)" "${log##*/}"; }
# A value of a line `name value...` of the last log: field NAME [NUMBER].
field() { awk -v name="$1" -v n="${2:-2}" '$1 == name { print $n; exit }' "$log"; }
median() { sort -n | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)]; else print "nan" }'; }
# Whether a program of the kit can start here; says so where it cannot. can_run PROGRAM WHAT
can_run() {
  local lacking
  if [[ ! -e $kit/bin/$1 ]]; then
    left_out "$2" "bin/$1 is not there: $(cat "$kit/missing" "$result/logs/build_cuda" 2>/dev/null | grep "bin/$1 \|nvcc" | head -n 1)"
    return 1
  fi
  lacking=$(LD_LIBRARY_PATH=$cuda_libraries ldd "$kit/bin/$1" 2>/dev/null | awk '/not found/ { printf "%s ", $1 }')
  [[ -z $lacking ]] || { left_out "$2" "this machine has no $lacking"; return 1; }
}
# What is wanted of the device, where there is one.
needs_device() { # WHAT
  [[ $device ]] && return
  left_out "$1" "no device"
  return 1
}
# A program of the kit, with variables, on the device or its stand-in.
on_device() { # SECONDS NAME [VARIABLE=VALUE...] PROGRAM ARGUMENTS...
  local seconds=$1 name=$2
  shift 2
  try "$seconds" "$name" env LD_LIBRARY_PATH="$device_libraries" STARPU_NCUDA=1 STARPU_NCPU=1 STARPU_BUS_CALIBRATE=0 "$@"
}
# Variables that record a run as traces/NAME_0.tlt.
recorded() { printf '%s\n' STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX="$result/traces" STARPU_FXT_SUFFIX="$1"; }
tasklens() { "$work/program/bin/tasklens" "$@"; }
# A trace as $work/trace-NAME/paje.trace, where copies are, and tasks.rec.
convert() { try 30 "convert-$1" "$work/program/bin/tasklens" convert --to tasks,paje -o "$work/trace-$1" "$result/traces/$1_0.tlt"; }
# Tasks that ran: name, start, end in microseconds; by start.
tasks_of() {
  awk '/^Name: / { name = $2 } /^StartTime: / { start = $2 } /^EndTime: / { printf "%s %.3f %.3f\n", name, 1e3 * start, 1e3 * $2 }' \
    "$work/trace-$1/tasks.rec" | sort -k2,2n
}
# Copies between the main memory and the device: to|from, start, end in microseconds, bytes.
copies_of() {
  awk -F'\t' '$1 == 24 && $7 ~ /^com_/ { start[$7] = $2; source[$7] = $6 }
    $1 == 19 && $7 in start {
      printf "%s %.3f %.3f %.0f\n", source[$7] == "mm0" ? "to" : "from", 1e3 * start[$7], 1e3 * $2, $5
      delete start[$7]
    }' \
    "$work/trace-$1/paje.trace"
}

# --- The steps -----------------------------------------------------------------------------------

step_tests() {
  local test filter='*' passed failed skipped status where
  where="on the $([[ $device ]] && echo device || echo stand-in)"
  [[ $small ]] && filter='-*Random*'
  cd "$work/tests" || return
  mkdir -p "$work/tests/tmp"
  for test in cuda_test cuda_copies_test cuda_lifetime_test cuda_multiformat_test; do
    try 60 "$test" env LD_LIBRARY_PATH="$work/tests/lib:$device_libraries" TEST_TMPDIR="$work/tests/tmp" \
      "tests/runtime/cuda/$test" --gtest_filter="$filter" --gtest_output="xml:$result/steps/$test.xml"
    status=$?
    if [[ ! -s $result/steps/$test.xml ]]; then
      row failed "$test, $where" "all tests pass" "$(grep -c '^\[       OK' "$log") passed before it ended: $(why "$status")"
      continue
    fi
    skipped=$(grep -c 'result="skipped"' "$result/steps/$test.xml")
    failed=$(sed -n 's/^<testsuites .*failures="\([0-9]*\)".*/\1/p' "$result/steps/$test.xml")
    passed=$(($(grep -c '<testcase .*status="run"' "$result/steps/$test.xml") - failed - skipped))
    judge "$test, $where" "all tests pass" \
      "$passed passed, $failed failed, $skipped skipped$([[ $status == 0 ]] || echo ": $(why "$status")")" "$status == 0 && $passed > 0"
    sed -n 's/^\[  FAILED  \] \([A-Za-z]*\.[A-Za-z0-9]*\).*/- `\1` failed/p' "$log" | sort -u | text
    sed -n 's/.*<skipped message="\([^"]*\)".*/\1/p' "$result/steps/$test.xml" | sed 's/.*&#x0A;//' | sort | uniq -c |
      sed "s/^ *\([0-9]*\) /- \1 of $test skipped: /" | text
  done
}

step_examples() {
  local example tool status where runs tasks
  local -A arguments=([cholesky]="6 64" [sgemm]="256 4" [stencil]="" [vector_scal]="")
  for example in vector_scal sgemm cholesky stencil; do
    can_run "cuda_$example" "$example" || continue
    mapfile -t runs < <(recorded "example_$example")
    where=$([[ $device ]] && echo "on the device" || echo "on CPUs")
    [[ $device ]] || runs+=(STARPU_NCUDA=0)
    # shellcheck disable=SC2086
    on_device 30 "$example" LD_LIBRARY_PATH="$cuda_libraries" "${runs[@]}" "$kit/bin/cuda_$example" ${arguments[$example]}
    status=$?
    if ((status == 0)); then
      row passed "$example, $where" "right results" "$(tail -n 1 "$log")"
    else
      row failed "$example, $where" "right results" "$(why "$status")"
      continue
    fi
    [[ $device ]] || continue
    tasks=$(tasklens stats --by worker --csv "$result/traces/example_${example}_0.tlt" | awk -F, '/^"?CUDA/ { sum += $2 } END { print sum + 0 }')
    judge "$example, tasks that the device ran" "some" "$tasks" "$tasks > 0"
  done
  needs_device "all four under compute-sanitizer" || return
  [[ $sanitizer ]] || { left_out "all four under compute-sanitizer" "this machine has no compute-sanitizer"; return; }
  # The checks of an example beside each other.
  for example in vector_scal stencil sgemm cholesky; do
    [[ -e $kit/bin/cuda_$example ]] || continue
    for tool in memcheck racecheck initcheck synccheck; do
      (
        # shellcheck disable=SC2086
        on_device 45 "$example-$tool" LD_LIBRARY_PATH="$cuda_libraries" "$sanitizer" --tool "$tool" --error-exitcode 99 \
          "$kit/bin/cuda_$example" ${arguments[$example]}
        status=$?
        if ((status == 0)); then
          row passed "$example, $tool" "no error" "$(grep -h 'SUMMARY' "$log" | tail -n 1 | sed 's/^=* *//')"
        else
          row failed "$example, $tool" "no error" "$(grep -h 'SUMMARY' "$log" | tail -n 1 | sed 's/^=* *//') $(why "$status")"
        fi
      ) &
    done
    wait
  done
}

# Recorded tasks beside the profiler's kernels, the k-th of both: they ran one after the other in one stream.
compare_kernels() {
  tasks_of kernels >"$work/recorded"
  grep '^kernel' "$work/cupti-kernels" | sort -k2,2n >"$work/profiled"
  local recorded profiled name line
  recorded=$(wc -l <"$work/recorded") profiled=$(wc -l <"$work/profiled")
  judge "kernels that were seen" "as many as the profiler's" "$recorded recorded, $profiled profiled" "$recorded == $profiled"
  ((recorded == profiled && recorded > 0)) || return
  paste -d' ' "$work/recorded" "$work/profiled" >"$work/pairs"
  echo '| kernel | times | profiler, median us | recorded, median us | differs by, median | at most |
|---|---|---|---|---|---|' | text
  for name in $(cut -d' ' -f1 "$work/pairs" | sort -u); do
    line=$(awk -v name="$name" '$1 == name { theirs = $6 / 1e3; ours = $3 - $2; d = 100 * (ours - theirs) / theirs
        print d < 0 ? -d : d, d, theirs, ours }' "$work/pairs" | sort -n |
      awk '{ d[NR] = $1; theirs[NR] = $3; ours[NR] = $4 }
        END { m = int((NR + 1) / 2); printf "%d %.1f %.1f %.2f %.2f", NR, theirs[m], ours[m], d[m], d[NR] }')
    # shellcheck disable=SC2086
    set -- $line
    echo "| $name | $1 | $2 | $3 | $4 % | $5 % |" | text
    judge "$name beside CUPTI" "within 2 %" "median $4 %, at most $5 % of $1" "$4 <= 2"
  done
}

step_times() {
  local injected=() n=20 most=256 size runs=() ours theirs way expected from to
  [[ $small ]] && n=2 most=4
  if needs_device "kernels and copies beside CUPTI" && can_run libcupti_times.so "kernels and copies beside CUPTI"; then
    injected=(CUDA_INJECTION64_PATH="$kit/bin/libcupti_times.so")
  fi
  mapfile -t runs < <(recorded kernels)
  if on_device 20 kernels LD_LIBRARY_PATH="$device_libraries:$cuda_libraries" "${runs[@]}" "${injected[@]}" \
    KIT_CUPTI_FILE="$work/cupti-kernels" "$kit/bin/gpu_check" kernels "$n" && convert kernels; then
    ours=$(tasks_of kernels | awk '$1 == "stall_5_ms" { print $3 - $2 }' | median)
    judge "a kernel of 5 ms, recorded" "at least 5 ms" "$ours us" "$ours >= 4990"
    if [[ -s $work/cupti-kernels ]]; then
      compare_kernels
    elif ((${#injected[@]})); then
      row failed "kernels beside CUPTI" "within 2 %" "CUPTI wrote nothing; see logs/3-kernels"
    fi
  else
    row failed "kernels" "right results, recorded" "$(why $?)"
  fi

  mapfile -t runs < <(recorded copies)
  if on_device 20 copies LD_LIBRARY_PATH="$device_libraries:$cuda_libraries" "${runs[@]}" "${injected[@]}" \
    KIT_CUPTI_FILE="$work/cupti-copies" "$kit/bin/gpu_check" copies "$most" && cp "$log" "$work/plain" && convert copies; then
    copies_of copies >"$work/copies"
    for way in to from; do
      # Five of each size.
      expected=$(awk '$1 == "plain" { sum += 5 * $2 } END { printf "%.0f", sum }' "$work/plain")
      ours=$(awk -v way="$way" '$1 == way { sum += $4 } END { printf "%.0f", sum }' "$work/copies")
      judge "bytes $way the device" "those of the data" "$ours recorded, $expected copied" "$ours == $expected"
      [[ -s $work/cupti-copies ]] || continue
      # The program's own plain copies are five of each size as well.
      theirs=$(awk -v way="$way" '$1 == way { sum += $4 } END { printf "%.0f", sum }' "$work/cupti-copies")
      judge "bytes $way the device, beside CUPTI" "equal" "$ours recorded, $((theirs - expected)) profiled without the plain copies" \
        "$ours == $theirs - $expected"
    done
    echo '| copy | bytes | plain, GB/s | recorded, GB/s | of plain |
|---|---|---|---|---|' | text
    while read -r _ size to from; do
      for way in to from; do
        theirs=$([[ $way == to ]] && echo "$to" || echo "$from")
        ours=$(awk -v way="$way" -v size="$size" '$1 == way && $4 == size { print $4 / ($3 - $2) / 1e3 }' "$work/copies" |
          sort -n | tail -n 1)
        awk -v way="$way" -v size="$size" -v ours="$ours" -v theirs="$theirs" 'BEGIN {
          printf "| %s the device | %.0f | %.2f | %.2f | %.0f %% |\n", way, size, theirs, ours, 100 * ours / theirs }' | text
      done
    done < <(grep '^plain' "$work/plain")
    row measured "copies beside plain ones" "about as fast" "table below"
  else
    row failed "copies" "right results, recorded" "$(why $?)"
  fi

  mapfile -t runs < <(recorded overlap)
  if on_device 20 overlap "${runs[@]}" "$kit/bin/gpu_check" overlap 20000 && convert overlap; then
    tasks_of overlap >"$work/recorded"
    copies_of overlap | grep '^to' >"$work/copies"
    # How much of the copies' time lies within kernels.
    ours=$(awk 'NR == FNR { start[NR] = $2; end[NR] = $3; n = NR; next }
      { all += $3 - $2
        for (i = 1; i <= n; i++) { a = $2 > start[i] ? $2 : start[i]; b = $3 < end[i] ? $3 : end[i]; if (b > a) both += b - a } }
      END { printf "%.0f", all ? 100 * both / all : 0 }' "$work/recorded" "$work/copies")
    judge "copies to the device while kernels run" "both overlap" "$ours % of the time of $(wc -l <"$work/copies") copies" "$ours > 0"
  else
    row failed "overlap" "right results, recorded" "$(why $?)"
  fi
}

# GFlop/s of the best of some runs: best NAME TIMES [VARIABLE=VALUE...] PROGRAM ARGUMENTS...; nothing when one fails.
best() {
  local name=$1 times=$2 i status found=
  shift 2
  for ((i = 0; i < times; i++)); do
    try 25 "$name" env LD_LIBRARY_PATH="$cuda_libraries" "$@"
    status=$?
    ((status == 0)) || { row failed "$name" "right results" "$(why "$status")"; return 1; }
    found+=$(sed -n 's/.*, \([0-9.]*\) GFlop\/s.*/\1/p' "$log")$'\n'
  done
  printf '%s' "$found" | sort -n | tail -n 1
}

step_together() {
  local n=1024 tiles=16 order=256 times=3 alone cpus device_only both kind program arguments few name size runs status
  # Nothing is compared then.
  [[ $device ]] || tiles=8 order=128 times=1
  [[ $small ]] && n=128 tiles=4 order=16 times=1
  local models=(STARPU_PERF_MODEL_DIR="$result/models" STARPU_SCHED=dmdas)
  echo '| what | CPUs, GFlop/s | device | both | without a runtime |
|---|---|---|---|---|' | text
  for kind in sgemm cholesky; do
    program=$kit/bin/cuda_$kind
    can_run "cuda_$kind" "$kind" || continue
    if [[ $kind == sgemm ]]; then arguments=("$n" 8) few=0; else arguments=("$tiles" "$order") few=1; fi
    cpus=$(best "$kind-cpus" "$times" STARPU_NCUDA=0 "$program" "${arguments[@]}") || continue
    if [[ ! $device ]]; then
      row measured "$kind on CPUs" "" "$cpus GFlop/s"
      echo "| $kind ${arguments[*]} | $cpus | | | |" | text
      continue
    fi
    # Corners of Cholesky are factorised on CPUs only.
    device_only=$(best "$kind-device" "$times" STARPU_NCUDA=1 STARPU_NCPU="$few" "$program" "${arguments[@]}") || continue
    best "$kind-calibrates" 3 "${models[@]}" STARPU_CALIBRATE=1 STARPU_NCUDA=1 "$program" "${arguments[@]}" >/dev/null || continue
    mapfile -t runs < <(recorded "$kind")
    both=$(best "$kind-both" "$times" "${models[@]}" "${runs[@]}" STARPU_NCUDA=1 "$program" "${arguments[@]}") || continue
    alone=
    if can_run alone "$kind by cuBLAS alone"; then
      if [[ $kind == sgemm ]]; then name=sgemm size=$n; else name=potrf size=$((tiles * order)); fi
      if try 20 "alone-$kind" env LD_LIBRARY_PATH="$cuda_libraries" "$kit/bin/alone" "$size"; then
        alone="$(field "$name"), with its copies $(field "$name" 3)"
      else
        row failed "$kind without a runtime" "ends" "$(why $?)"
      fi
    fi
    echo "| $kind ${arguments[*]} | $cpus | $device_only | $both | $alone |" | text
    judge "$kind on device and CPUs under dmdas" "faster than either alone" "$both GFlop/s; device $device_only, CPUs $cpus" \
      "$both > $device_only && $both > $cpus"
  done
  needs_device "device and CPUs together; models of both, written and read again" || return
  for name in sgemm gemm trsm; do
    try 10 "model-$name" env STARPU_PERF_MODEL_DIR="$result/models" "$work/program/bin/tasklens" perfmodel show "${name}_cuda_example"
    status=$?
    few=$(grep -Ec '^# performance model for cuda[0-9]' "$log")
    judge "model of $name, read again" "knows the device" \
      "$few of it$([[ $status == 0 ]] || echo ": $(why "$status")")" "$status == 0 && $few > 0"
  done
}

step_costs() {
  local n=20000 times=5 i bare off='' on='' status
  [[ $device ]] || n=1000
  [[ $small ]] && n=200 times=1
  local runs
  mapfile -t runs < <(recorded empty)
  if on_device 10 bare KIT_KERNELS="$KIT_KERNELS" "$kit/bin/gpu_check" bare "$n"; then bare=$(field us); else
    row failed "bare launches" "" "$(why $?)"
    return
  fi
  for ((i = 0; i < times; i++)); do
    on_device 10 "empty" "$kit/bin/gpu_check" empty "$n" || { row failed "empty tasks" "" "$(why $?)"; return; }
    off+=$(field us)$'\n'
    on_device 10 "empty-recorded" "${runs[@]}" "$kit/bin/gpu_check" empty "$n" ||
      { row failed "empty tasks, recorded" "" "$(why $?)"; return; }
    on+=$(field us)$'\n'
  done
  off=$(printf '%s' "$off" | median) on=$(printf '%s' "$on" | median)
  row measured "an empty task, beside a bare launch" "" "$off us, bare $bare us"
  if [[ $device ]]; then
    judge "recording a kernel" "below 1 us" "$(awk "BEGIN { print $on - $off }") us ($on with, $off without)" "$on - $off < 1"
  else
    left_out "recording a kernel costs less than 1 us" "no device; on the stand-in $on us with, $off us without"
  fi
}

# A run that ends right, with what it has to say.
suffices() { # NAME CLAIM [VARIABLE=VALUE...] MODE
  local name=$1 claim=$2 status
  shift 2
  on_device 20 "$name" "${@:1:$#-1}" "$kit/bin/gpu_check" "${@: -1}"
  status=$?
  if ((status == 0)); then
    row passed "$name" "$claim" "$(grep -v '^wrong' "$log" | tr '\n\t|' ';  ')"
  else
    row failed "$name" "$claim" "$(why "$status")"
  fi
}
# A run that ends by a line of the runtime's.
fails_with() { # NAME PATTERN MODE
  local status line
  on_device 20 "$1" "$kit/bin/gpu_check" "$3"
  status=$?
  line=$(grep -E "$2" "$log" | head -n 1 | tr '\t|' '  ' | sed "s/^tasklens: //; s|$kit/||g")
  if ((status == 77)); then
    left_out "$1" "this libcuda.so.1 has no cuDevicePrimaryCtxReset"
  elif [[ $line ]] && ((status != 0 && status != 124 && status != 137 && status != 139)); then
    row passed "$1" "a line says what, where" "$line"
  else
    row failed "$1" "a line says what, where" "$(why "$status")"
  fi
}

step_failures() {
  suffices "memory limit" "data go and come, results are right" STARPU_LIMIT_CUDA_MEM=64 limit
  suffices "memory taken by the program itself" "the same" taken
  if needs_device "memory taken by another program"; then suffices "memory taken by another program" "the same" other; fi
  fails_with "a kernel that fails" "task 'beyond' (may have )?failed on CUDA 0" beyond
  fails_with "a device that is lost" "CUDA" lost
}

step_cores() {
  local cores policy on name line status n=65536 times=5 tiles=60 order=24 count
  [[ $small ]] && n=256 times=1 tiles=4 order=8
  count=$(nproc)
  echo '| cores | empty task, us | with a buffer | recorded | StarPU, us | with a buffer |
|---|---|---|---|---|---|' | text
  for cores in 2 4 8 16; do
    if ((cores > count)); then left_out "$cores cores" "this machine has $count"; continue; fi
    line="| $cores "
    for name in ours buffer recorded theirs theirs-buffer; do
      local program=$kit/bin/task_overhead buffers=0 runs=(STARPU_NCPU="$cores" STARPU_NCUDA=0 STARPU_SILENT=1)
      [[ $name == *buffer ]] && buffers=1
      [[ $name == theirs* ]] && program=$work/starpu/task_overhead && runs+=(LD_LIBRARY_PATH="$work/starpu/lib" STARPU_WORKERS_NOBIND=0)
      [[ $name == recorded ]] && runs+=(STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX="$work" STARPU_FXT_SUFFIX=overhead)
      if [[ ! -e $program ]]; then line+="| "; continue; fi
      if try 15 "$name-$cores" env "${runs[@]}" "$program" "$n" "$times" "$buffers"; then
        line+="| $(tail -n 1 "$log" | awk '{ print $6 }') "
        [[ $name == ours ]] && row measured "an empty task on $cores cores" "" "$(tail -n 1 "$log" | awk '{ print $6 }') us"
      else
        status=$?
        line+="| failed "
        if [[ $name == theirs* ]]; then left_out "StarPU on $cores cores" "$(why "$status")"
        else row failed "empty tasks, $name, on $cores cores" "" "$(why "$status")"; fi
      fi
    done
    echo "$line|" | text
  done
  cores_and_sizes "$count"
  cores_and_cholesky "$count" "$tiles" "$order"
}
# Time that tasks of some lengths take, in per cent of what they would take if the runtime cost nothing.
cores_and_sizes() {
  local count=$1 cores who program tasks=256 longest=256 runs
  [[ $small ]] && tasks=4 longest=16
  echo '
| cores | runtime | efficiency by the length of tasks |
|---|---|---|' | text
  for cores in 2 4 8 16; do
    ((cores <= count)) || continue
    for who in TaskLens StarPU; do
      program=$kit/bin/tasks_size_overhead runs=(STARPU_NCUDA=0 STARPU_SILENT=1)
      [[ $who == StarPU ]] && program=$work/starpu/tasks_size_overhead && runs+=(LD_LIBRARY_PATH="$work/starpu/lib" STARPU_HOME="$work")
      [[ -e $program ]] || continue
      if try 15 "sizes-$who-$cores" env "${runs[@]}" "$program" -i "$tasks" -c "$cores" -C "$cores" -t 4 -T "$longest" -f 4; then
        awk -v cores="$cores" -v who="$who" '/^"seq"/ { for (i = 2; i <= NF; i += 2) { us[i] = $i; alone[i] = $(i + 1) } }
          $1 == cores { printf "| %d | %s | ", cores, who
            for (i = 2; i <= NF; i += 2) printf "%d us: %.0f %%; ", us[i], 100 * alone[i] / $(i + 1); print "|" }' "$log" | text
        [[ $who == TaskLens ]] && row measured "tasks of 4 us and more on $cores cores" "" "table below"
      elif [[ $who == StarPU ]]; then
        left_out "StarPU's tasks_size_overhead on $cores cores" "$(why $?)"
      else
        row failed "tasks_size_overhead on $cores cores" "" "$(why $?)"
      fi
    done
  done
}
# A Cholesky of small tiles, the whole program's seconds, by policy, without and with recording.
cores_and_cholesky() {
  local count=$1 tiles=$2 order=$3 cores policy start on status
  echo "
| cores | policy | Cholesky of $tiles x $tiles tiles of $order, s | recorded, s | busy |
|---|---|---|---|---|" | text
  for cores in 2 4 8 16; do
    ((cores <= count)) || continue
    for policy in lws ws eager; do
      local runs=(STARPU_NCUDA=0 STARPU_NCPU="$cores" STARPU_SCHED="$policy") times=()
      for on in plain recorded; do
        [[ $on == recorded ]] && runs+=(STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX="$result/traces/cores" STARPU_FXT_SUFFIX="${policy}_$cores")
        start=$EPOCHREALTIME
        try 15 "cholesky-$policy-$cores-$on" env "${runs[@]}" "$kit/bin/cholesky" "$tiles" "$order"
        status=$?
        if ((status != 0)); then row failed "Cholesky, $policy, $cores cores, $on" "ends" "$(why "$status")"; continue 2; fi
        times+=("$(awk "BEGIN { printf \"%.3f\", $EPOCHREALTIME - $start }")")
      done
      echo "| $cores | $policy | ${times[0]} | ${times[1]} | $(tasklens stats "$result/traces/cores/${policy}_${cores}_0.tlt" 2>/dev/null |
        sed -n '1s/.*efficiency //p') |" | text
      row measured "Cholesky, $policy, $cores cores" "" "${times[0]} s, recorded ${times[1]} s"
    done
  done
}

step_traces() {
  local trace name status kind
  mkdir -p "$result/pages"
  for trace in "$result"/traces/*_0.tlt; do
    [[ -e $trace ]] || { left_out "traces" "no step left one"; return; }
    name=$(basename "$trace" _0.tlt)
    for kind in stats advise report; do
      local more=()
      [[ $kind == report ]] && more=(-o "$result/pages/$name.html")
      try 10 "$kind-$name" "$work/program/bin/tasklens" "$kind" "$trace" "${more[@]}"
      status=$?
      ((status == 0)) || { row failed "$kind of $name" "says something" "$(why "$status")"; continue 2; }
    done
    row passed "$name" "stats, advise and report" \
      "$(head -n 1 "$result/logs/$step-stats-$name"); pages/$name.html, $(wc -c <"$result/pages/$name.html") bytes"
    { echo; echo "\`$name\`, advise:"; echo; sed 's/^/    /' "$result/logs/$step-advise-$name" | head -n 12; } | text
  done
}

# --- The page ------------------------------------------------------------------------------------

# passed, failed or left out, of a step.
verdict_of() {
  awk -F'\t' '{ n[$1]++ }
    END { print n["failed"] ? "failed" : n["passed"] ? "passed" : n["measured"] ? "measured" : "left out" }' "$result/steps/$1.rows" 2>/dev/null
}
write_report() {
  local number name limit title
  {
    echo "# TaskLens on this machine"
    echo
    cat "$result/steps/machine"
    echo
    echo '| step | verdict | passed | failed | left out | seconds |'
    echo '|---|---|---|---|---|---|'
    while read -r number name limit title; do
      [[ -e $result/steps/$number.seconds ]] || continue
      awk -F'\t' -v title="$number. $title" -v verdict="$(verdict_of "$number")" -v seconds="$(<"$result/steps/$number.seconds") of $limit" \
        '{ n[$1]++ } END { printf "| %s | %s | %d | %d | %d | %s |\n", title, verdict, n["passed"], n["failed"], n["left out"], seconds }' \
        "$result/steps/$number.rows"
    done <<<"$steps"
    while read -r number name limit title; do
      [[ -e $result/steps/$number.seconds ]] || continue
      printf '\n## %s. %s: %s\n\n| what | claim | measured | verdict |\n|---|---|---|---|\n' "$number" "$title" "$(verdict_of "$number")"
      awk -F'\t' '{ gsub(/\|/, "/"); printf "| %s | %s | %s | %s |\n", $2, $3, $4, $1 }' "$result/steps/$number.rows"
      [[ ! -s $result/steps/$number.text ]] || { echo; cat "$result/steps/$number.text"; }
      [[ $(verdict_of "$number") != failed ]] ||
        printf '\nIt failed: `logs/%s-*` have all that was said; `run.sh` says what the step does.\n' "$number"
      [[ -s $result/steps/$number.commands ]] || continue
      printf '\nCommands:\n\n'
      sort -u "$result/steps/$number.commands" | sed "s|$result|RESULT|g; s|$work|WORK|g; s/^/    /"
    done <<<"$steps"
  } >"$result/report.new" && mv "$result/report.new" "$result/report.md"
}
describe_machine() {
  echo "- made by: $(cat "$kit/version"), $(date -u '+%Y-%m-%d %H:%M') UTC$([[ ! $small ]] || echo ', small sizes: nothing is measured')"
  if [[ $device ]]; then
    nvidia-smi --query-gpu=name,memory.total,driver_version --format=csv,noheader 2>/dev/null | sed 's/^/- device: /'
  else
    echo "- device: none (no /dev/nvidiactl); what needs one is left out, the rest runs on a stand-in for it"
  fi
  echo "- CUDA: ${toolkit:-no nvcc}$([[ ! $toolkit ]] || "$toolkit/bin/nvcc" --version | grep -o ', release [0-9.]*')"
  echo "- compute-sanitizer: ${sanitizer:-none}"
  echo "- cores: $(nproc), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
  echo "- system: $(uname -sr), $(getconf GNU_LIBC_VERSION)"
  sed 's/^/- the kit: /' "$kit/missing"
  [[ ! -s $result/logs/build_cuda ]] || sed 's/^/- here: /' "$result/logs/build_cuda"
}

# --- The run -------------------------------------------------------------------------------------

# A step, in a process of its own that `timeout` ends.
if [[ ${1-} == --step ]]; then
  step=$2
  result=$KIT_RESULT work=$KIT_WORK small=$KIT_SMALL device=$KIT_DEVICE toolkit=$KIT_TOOLKIT sanitizer=$KIT_SANITIZER
  cuda_libraries=$KIT_CUDA_LIBRARIES device_libraries=$KIT_DEVICE_LIBRARIES
  "step_$3"
  exit 0
fi

small='' only='1 2 3 4 5 6 7 8'
while [[ ${1-} == -* ]]; do
  case $1 in
    --small) small=1 ;;
    --only) only=${2-}; shift ;;
    *) echo "run.sh: what is $1? Usage: run.sh [--small] [--only STEPS] [RESULT]" >&2; exit 2 ;;
  esac
  shift
done
result=${1:-result}
if [[ -e $result ]]; then
  echo "run.sh: $result is there already; name another folder for the result, or remove it" >&2
  exit 2
fi
mkdir -p "$result"/{steps,logs,traces/cores} && result=$(cd "$result" && pwd) || exit
work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
# Where libcuda.so.1 is, on some machines.
of_the_user=${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
[[ ! -d /usr/local/nvidia/lib64 ]] || of_the_user+=:/usr/local/nvidia/lib64
unset XDG_CACHE_HOME
device=$([[ ! -e /dev/nvidiactl ]] || echo 1)
toolkit=
for folder in "${CUDA_HOME-}" /usr/local/cuda "$(dirname "$(dirname "$(readlink -f "$(command -v nvcc || echo /none/none)")")")"; do
  [[ $toolkit || ! -x $folder/bin/nvcc ]] || toolkit=$folder
done
sanitizer=$(PATH=$PATH:$toolkit/bin command -v compute-sanitizer || true)
cuda_libraries=${toolkit:+$toolkit/lib64:$toolkit/extras/CUPTI/lib64}$of_the_user
device_libraries=$kit/lib/tasklens
[[ $device ]] || device_libraries+=:$kit/standin
device_libraries+=$of_the_user
export KIT_RESULT=$result KIT_WORK=$work KIT_SMALL=$small KIT_DEVICE=$device KIT_TOOLKIT=$toolkit KIT_SANITIZER=$sanitizer
export KIT_CUDA_LIBRARIES=$cuda_libraries KIT_DEVICE_LIBRARIES=$device_libraries
export KIT_KERNELS=$work/tests/tests/runtime/cuda/kernels.ptx STARPU_HOME=$work/home TASKLENS_SAVED_TRACES=off
mkdir -p "$work/home"
tar -xzf "$kit/packed.tar.gz" -C "$work" || exit
[[ ! $toolkit || ! -s $kit/missing ]] || "$kit/build_cuda.sh" "$toolkit" "$result/logs/build_cuda_all" >"$result/logs/build_cuda"
describe_machine >"$result/steps/machine"

failed=0
while read -r -u 3 number name limit title; do
  [[ " $only " == *" $number "* ]] || continue
  step=$number
  limit=${KIT_LIMIT_S:-$limit}
  : >>"$result/steps/$number.rows"
  echo "$number. $title ..."
  start=$SECONDS
  timeout --kill-after=5 "$limit" bash "${BASH_SOURCE[0]}" --step "$number" "$name" >"$result/logs/$number" 2>&1 3<&-
  status=$?
  case $status in
    0) ;;
    124 | 137) row failed "the whole step" "within $limit s" "was ended; what it had found stands here" ;;
    *) row failed "the whole step" "ends" "exit status $status: $(tail -n 1 "$result/logs/$number")" ;;
  esac
  echo $((SECONDS - start)) >"$result/steps/$number.seconds"
  write_report
  echo "   $(verdict_of "$number")"
  [[ $(verdict_of "$number") != failed ]] || failed=1
done 3<<<"$steps"
echo "$result/report.md"
exit $failed
