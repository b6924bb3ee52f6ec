// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as something that an event loop waits for, whichever thread they are given to:
// threads of libraries know nothing of us, and some are there before main().
#pragma once

#include "trace/support/status.h"

namespace tasklens {

// From here on these signals no longer end the process: each makes the descriptor readable. It
// stays open until the process ends. REQUIRES: called once.
Result<int> FdOfEndingSignals();

}  // namespace tasklens
