// SPDX-License-Identifier: Apache-2.0
// Answers "why so late?": the last task that a task waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/tag_links.h"
#include "analysis/waits.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Built once for a trace (messages and tags are indexed, 8 bytes per task if there are tags); then
// answers for any task in time proportional to the task's dependencies.
//
// Pure; any number of threads.
class LastDependencies {
 public:
  // `model` must outlive this.
  explicit LastDependencies(const TraceModel& model);

  // Returns the dependency of `task` that ended last; kNone if it has none that ran. A dependency
  // that does not execute, such as an acquisition of data by the program, is replaced by its own
  // dependencies, on another rank if it received a message; the message counts as ended when it was
  // received.
  uint32_t Of(uint32_t task) const;

  // The task after `task` in a chain: Of(task), unless a damaged trace says that it ended no
  // earlier. So no chain is endless.
  uint32_t NextOf(uint32_t task) const;

  // Returns `task`, its last dependency, the last dependency of that, and so on. Empty if the table
  // of tasks has no such row.
  std::vector<uint32_t> ChainOf(uint32_t task) const;

 private:
  const TraceModel& model_;
  const ReceivedMessages messages_;
  const TagLinks tags_;
};

}  // namespace tasklens
