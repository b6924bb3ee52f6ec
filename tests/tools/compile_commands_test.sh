#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What Bazel compiles becomes what clangd reads: no outputs, and paths that lie in the tree or exist.
set -euo pipefail

cd "$TEST_TMPDIR"
"$TEST_SRCDIR/tasklens/tools/compile_commands.py" /tree /root_of_actions out.json 2>err <<'JSON'
{"actions": [{"mnemonic": "CppCompile", "arguments": ["gcc", "-MD", "-MF", "bazel-out/a.d",
  "-isystem", "external/lib/include", "-fno-canonical-system-headers", "-DX=1", "-c", "a/b.cc",
  "-o", "bazel-out/b.o"]}]}
JSON
cat >expected.json <<'JSON'
[
 {
  "directory": "/tree",
  "file": "a/b.cc",
  "arguments": [
   "gcc",
   "-isystem",
   "/root_of_actions/external/lib/include",
   "-DX=1",
   "-c",
   "a/b.cc"
  ]
 }
]
JSON
diff expected.json out.json
diff err <(echo "out.json: 1 sources")
