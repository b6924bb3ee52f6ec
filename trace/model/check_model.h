// SPDX-License-Identifier: Apache-2.0
// Checks the promises of trace_model.h that analyses and writers rely on without a check of their
// own: rows exist, tables are rectangular, ranges lie within their tables, times within the trace,
// edges are seen from both ends. For models that ModelBuilder did not make.
//
// Pure; any thread. O(size of the model), fast enough to be called whenever a model is opened.
#pragma once

#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

// Fails with kCorrupt, which names the first broken promise.
Status CheckModel(const TraceModel& model);

}  // namespace tasklens
