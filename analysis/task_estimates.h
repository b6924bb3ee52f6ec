// SPDX-License-Identifier: Apache-2.0
// How long perfmodels expected tasks to take, beside how long they took.
//
// Pure functions; any thread. EstimatesOfTasks() takes O(tasks + estimates).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/timeline.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// For each task the length in nanoseconds that was foretold for the worker that ran it, else NaN.
// Empty where the trace has no estimates.
std::vector<double> EstimatesOfTasks(const TraceModel& model);

// When the task of a slice would have ended, had it taken as long as foretold. None for what is no
// task, has no estimate, or shares its stretch with other states.
// `estimates`: of EstimatesOfTasks(model).
std::optional<int64_t> ExpectedEnd(const TraceModel& model, const std::vector<double>& estimates,
                                   const TimelineSlice& slice);

}  // namespace tasklens
