// SPDX-License-Identifier: Apache-2.0
// Durations of tasks estimated by perfmodels, beside measured ones.
//
// Pure functions; any thread. EstimatesOfTasks() takes O(tasks + estimates).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/timeline.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Returns for each task the nanoseconds estimated for the worker that ran it, or NaN. Empty if the
// trace has no estimates.
std::vector<double> EstimatesOfTasks(const TraceModel& model);

// Returns when the task of a slice would have ended with its estimated duration; nothing if it is
// no task, has no estimate, or shares its time with other states. `estimates`:
// EstimatesOfTasks(model).
std::optional<int64_t> ExpectedEnd(const TraceModel& model, const std::vector<double>& estimates,
                                   const TimelineSlice& slice);

}  // namespace tasklens
