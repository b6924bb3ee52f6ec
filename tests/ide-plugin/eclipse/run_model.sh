#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs ModelTest with the real server, and checks what both have said.
#
#     run_model.sh CLASSES.jar SERVER PROGRAM
set -euo pipefail

classes=$1 program=$PWD/$3
TASKLENS=$PWD/$2
work=$(readlink -f "$(mktemp -d "$TEST_TMPDIR/model.XXXXXX")")
mkdir "$work/bin" "$work/home"
ln -s "$PWD/tests/testing/recorded_server.py" "$work/bin/tasklens"
CONVERSATIONS=$work/said.jsonl HOME=$work/home XDG_CACHE_HOME=$work/home/.cache
export TASKLENS CONVERSATIONS HOME XDG_CACHE_HOME
java -cp "$classes:/usr/share/java/gson.jar" org.tasklens.eclipse.ModelTest \
  "$work/bin/tasklens" "$program" "$work"
tests/npm/check_conversations.sh "$CONVERSATIONS"
