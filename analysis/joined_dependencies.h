// SPDX-License-Identifier: Apache-2.0
// Dependencies that run through tasks which a picture does not show, by tags, or by messages
// between ranks (task_links.h).
//
// A runtime puts tasks of its own between those of a program: an acquisition for each message that
// arrives, synchronisation where data is cut into parts. A picture of the program's tasks alone
// would have no edge there, though one task does wait for the other. So where a shown task leads to
// another through hidden ones, tags and messages only, the two are joined.
//
// A hidden task with b tasks before it and a after it becomes b times a edges. Those that become
// more than kMostJoins may together become as many as the trace has tasks and dependencies; what
// would exceed that is worth seeing: it is shown as well.
//
// Pure; any thread. O(tasks + dependencies + edges added) time; 8 bytes for each edge that is
// added.
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
  // `is_shown`, by row of tasks: 1 or 0. Becomes 1 for each hidden task that is worth seeing.
  JoinedDependencies(const TraceModel& model, std::vector<uint8_t>& is_shown, Stop stop = nullptr);

  // Calls visit(row) for what `task` waits for: its own predecessors, of which some may be hidden,
  // and those joined to it, each of which is shown and no predecessor of its own.
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

  // What is joined to `task` from before it.
  std::span<const uint32_t> Joined(uint32_t task) const { return before_[task]; }

  size_t size() const { return before_.items.size(); }  // edges that were added
  // Hidden tasks that became shown, ascending.
  const std::vector<uint32_t>& worth_seeing() const { return worth_seeing_; }

 private:
  Lists<uint32_t> before_, after_;  // by row; without rows where nothing is joined
  std::vector<uint32_t> worth_seeing_;
};

}  // namespace tasklens
