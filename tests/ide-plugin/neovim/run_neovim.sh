#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a Lua file in a headless Neovim that has the plugin, installed as its help says, and nothing else of the user's.
# Then what it and the server said is checked against the protocol.
set -euo pipefail

if ! command -v nvim >/dev/null; then
  echo "SKIPPED: nvim is missing (apt-get install neovim)"
  exit 0
fi
work=$(mktemp -d "$TEST_TMPDIR/nvim.XXXXXX")
work=$(readlink -f "$work")
export HOME=$work/home XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data \
  XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state WORK=$work/work TEST=$PWD \
  TASKLENS=$PWD/server/command_line/tasklens SERVER=$PWD/tests/testing/recorded_server.py CONVERSATIONS=$work/said.jsonl
plugins=$XDG_DATA_HOME/nvim/site/pack/tasklens/start
mkdir -p "$HOME" "$WORK" "$plugins"
cp -RL ide-plugin/neovim "$plugins/tasklens"
unset DISPLAY WAYLAND_DISPLAY
cd "$WORK"
# Finish() ends Neovim; where it is not reached, something is wrong with the test.
nvim --headless -u NORC -i NONE -n --cmd 'set noswapfile' \
  -c "luafile $TEST/tests/testing/waiting.lua" -c "luafile $TEST/tests/ide-plugin/neovim/testing.lua" -c "luafile $TEST/$1" -c 'lua Finish()' -c 'cquit 1' \
  </dev/null
cd "$TEST"
tests/npm/check_conversations.sh "$CONVERSATIONS"
