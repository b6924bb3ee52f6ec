// SPDX-License-Identifier: Apache-2.0
// What was wrong with a trace, as messages have it.
#pragma once

#include <vector>

#include "server/messages/messages.h"
#include "trace/support/diagnostics.h"

namespace tasklens {

// A row a kind.
std::vector<messages::Diagnostic> DiagnosticMessages(const Diagnostics& diagnostics);

}  // namespace tasklens
