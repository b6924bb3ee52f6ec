#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a Lua file in a headless Neovim, or a Lisp file in a batch Emacs, with nothing of the user's:
# in a workspace with a source and the trace that was recorded from it.
set -euo pipefail

test=$PWD/$1
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
  WORKSPACE=$work/workspace SERVER=$PWD/server/tools/tasklens
unset DISPLAY WAYLAND_DISPLAY
mkdir -p "$HOME" "$WORKSPACE/.git"
cp tests/data/starpu/src/cholesky.c "$WORKSPACE"
touch -d @0 "$WORKSPACE/cholesky.c"
cp tests/data/starpu/cholesky_lws/prof_file_0 "$WORKSPACE"
cd "$WORKSPACE"
if [[ $editor == nvim ]]; then
  nvim --headless -u NONE -i NONE -n --cmd 'set noswapfile' -c "luafile $test" </dev/null
else
  emacs --batch --eval '(setq debug-on-error t)' -l "$test" </dev/null
fi
