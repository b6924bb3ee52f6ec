// SPDX-License-Identifier: Apache-2.0
// Dependencies that run through tasks which a picture does not show, through tags, or through
// messages between ranks (task_links.h).
//
// A runtime inserts tasks of its own between those of a program: an acquisition for each message
// that arrives, synchronisation where data is partitioned. A picture of only the program's tasks
// would lack an edge there, though one task waits for the other. So if a path of only hidden tasks,
// tags and messages leads from a shown task to another, the two are joined.
//
// A hidden task with b predecessors and a successors becomes b times a edges. Tasks with more than
// kMostJoins of them may together become as many edges as the trace has tasks and dependencies; a
// task that would exceed this limit is shown as well.
//
// Pure; any thread. O(tasks + dependencies + edges added) time; 8 bytes for each edge added.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

class JoinedDependencies {
 public:
  static constexpr size_t kMostJoins = 64;

  JoinedDependencies() = default;  // joins nothing
  // `is_shown`, by row of tasks: 1 or 0. Set to 1 for each hidden task that must be shown.
  JoinedDependencies(const TraceModel& model, std::vector<uint8_t>& is_shown, Stop stop = nullptr);

  // Calls visit(row) for the predecessors of `task`: its own, some of which may be hidden, and the
  // tasks joined to it, which are all shown and not predecessors of its own.
  template <class Visit>
  void ForEachBefore(const TraceModel& model, uint32_t task, const Visit& visit) const {
    for (const DepEnd& dep : model.predecessors[task]) visit(dep.task);
    for (const uint32_t row : before_[task]) visit(row);
  }
  template <class Visit>
  void ForEachAfter(const TraceModel& model, uint32_t task, const Visit& visit) const {
    for (const DepEnd& dep : model.successors[task]) visit(dep.task);
    for (const uint32_t row : after_[task]) visit(row);
  }

  // The tasks joined to `task` as predecessors.
  std::span<const uint32_t> Joined(uint32_t task) const { return before_[task]; }

  size_t size() const { return before_.items.size(); }  // edges that were added
  // Hidden tasks that became shown, ascending.
  const std::vector<uint32_t>& worth_seeing() const { return worth_seeing_; }

 private:
  Lists<uint32_t> before_, after_;  // by row; without rows if nothing is joined
  std::vector<uint32_t> worth_seeing_;
};

}  // namespace tasklens
