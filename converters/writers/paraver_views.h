// SPDX-License-Identifier: Apache-2.0
// Ready-made views: configuration files (.cfg) of Paraver 4 for our own traces.
#pragma once

#include "converters/paraver_numbers.h"
#include "trace/support/outputs.h"

namespace tasklens {

// Writes one file per view: states, task types, submission sites, ready tasks, transfers, and the
// histogram of the lengths of tasks ("useful duration").
Status WriteParaverViews(ParaverDialect dialect, Outputs& outputs);

}  // namespace tasklens
