#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the runs of this tree's version of the format (README.md says when):
#   bazel run //tests/trace/format/released:record
# The program runs as /tmp/example/program on a machine called `example`, so that nothing in the
# files tells where they were made.
set -euo pipefail

program=$PWD/$1
version=$("$program" version)
folder=$BUILD_WORKSPACE_DIRECTORY/tests/trace/format/released/$version
work=/tmp/example

if [[ -e $folder && ${2:-} != --replace ]]; then
  echo "record: $folder exists. Files of a released version stay as they are; before its release," \
    "'-- --replace' makes them anew" >&2
  exit 1
fi
mkdir "$work"
trap 'rm -rf "$work"' EXIT
cp "$program" "$work/program"
mkdir -p "$folder"
for run in ordinary killed every_kind; do
  status=0
  env -i HOME="$work" PATH="$PATH" unshare --map-root-user --uts bash -c \
    "hostname example && cd '$work' && exec ./program $run ." || status=$?
  expected=0
  [[ $run == killed ]] && expected=137
  if [[ $status != "$expected" ]]; then
    echo "record: the run '$run' ended with $status" >&2
    exit 1
  fi
  gzip --best --no-name --stdout "$work/${run}_0.tlt" > "$folder/$run.tlt.gz"
done
ls -l "$folder"
