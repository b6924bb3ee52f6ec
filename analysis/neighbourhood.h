// SPDX-License-Identifier: Apache-2.0
// Selects parts of a graph to be shown by themselves, for GraphQuery::only.
//
// All return rows of tasks in ascending order, including hidden ones unless stated otherwise. Pure;
// any thread. O(tasks + the dependencies visited); one or two bytes per task while they run.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/graph_view.h"
#include "analysis/stop.h"
#include "analysis/topology.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Returns `task` and the shown tasks that precede or follow it by at most `depth` of the
// selection's dependencies.
std::vector<uint32_t> TasksAround(const TraceModel& model, const Topology& topology,
                                  const TaskSelection& selection, uint32_t task, uint32_t depth,
                                  Stop stop = nullptr);

// Returns the tasks on all paths between two tasks, in either direction, including both; empty if
// there is no path. Visits only tasks whose level lies between theirs.
std::vector<uint32_t> TasksBetween(const TraceModel& model, const Topology& topology, uint32_t one,
                                   uint32_t other, Stop stop = nullptr);

// Returns the tasks that read or write a piece of data; `handle` is a row of handles.
std::vector<uint32_t> TasksOfHandle(const TraceModel& model, uint32_t handle, Stop stop = nullptr);

// Returns the tasks with this tag, of all ranks.
std::vector<uint32_t> TasksOfTag(const TraceModel& model, uint64_t tag, Stop stop = nullptr);

}  // namespace tasklens
