// SPDX-License-Identifier: Apache-2.0
// The problems of a trace as messages.
#pragma once

#include <vector>

#include "server/messages/messages.h"
#include "trace/support/diagnostics.h"

namespace tasklens {

// One row for each kind of problem.
std::vector<messages::Diagnostic> DiagnosticMessages(const Diagnostics& diagnostics);

}  // namespace tasklens
