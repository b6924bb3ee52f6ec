# SPDX-License-Identifier: Apache-2.0
# For the tests beside it: sourced. They run where Bazel has put what it built, a tree like that of the sources.
set -euo pipefail

tree=$PWD
install="$tree/packaging/install.py"
work=$(readlink -f "$(mktemp -d "$TEST_TMPDIR/install.XXXXXX")")
export HOME="$work/a home" TMPDIR=$work
mkdir "$HOME"

fail() { printf 'FAILED: %s\n' "$1"; exit 1; }

# Calls install.py; leaves what it says in the file `said`, and `status`.
run() {
  status=0
  "$install" "$@" --built "$tree" >"$work/out" 2>"$work/said" </dev/null || status=$?
}

# It ends with this status and one line.
refused() { # STATUS, what is in the line
  [[ $status == "$1" && $(wc -l <"$work/said") == 1 ]] && grep -qF -- "$2" "$work/said" ||
    fail "'$2' expected, status $status: $(<"$work/said")"
}

# Everything below a folder, with modes, digests and targets.
listing() {
  (cd "$1" && find . ! -type f -printf '%p %y %m %l\n' && find . -type f -printf '%m ' -exec sha256sum {} \;) | sort
}

# Compiles examples/hello by pkg-config, runs it traced, and reads the trace.
use() { # the program tasklens, what pkg-config is to be told (NAME=VALUE...)
  local program=$1 flags
  shift
  cp -L "$tree/examples/hello.c" "$work/hello.c"
  flags=$(env "$@" pkg-config --cflags --libs starpu-1.4)
  eval "cc '$work/hello.c' $flags -o '$work/hello'"
  rm -rf "$work/trace"
  (cd "$work" && "$program" run -o trace -- ./hello) >"$work/said" || fail "the program does not run"
  grep -q 'Hello world, the answer is' "$work/said" || fail "what the program writes"
  "$program" stats "$work/trace" | grep -q '^3 tasks' || fail "its trace"
}
