#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program `tasklens` as its users meet it: what it prints, where, and with which exit status.
set -uo pipefail

tasklens=$PWD/$1
hello=$PWD/$2
data=$PWD/tests/data/starpu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# expect STATUS OUT_PATTERN ERR_PATTERN ARGUMENTS...: runs tasklens; the patterns are extended
# regular expressions, "" stands for no output at all.
expect() {
  local status=$1 out=$2 err=$3 got
  shift 3
  "$tasklens" "$@" >out 2>err </dev/null
  got=$?
  if ((got != status)); then
    echo "FAILED: tasklens $*: exit status $got, not $status"
    failed=1
  fi
  check out "$out" "$@"
  check err "$err" "$@"
}

check() {
  local file=$1 pattern=$2
  shift 2
  if [[ -z $pattern ]]; then
    [[ ! -s $file ]] || { echo "FAILED: tasklens $*: std$file should be empty:"; cat "$file"; failed=1; }
  elif ! grep -Eq -- "$pattern" "$file"; then
    echo "FAILED: tasklens $*: std$file has no /$pattern/:"
    cat "$file"
    failed=1
  fi
}

# Wrong usage: status 2, one line on standard error.
expect 2 '' 'Usage: tasklens'
expect 2 '' "no command is called 'convrt' \(did you mean 'convert'\?\)" convrt
expect 2 '' 'name a trace' convert
expect 2 '' "no format is called 'pajee' \(did you mean 'paje'\?\)" convert --to pajee "$data/hello"
expect 2 '' "'prv' \(did you mean 'paraver'\?\); there are all, starpu, paje, paraver, " convert --to prv "$data/hello"
expect 2 '' "'tlt' is recorded by a running program and cannot be written; there are all, " convert --to tlt "$data/hello"
expect 2 '' "none of the chosen formats has an option 'frob'" convert --set frob=1 "$data/hello"
expect 2 '' 'frob' stats --frob "$data/hello"
expect 2 '' 'frob' --frob
expect 0 'Usage: tasklens' '' --help
expect 0 '^tasklens [0-9]' '' --version

# Inputs at fault: status 1, one line that names the input.
: >empty
echo "this is no trace" >foreign
head -c 200 "$data/hello/prof_file_0" >no_events
head -c 5000 "$data/hello/prof_file_0" >truncated
expect 1 '' '^tasklens: no such file: ?|^tasklens: /no/such: ' stats /no/such
expect 1 '' '^tasklens: empty: ' stats empty
expect 1 '' '^tasklens: foreign: ' stats foreign
expect 1 '' '^tasklens: no_events: ' stats no_events
for bad in /no/such empty foreign no_events; do
  "$tasklens" stats "$bad" >/dev/null 2>err
  (($(wc -l <err) == 1)) || { echo "FAILED: not one line about $bad:"; cat err; failed=1; }
done
mkdir no_traces
expect 1 '' '^tasklens: no_traces: ' stats no_traces

# A truncated trace gives what is there, says so, and fails only when asked to be strict.
expect 0 'task' 'fxt_truncated' stats truncated
expect 1 'task' 'fxt_truncated' stats --strict truncated

# Events as text.
expect 0 '^[0-9.]+ 0/[0-9]+ task_start: worker [0-9]+ starts task [0-9]+' '' \
  print "$data/hello/prof_file_0"
expect 0 'task_site: task [0-9]+ was submitted at .*hello.c:44 in $' '' \
  print "$data/hello/prof_file_0"
expect 1 'task_' 'fxt_truncated' print --strict truncated
expect 1 '' '^tasklens: foreign: ' print foreign
"$tasklens" print "$data/cholesky_dmdas/prof_file_0" >/dev/full 2>err
check err '^tasklens: standard output: ' print onto a full disk

# What it is for.
expect 0 '3 tasks, 2 workers' '' stats "$data/hello/prof_file_0"
expect 0 'hello.c:44' '' stats "$data/hello/prof_file_0"
expect 0 '2 ranks' '' stats "$data/mpi2"
expect 0 '  paje .*' '' convert --list
expect 0 '^out with blank/paje.trace \(' '' convert "$data/hello/prof_file_0" -o 'out with blank'
for file in paje.trace dag.dot tasks.rec; do
  [[ -s "out with blank/$file" ]] || { echo "FAILED: convert did not write $file"; failed=1; }
