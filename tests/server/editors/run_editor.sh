#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a Lua file in a headless Neovim, or a Lisp file in a batch Emacs, with nothing of the user's:
# in a workspace with a source and the trace that was recorded from it. Then what the server said is
# checked against the protocol.
set -euo pipefail

tree=$PWD test=$PWD/$1
case $1 in
  *.lua) editor=nvim package=neovim ;;
  *) editor=emacs package=emacs-nox ;;
esac
if ! command -v $editor >/dev/null; then
  echo "SKIPPED: $editor is missing (apt-get install $package)"
  exit 0
fi
work=$(readlink -f "$(mktemp -d "$TEST_TMPDIR/editor.XXXXXX")")
export HOME=$work/home XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data \
  XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state \
  WORKSPACE=$work/workspace TASKLENS=$PWD/server/command_line/tasklens \
  SERVER=$PWD/tests/testing/recorded_server.py CONVERSATIONS=$work/said.jsonl
unset DISPLAY WAYLAND_DISPLAY
# lsp-mode announces linkedEditingRange as `true`, and shuts down with parameters.
[[ $1 != *lsp_mode* ]] || export HOSTILE=1
mkdir -p "$HOME" "$WORKSPACE/.git"
cp tests/data/starpu/src/cholesky.c "$WORKSPACE"
touch -d @0 "$WORKSPACE/cholesky.c"
cp tests/data/starpu/cholesky_lws/prof_file_0 "$WORKSPACE"
cd "$WORKSPACE"
if [[ $editor == nvim ]]; then
  nvim --headless -u NONE -i NONE -n --cmd 'set noswapfile' -c "luafile $tree/tests/testing/waiting.lua" -c "luafile $test" </dev/null
else
  emacs --batch --eval '(setq debug-on-error t)' -l "$tree/tests/testing/waiting.el" -l "$test" </dev/null
fi

cd "$tree"
tests/npm/check_conversations.sh "$CONVERSATIONS"
