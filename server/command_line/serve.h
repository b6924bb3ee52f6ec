// SPDX-License-Identifier: Apache-2.0
// Runs the language server on standard input and output.
#pragma once

#include <string>

namespace tasklens {

// Runs until the client disconnects or sends exit; returns the exit status. Standard output carries
// only the protocol: other output to it is redirected to standard error. Call once in a process.
int Serve(const std::string& version);

}  // namespace tasklens