done
"$tasklens" convert - -o from_stdin --to tasks <"$data/hello/prof_file_0" &&
  cmp from_stdin/tasks.rec 'out with blank/tasks.rec' || failed=1

# Work of more than a second shows on a terminal what it does; here it has to wait for its input.
mkfifo slow
{ sleep 1.2; cat "$data/stencil_2k/prof_file_0"; } >slow &
script -qec "$tasklens convert slow -o shown --to paje" /dev/null >terminal </dev/null || failed=1
for pattern in 'reading slow: [0-9]+ %' 'writing to shown: [0-9]+ MB'; do
  grep -Eq "$pattern" terminal || { echo "FAILED: no '$pattern' on a terminal"; failed=1; }
done

# Links lead to the sources where they are found.
mkdir sources && cp "$data/src/hello.c" sources
(cd sources && "$tasklens" convert "$data/hello" -o ../linked --to dot,svg) || failed=1
grep -q "href=\"$PWD/sources/hello.c#44\"" linked/dag.dot &&
  grep -q "file://$PWD/sources/hello.c#44" linked/dag.svg ||
  { echo "FAILED: the graph does not link to the source beside it"; failed=1; }
cp "$data/hello/prof_file_0" sources/trace_0
"$tasklens" convert sources/trace_0 -o linked --to dot || failed=1
grep -q "href=\"$PWD/sources/hello.c#44\"" linked/dag.dot ||
  { echo "FAILED: the graph does not link to the source beside the trace"; failed=1; }

mkdir elsewhere && mv sources/hello.c elsewhere
"$tasklens" convert sources/trace_0 -o linked --to dot,svg --source-root elsewhere || failed=1
grep -q "href=\"$PWD/elsewhere/hello.c#44\"" linked/dag.dot &&
  grep -q "file://$PWD/elsewhere/hello.c#44" linked/dag.svg ||
  { echo "FAILED: the graph does not link to the source below --source-root"; failed=1; }

# What StarVZ reads, and nothing else.
expect 0 '^starvz/.* \([0-9.,]+ (bytes?|kB)\)$' '' convert --starvz "$data/mpi2" -o starvz
[[ $(ls starvz | tr '\n' ' ') == 'comms.rec dag.dot data.rec paje.trace papi.rec tasks.rec ' ]] ||
  { echo "FAILED: --starvz wrote $(ls starvz)"; failed=1; }
grep -e '->' starvz/dag.dot |
  grep -vqE '^\s*"(task_[0-9]+_[0-9]+|mpi_[0-9]+_[0-9]+)"->"(task_[0-9]+_[0-9]+|mpi_[0-9]+_[0-9]+)"$' &&
  { echo "FAILED: an edge that StarVZ would misread"; failed=1; }

# Paraver's files, of today and of its document.
expect 0 '^paraver/' '' convert --to paraver "$data/mpi2" -o paraver
[[ $(head -1 paraver/trace.prv) =~ ^'#Paraver ('[0-9/]{10}' at '[0-9:]{5}'):'[0-9]+'_ns:2(' ]] ||
  { echo "FAILED: --to paraver wrote $(head -1 paraver/trace.prv)"; failed=1; }
expect 0 '^paraver_2001/' '' convert --paraver=2001 "$data/mpi2" -o paraver_2001
[[ $(head -1 paraver_2001/trace.prv) =~ ^'#Paraver ('[0-9/]{8}' at '[0-9:]{5}'):'[0-9]+':2(' ]] ||
  { echo "FAILED: --paraver=2001 wrote $(head -1 paraver_2001/trace.prv)"; failed=1; }
expect 2 '' 'paraver.*2001' convert --paraver=1999 "$data/mpi2" -o paraver_2001

# Outputs appear whole or not at all, also when the program is killed in the middle.
"$tasklens" convert "$data/stencil_2k/prof_file_0" -o whole || failed=1
# Files without a name yet are "FOLDER/#INODE (deleted)"; not every file system has them.
is_writing() {
  [[ -n $(compgen -G 'killed/.paje.trace.*.part') ]] ||
    ls -l "/proc/$1/fd" 2>/dev/null | grep -q '/killed/#'
}
caught=0
for ((try = 0; try < 200 && !caught; ++try)); do
  rm -rf killed && mkdir killed
  "$tasklens" convert "$data/stencil_2k/prof_file_0" -o killed &
  pid=$!
  while kill -0 $pid 2>/dev/null && ! is_writing $pid; do :; done
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  (($? == 137)) && [[ ! -e killed/paje.trace ]] && caught=1
  for file in killed/*; do
    [[ ! -e $file ]] || cmp "$file" "whole/${file#*/}" || failed=1
  done
