// SPDX-License-Identifier: Apache-2.0
// The language server on standard input and output.
#pragma once

#include <string>

namespace tasklens {

// Runs until the client leaves or says exit; returns the exit status. Standard output carries the
// protocol only: what anybody else prints there goes to standard error. Once in a process.
int Serve(const std::string& version);

}  // namespace tasklens
