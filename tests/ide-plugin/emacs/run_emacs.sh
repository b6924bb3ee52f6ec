#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a Lisp file in a batch Emacs that has nothing of the user's, and checks what it and the server said
# against the protocol: run_emacs.sh TEST TASKLENS FILE FILE, which lie in the project then.
set -euo pipefail

if ! command -v emacs >/dev/null; then
  echo "SKIPPED: emacs is missing (apt-get install emacs-nox)"
  exit 0
fi
work=$(readlink -f "$(mktemp -d "$TEST_TMPDIR/emacs.XXXXXX")")
export HOME=$work/home XDG_CACHE_HOME=$work/cache WORK=$work/project \
  TASKLENS=$PWD/$2 SERVER=$PWD/tests/testing/recorded_server.py CONVERSATIONS=$work/said.jsonl
mkdir -p "$HOME" "$WORK/examples" "$WORK/.git"
cp -L examples/cholesky.c "$WORK/examples"
cp -L "$3" "$4" "$WORK"
emacs --batch -l "$1" </dev/null
[[ ! -e $CONVERSATIONS ]] || tests/npm/check_conversations.sh "$CONVERSATIONS" # eglot may be missing