done
((caught)) || { echo "FAILED: never killed while it wrote"; failed=1; }
"$tasklens" convert "$data/stencil_2k/prof_file_0" -o killed || failed=1
diff <(ls -A killed) <(ls -A whole) ||
  { echo "FAILED: a killed conversion left something"; failed=1; }
touch file
expect 1 '' 'file' convert "$data/hello/prof_file_0" -o file/below
# A limit on file sizes is the full disk that needs no disk.
(ulimit -f 1 && "$tasklens" convert "$data/cholesky_dmdas/prof_file_0" -o full 2>err)
(($? == 1)) || { echo "FAILED: a full disk is no error"; failed=1; }
check err 'full/.*: File too large' convert onto a full disk
[[ -z $(ls -A full) ]] || { echo "FAILED: a full disk left half an output:"; ls -A full; failed=1; }

# The twin of StarPU's tool.
ln -s "$tasklens" starpu_fxt_tool
./starpu_fxt_tool -i "$data/mpi2/prof_file_0" "$data/mpi2/prof_file_1" -d twin -c -no-acquire &&
  [[ -s twin/paje.trace && -s twin/tasks.rec && -s twin/dag.dot ]] ||
  { echo "FAILED: starpu_fxt_tool did not write its files"; failed=1; }
./starpu_fxt_tool -i "$data/hello/prof_file_0" -d plain
./starpu_fxt_tool -i "$data/hello/prof_file_0" -d twin -o deep/er/my.trace &&
  cmp plain/paje.trace twin/deep/er/my.trace ||
  { echo "FAILED: -o with folders is not there, from -d"; failed=1; }
./starpu_fxt_tool -i "$data/hello/prof_file_0" -d nothing_else -o "$PWD/absolute/my.trace" &&
  cmp plain/paje.trace absolute/my.trace && [[ ! -e nothing_else/my.trace ]] ||
  { echo "FAILED: -o with an absolute path is not there"; failed=1; }
./starpu_fxt_tool -i "$data/hello/prof_file_0" -d none -o "$PWD/file/below/my.trace" 2>err && failed=1
check err 'file/below: Not a directory' starpu_fxt_tool -o below a file
[[ -z $(ls -A none) ]] || { echo "FAILED: outputs beside one that failed"; failed=1; }
./starpu_fxt_tool -i "$data/hello/prof_file_0" -badopt 2>err && failed=1
check err "unknown option '-badopt'" starpu_fxt_tool -badopt

STARPU_GENERATE_TRACE_OPTIONS='-number-events -frob' \
  ./starpu_fxt_tool -i "$data/hello/prof_file_0" -d flags 2>err && failed=1
check err "STARPU_GENERATE_TRACE_OPTIONS: '-frob' is not a flag" starpu_fxt_tool with a wrong variable
STARPU_GENERATE_TRACE_OPTIONS='-number-events' \
  ./starpu_fxt_tool -i "$data/hello/prof_file_0" -d flags && [[ -s flags/number_events.data ]] ||
  { echo "FAILED: STARPU_GENERATE_TRACE_OPTIONS has no effect"; failed=1; }

# STARPU_GENERATE_TRACE: our runtime runs the twin when the program shuts it down.
mkdir generated
(export STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX=$PWD/generated STARPU_GENERATE_TRACE=1 STARPU_NCPU=1
  PATH=$(dirname "$tasklens"):$PATH STARPU_GENERATE_TRACE_OPTIONS='-number-events' "$hello")
for file in paje.trace tasks.rec dag.dot number_events.data; do
  [[ -s generated/$file ]] || { echo "FAILED: STARPU_GENERATE_TRACE made no $file"; failed=1; }
done
(export STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX=$PWD/generated STARPU_GENERATE_TRACE=1 STARPU_NCPU=1
  PATH=$(dirname "$tasklens"):$PATH STARPU_GENERATE_TRACE_OPTIONS='-frob' "$hello") 2>err ||
  { echo "FAILED: a converter that fails makes the program fail"; failed=1; }
