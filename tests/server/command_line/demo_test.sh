#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `tasklens demo`: the main job from a running program to lines of its source, and every output
# accepted by the tools that read it.
set -uo pipefail

tasklens=$PWD/$1
cholesky=$PWD/$2
source=$PWD/$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

# A source tree as the script ./tasklens knows it.
root="$work/a tree"
mkdir -p "$root/bazel-bin/examples" "$root/examples"
cp "$cholesky" "$root/bazel-bin/examples/cholesky"
cp "$source" "$root/examples/cholesky.c"
cd "$work" || exit 1

TASKLENS_ROOT=$root "$tasklens" demo --no-open >out 2>err || fail "exit status $?: $(cat err)"
cat out
[[ ! -s err ]] || fail "it complains: $(cat err)"
grep -Eq '^56 tasks, [0-9]+ workers?, span .*, efficiency [0-9.]+ %$' out || fail "no summary"

# The three costliest sites, each a line of the source that calls starpu_task_insert.
mapfile -t lines < <(grep -Eo 'examples/cholesky\.c:[0-9]+' out | cut -d: -f2)
((${#lines[@]} == 3)) || fail "${#lines[@]} sites instead of 3"
for line in "${lines[@]}"; do
  sed -n "${line}p" "$source" | grep -q starpu_task_insert ||
    fail "line $line does not submit a task: $(sed -n "${line}p" "$source")"
done

for file in trace_0.tlt paje.trace dag.dot dag.svg tasks.rec report.html; do
  [[ -s tasklens-demo/$file ]] || fail "no $file"
done
# Files whose names a program chooses are made when they are asked for.
[[ ! -e tasklens-demo/gemm ]] || fail "a file has the name of a task"
"$tasklens" convert --to data-trace -o by-name tasklens-demo/trace_0.tlt || fail "no data-trace"
[[ $(wc -l <by-name/gemm) == 20 ]] || fail "by-name/gemm has not a line for each of its tasks"
grep -q "file://$work/tasklens-demo/dag.svg" out || fail "it does not say where the graph lies"
grep -q "file://$work/tasklens-demo/report.html" out || fail "it does not say where the page lies"
grep -q "examples/cholesky.c#${lines[0]}\"" tasklens-demo/dag.svg || fail "no link to the source"

# The page quotes the lines, also where the tree is a folder of links, as for a path with blanks.
mkdir links
ln -s "$root"/* links/
TASKLENS_ROOT=$work/links "$tasklens" demo --no-open -o linked >out 2>err || fail "with links: $(cat err)"
for page in tasklens-demo linked; do
  python3 - "$page/report.html" <<'END' || fail "$page/report.html does not quote the source"
import base64, re, sys, zlib
page = open(sys.argv[1], encoding="utf-8").read()
data = re.search(r'id="tasklens-data"[^>]*>([^<]*)<', page)[1]
sys.exit(b"starpu_task_insert(&gemm" not in zlib.decompress(base64.b64decode(data)))
END
done

# The real readers. (A trace begun by an earlier demo must not be mixed in: run it twice.)
TASKLENS_ROOT=$root "$tasklens" demo --no-open >out 2>err || fail "the second time: $(cat err)"
grep -q '^56 tasks' out || fail "the second demo shows another run"
pj_dump -n tasklens-demo/paje.trace >pj.csv || fail "pj_dump (package pajeng) refuses paje.trace"
(($(grep -c '^State.*"*gemm' pj.csv) == 20)) || fail "not 20 gemm in paje.trace"
recinf tasklens-demo/tasks.rec >/dev/null || fail "recinf (package recutils) refuses tasks.rec"
(($(recsel -e 'Name = "gemm"' -c tasklens-demo/tasks.rec) == 20)) || fail "not 20 gemm in tasks.rec"
dot -Tplain tasklens-demo/dag.dot >plain || fail "dot (package graphviz) refuses dag.dot"
(($(grep -c '^node .*gemm' plain) == 20)) || fail "not 20 gemm in dag.dot"

((failed == 0)) && echo "all as expected"
exit "$failed"
