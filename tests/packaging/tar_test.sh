#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The files of a release. The folder that runs everywhere: made, unpacked to a path with a blank, and used with an empty environment; then in
# a root in which there is nothing else, so that nothing of the system can have helped.
set -euo pipefail

tree=$PWD
work=$(readlink -f "$(mktemp -d "$TEST_TMPDIR/tar.XXXXXX")")
export TMPDIR=$work
export DPKG_DEB_COMPRESSOR_LEVEL=1  # of a .deb that is thrown away

fail() { printf 'FAILED: %s\n' "$1"; exit 1; }

npm=$(PYTHONPATH=tools python3 -B -c 'from npm_packages import npm_folder; print(npm_folder("ide-plugin/vscode/npm"))')
[[ -d $npm ]] || { echo "SKIPPED: nothing is made: $npm is missing; ./tasklens test makes it"; exit 0; }
packaging/package.py -o "$work/dist" --built "$tree" >"$work/said" 2>&1 || fail "it is not made: $(<"$work/said")"
(cd "$work/dist" && sha256sum --check --strict --quiet SHA256SUMS) || fail "its checksums"
[[ $(wc -l <"$work/dist/SHA256SUMS") == 4 ]] || fail "what is made: $(ls "$work/dist")"
made=$(echo "$work"/dist/tasklens-*-linux-x86_64.tar.gz)

tar -tvf "$made" --full-time >"$work/list"
awk '{ print $2, $4, $5 }' "$work/list" | sort -u >"$work/said"
[[ $(<"$work/said") == 'root/root 1980-01-01 00:00:00' ]] || fail "owners and times: $(<"$work/said")"
(($(wc -l <"$work/list") > 200)) || fail "what is in it: $(<"$work/list")"

mkdir "$work/a place"
tar -xf "$made" -C "$work/a place"
top=$(echo "$work/a place"/tasklens-*-linux-x86_64)
size=$(du -sm "$top" | cut -f1)
((size < 150)) || fail "$size MB"
bare=(env -i "$top/bin/tasklens")

