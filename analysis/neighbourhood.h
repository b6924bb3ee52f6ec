// SPDX-License-Identifier: Apache-2.0
// Parts of a graph that one wants to see by themselves; GraphQuery::only takes them.
//
// Rows of tasks in ascending order, hidden ones among them where it does not say otherwise. Pure;
// any thread. O(tasks + the dependencies met); a byte or two a task while they run.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/graph_view.h"
#include "analysis/stop.h"
#include "analysis/topology.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// `task`, and what the selection shows that leads to it or follows from it in at most `depth` of
// the selection's dependencies.
std::vector<uint32_t> TasksAround(const TraceModel& model, const Topology& topology,
                                  const TaskSelection& selection, uint32_t task, uint32_t depth,
                                  Stop stop = nullptr);

// The tasks on all paths between two, with both ends, whichever comes first; empty where there is
// no path. Only tasks whose level lies between theirs are looked at.
std::vector<uint32_t> TasksBetween(const TraceModel& model, const Topology& topology, uint32_t one,
                                   uint32_t other, Stop stop = nullptr);

// The tasks that read or write a piece of data; `handle` is a row of handles.
std::vector<uint32_t> TasksOfHandle(const TraceModel& model, uint32_t handle, Stop stop = nullptr);

// The tasks with this tag, of all ranks.
std::vector<uint32_t> TasksOfTag(const TraceModel& model, uint64_t tag, Stop stop = nullptr);

}  // namespace tasklens
