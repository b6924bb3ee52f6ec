#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The rest of code-server: what its VS Code takes from npm. Nothing is compiled: logging to files, terminals
# with a shell and the like, which are C++, are not there, and no test uses them.
set -euo pipefail
cd node_modules/code-server/lib/vscode
npm install --omit=dev --ignore-scripts --no-audit --no-fund
