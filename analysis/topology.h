// SPDX-License-Identifier: Apache-2.0
// The dependencies, including those by tags and by messages between ranks, as an acyclic graph: an
// order, and the level of each task.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/stop.h"
#include "analysis/task_links.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// A topological order of all tasks of `model`. Dependencies of a program have no cycles, but a
// trace is untrusted: edges that would close a cycle are left out. O(tasks + dependencies) time; 12
// bytes per task.
struct Topology {
  std::vector<uint32_t> order;  // rows of tasks, predecessors first, breadth first
  std::vector<uint32_t> place;  // per row: its index in `order`
  std::vector<uint32_t> level;  // per row: edges on the longest chain that ends at it, from 0
  uint32_t levels = 0;          // one more than the largest level; 0 without tasks
  uint64_t left_out = 0;        // edges that would close a cycle
  TaskLinks links;

  explicit Topology(const TraceModel& model, Stop stop = nullptr);

  // Whether the dependency `before` -> `after` was kept.
  bool Forward(uint32_t before, uint32_t after) const { return place[before] < place[after]; }
};

}  // namespace tasklens
