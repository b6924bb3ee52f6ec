// SPDX-License-Identifier: Apache-2.0
// Converts the problems found in a trace to messages.
#pragma once

#include <vector>

#include "server/messages/messages.h"
#include "trace/support/diagnostics.h"

namespace tasklens {

// Returns one message for each kind of problem.
std::vector<messages::Diagnostic> DiagnosticMessages(const Diagnostics& diagnostics);

}  // namespace tasklens
