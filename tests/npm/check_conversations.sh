#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks what tests/testing/recorded_server.py wrote into a file, once all of its servers have ended, with
# check_messages.js, and messages of ours with tools/protocol.py: check_conversations.sh FILE. Without the
# packages of npm it says so.
set -euo pipefail

flock "$1" python3 -B tools/protocol.py check "$1"

packages=$(PYTHONPATH=tools python3 -B -c 'from npm_packages import npm_folder; print(npm_folder("tests/npm"))')
if [[ ! -d $packages ]]; then
  why="$packages is missing; ./tasklens test makes it"
  echo "SKIPPED: no messages checked: $why"
  # One of the cases, where the test has written some.
  row="<testcase name=\"the messages against the protocol's types\"><skipped message=\"$why\"/></testcase>"
  [[ ! -s ${XML_OUTPUT_FILE:-} ]] || sed -i "s|</testsuite>|$row&|" "$XML_OUTPUT_FILE"
  exit 0
fi
TASKLENS_NPM=$packages exec flock "$1" \
  node tests/npm/check_messages.js "$1" ${TASKLENS_METAMODEL:+"$TASKLENS_METAMODEL"}
