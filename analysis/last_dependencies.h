// SPDX-License-Identifier: Apache-2.0
// "Why so late": what a task waited for last.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/tag_links.h"
#include "analysis/waits.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Made once for a trace (what its messages and tags say is put in order, 8 bytes a task where there
// are tags), it answers for any task in the time of that task's dependencies.
//
// Pure; any number of threads.
class LastDependencies {
 public:
  // `model` must outlive this.
  explicit LastDependencies(const TraceModel& model);

  // The dependency of `task` that ended last, or kNone when it has none that ran. Behind one that
  // is no execution, as an acquisition of data by the program, stand those that it waited for, on
  // another rank where a message came; the message counts as ended when it was received.
  uint32_t Of(uint32_t task) const;

  // `task`, its last dependency, that one's last dependency, and so on. Empty for a row that the
  // table of tasks does not have.
  std::vector<uint32_t> ChainOf(uint32_t task) const;

 private:
  const TraceModel& model_;
  const ReceivedMessages messages_;
  const TagLinks tags_;
};

}  // namespace tasklens
