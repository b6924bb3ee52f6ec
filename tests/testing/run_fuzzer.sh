#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes for $FUZZ_SECONDS, twenty: run_fuzzer.sh PROGRAM CORPUS_FILE...
set -euo pipefail

program=$1
shift
corpus=$TEST_TMPDIR/corpus
mkdir "$corpus"
for file in "$@"; do
  cp -L "$file" "$corpus/$(basename "$(dirname "$file")")_${file##*/}"
done
# An input that takes a minute is a hang; one that takes 2 GiB (libFuzzer's own limit) is a leak.
exec "$program" "$corpus" -max_total_time="${FUZZ_SECONDS:-20}" -timeout=60 -print_final_stats=1 \
  -artifact_prefix="$TEST_UNDECLARED_OUTPUTS_DIR/"
