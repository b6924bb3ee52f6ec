// SPDX-License-Identifier: Apache-2.0
// Delivers SIGINT and SIGTERM to an event loop, whichever thread receives them. Threads of
// libraries do not block these signals, and some of these threads exist before main().
#pragma once

#include "trace/support/status.h"

namespace tasklens {

// From now on these signals do not end the process; each makes the descriptor readable. The
// descriptor stays open until the process ends. REQUIRES: called once.
Result<int> FdOfEndingSignals();

}  // namespace tasklens