check err "STARPU_GENERATE_TRACE: .*tasklens ended with status 2; the trace is .*generated/" hello

# A trace that was cut says so in one line whatever is asked, and fails: no number of it passes for one of the run.
mkdir tlt && (export STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX=$PWD/tlt STARPU_FXT_SUFFIX=trace STARPU_NCPU=2 && "$hello") >out 2>&1
bytes=$(stat -c %s tlt/trace_0.tlt)
RANDOM=5
for ((i = 0; i < 20; ++i)); do
  at=$(((RANDOM * 32768 + RANDOM) % bytes))
  head -c "$at" tlt/trace_0.tlt >cut.tlt
  for command in stats advise bound why critical-path 'stats --json' 'report -o cut.html'; do
    # shellcheck disable=SC2086
    "$tasklens" $command cut.tlt >out 2>err </dev/null
    got=$?
    ((got == 1)) && grep -Eq 'the trace is cut off \(cut.tlt: byte|^tasklens: cut.tlt: ' err ||
      { echo "FAILED: tasklens $command of $at of $bytes bytes: exit status $got"; cat err; failed=1; }
  done
done
"$tasklens" bound tlt/trace_0.tlt >out 2>err || { echo "FAILED: the whole trace is refused"; failed=1; }

# Running programs.
expect 1 '' 'no/such/program: cannot be run: No such file' run -o runs -- ./no/such/program
expect 1 'done' 'left no trace in .*runs' run -o runs -- echo done
expect 1 '' 'sh exited with status 3' run -o runs -- sh -c 'exit 3'
expect 1 '' 'sh was killed by SIGSEGV' run -o runs -- sh -c 'kill -SEGV $$'
[[ ! -e runs ]] || { echo "FAILED: an empty folder of a run was left behind"; failed=1; }
cat >fake <<'SCRIPT'
cp "$1/hello/prof_file_0" "$STARPU_FXT_PREFIX/${STARPU_FXT_SUFFIX}_0" && exit $2
SCRIPT
expect 0 '3 tasks' '' run -- sh fake "$data" 0
expect 1 '3 tasks' 'sh exited with status 4' run -- sh fake "$data" 4
expect 0 '^next: tasklens (advise|report)' '' run -- sh fake "$data" 0
expect 0 '^next: tasklens (advise runs|report runs)' '' run -o runs -- sh fake "$data" 0
# One store, for editors as well: the newest run is meant where none is named, also from below.
ls .tasklens/runs/sh-*/run.json >/dev/null || { echo "FAILED: no record of a run"; failed=1; }
expect 0 '3 tasks' 'newest run: \.tasklens/runs/sh-' stats
expect 0 'hello.c:4' 'newest run: \.tasklens/runs/sh-' advise .tasklens/runs
expect 0 '^report.html \([0-9.]+ [kM]B\), open: file:///' 'newest run: ' report
expect 0 'dag.dot \([0-9.,]+ (bytes|kB)\)$' 'newest run: ' convert --to dot -o converted
expect 0 ' -> ' 'newest runs: ' compare
"$tasklens" convert --to paraver "$data/hello" -o views >/dev/null 2>&1
expect 0 ' since the start of the trace' 'newest run: \.tasklens/runs/sh-' paraver views/paraver_states.cfg
expect 2 '' 'name a Paraver configuration' paraver
# It serves until it is told to end, here before it began to.
mkfifo page && { "$tasklens" serve --http >page 2>err & } && server=$! && read -r address <page
kill "$server" && wait "$server" || { echo "FAILED: serve --http did not end well"; failed=1; }
check err 'newest run: \.tasklens/runs/sh-' serve --http
[[ $address == http://127.0.0.1:* ]] || { echo "FAILED: serve --http said '$address'"; failed=1; }
mkdir -p deep/er && (cd deep/er && "$tasklens" stats >../../out 2>../../err) && check out '3 tasks' stats from below
mv .tasklens/runs tasklens-runs && rmdir .tasklens
expect 0 '3 tasks' 'newest run: tasklens-runs/sh-' stats
rm -r tasklens-runs runs
touch gemm_here && expect 1 '' 'gemm_here: cannot be run: .*; did you mean \./gemm_here\?$' run -- gemm_here

((failed == 0)) && echo "all as expected"
exit "$failed"
