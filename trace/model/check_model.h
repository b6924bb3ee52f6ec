// SPDX-License-Identifier: Apache-2.0
// Whether a model keeps those promises of trace_model.h that analyses and writers rely on without
// looking: rows exist, tables are rectangular, ranges lie within their tables, times within the
// trace, edges are seen from both ends. For models that ModelBuilder did not make.
//
// Pure; any thread. O(size of the model), fast enough to be asked each time one is opened.
#pragma once

#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

// kCorrupt names the first promise that is broken.
Status CheckModel(const TraceModel& model);

}  // namespace tasklens