# As its user begins.
cd "$work"
"${bare[@]}" demo --no-open -o "$work/demo" >said 2>err || fail "demo: $(cat said err)"
[[ ! -s err ]] || fail "demo says: $(<err)"
grep -Eq '^[0-9]+ tasks' said || fail "what demo says: $(<said)"
for file in report.html dag.svg paje.trace; do [[ -s demo/$file ]] || fail "demo writes no $file"; done
trace=$(echo "$work"/demo/*.tlt)

written=0
# What it writes is what the program of this system writes, down to the places of a graph's nodes.
for program in "${bare[*]@Q}" "${tree@Q}/server/command_line/tasklens"; do
  rm -rf out
  eval "$program convert --to svg,paje,paraver -o out ${trace@Q}" >said 2>&1 || fail "convert: $(<said)"
  written=$((written + 1))
  (cd out && sha256sum -- *) >"sums.$written"
done
cmp sums.1 sums.2 || fail "what it writes is another"

# A link to it, StarPU's tools by their names, and the server.
ln -s "$top/bin/tasklens" link
env -i ./link stats "$trace" | grep -Eq '^[0-9]+ tasks' || fail "by a link"
env -i "$top/lib/tasklens/bin/starpu_fxt_tool" -i "$trace" -d converted >said 2>&1 || fail "starpu_fxt_tool: $(<said)"
[[ -s converted/paje.trace ]] || fail "what starpu_fxt_tool writes"
env -i STARPU_HOME="$work/home" "$top/lib/tasklens/bin/starpu_calibrate_bus" >said 2>&1 || fail "starpu_calibrate_bus: $(<said)"
env -i STARPU_HOME="$work/home" "$top/lib/tasklens/bin/starpu_machine_display" | grep -q '^StarPU has found' ||
  fail "starpu_machine_display"
message() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
{
  message '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
  message '{"jsonrpc":"2.0","method":"initialized","params":{}}'
  message '{"jsonrpc":"2.0","id":2,"method":"shutdown"}'
  message '{"jsonrpc":"2.0","method":"exit"}'
} >conversation
"${bare[@]}" serve <conversation >said 2>err || fail "serve: $(<err)"
grep -q '"capabilities"' said || fail "what serve answers: $(<said)"

# A program of the user's: compiled by what tasklens and pkg-config say, and converted when it ends.
cp -L "$tree"/examples/{hello,lu}.c .
eval "cc hello.c $("${bare[@]}" flags) -o hello"
env -i STARPU_FXT_TRACE=1 STARPU_FXT_PREFIX="$work/generated" STARPU_GENERATE_TRACE=1 ./hello >said 2>err ||
  fail "a program: $(cat said err)"
[[ -s generated/paje.trace ]] || fail "STARPU_GENERATE_TRACE does not find its converter: $(<err)"
# env prints what it was given; it is no program that leaves a trace, which is told.
status=0
"${bare[@]}" run -o traced -- env >said 2>err || status=$?
[[ $status == 1 ]] && grep -q '^STARPU_FXT_TRACE=1$' said || fail "a program that prints its environment: $status, $(cat said err)"
grep -q '^LD_' said && fail "what it starts is told of its libraries: $(<said)"
eval "cc lu.c $(env PKG_CONFIG_PATH="$top/lib/tasklens/pkgconfig" pkg-config --cflags --libs starpu-1.4) -lm -o lu"
LD_DEBUG=files LD_DEBUG_OUTPUT=$work/loaded ./lu -bound >said 2>&1 || fail "a bound: $(<said)"
grep -q "calling init: $top/.*/libCbcSolver.so.3" loaded.* || fail "its bound is another solver's"
grep "calling init: .*hwloc" loaded.* | grep -vq "$top/" && fail "another hwloc: $(grep hwloc loaded.*)"
echo "ok: a folder"

# What an old system does not have is refused, by its name.
echo '#define _GNU_SOURCE
#include <stdlib.h>
unsigned New(void) { return arc4random(); }' >new.c
cc -shared -fPIC new.c -o new.so
PYTHONPATH=$tree/packaging python3 -B -c 'import make_tar; make_tar.check_portable("new.so", "new.so")' 2>err &&
  fail "a library that an old system cannot load"
grep -q 'new.so needs arc4random of glibc 2.36; add it to' err || fail "what it says of that: $(<err)"
echo "ok: too new"

# A root with this folder, a trace and /proc.
mkdir -p root/proc root/tmp
cp -a "$top" root/tasklens
cp "$trace" root/trace.tlt
# Workers of two kinds, so that there is something to solve.
env -i STARPU_NCPU=2 "$top/bin/tasklens" run -o two -- "$top/libexec/tasklens/examples/cholesky" >said 2>&1 || fail "$(<said)"
"${bare[@]}" convert --to paje -o two two >said 2>&1 || fail "convert: $(<said)"
sed 's/"CPU 1"/"CUDA 1"/' two/paje.trace >root/two_kinds.trace
grep -q '"CUDA 1"' root/two_kinds.trace || fail "no second worker ran a task"
enter=(unshare --map-root-user --mount --net --pid --fork)
if ! "${enter[@]}" mount -t proc proc root/proc 2>err; then
  echo "SKIPPED: no bare root: $(<err)"
  exit 0
fi
cat >in_root <<'SCRIPT'
mount -t proc proc root/proc
run() { env -i /usr/sbin/chroot root /tasklens/bin/tasklens "$@" || { echo "FAILED: tasklens $* in a bare root"; exit 1; }; }
run stats /trace.tlt
run advise /trace.tlt
run bound /two_kinds.trace
run convert --to all -o /tmp/out /trace.tlt
run report /trace.tlt -o /tmp/report.html
run serve <conversation
SCRIPT
"${enter[@]}" bash -euo pipefail in_root >said 2>&1 || fail "$(<said)"
grep -q '"capabilities"' said || fail "what serve answers in a bare root: $(<said)"
grep -q '^area bound [0-9]' said || fail "its bound: $(<said)"
grep -qi '^<!doctype html>' root/tmp/report.html || fail "its report"
cmp root/tmp/out/dag.svg demo/dag.svg || fail "its graph"
echo "ok: a bare root"
