// SPDX-License-Identifier: Apache-2.0
// Explains the length of the longest chain of dependencies: which of its links the program could
// avoid, and how long the longest chain would be without them.
//
// Pure functions of a const TraceModel, any thread. Each question is another pass over all
// dependencies: O(n + e), 8 bytes per task while it runs.
#pragma once

#include <cstdint>

#include "analysis/critical_path.h"
#include "analysis/stop.h"
#include "analysis/waits.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct ChainCauses {
  // Dependencies of one kind.
  struct Links {
    int64_t saved_ns = 0;   // how much shorter the longest chain is without them
    uint64_t links = 0;     // of the longest chain
    uint32_t site = kNone;  // site of the tasks at the end of most of these links
    uint32_t handle = kNone;
  };
  // Links to a task that overwrites data which another task still reads or wrote, without reading
  // the data: with separate memory, no task would wait. `handle`: the data of most of the links.
  Links reuse;
  // Links declared by the program, by tags or between tasks, between tasks that both use data but
  // share none. `site`: where tags were declared, if the trace has it.
  Links order;

  // Tasks of one line and name with different lengths: the longest chain if each took the mean of
  // its group.
  struct Unlike {
    int64_t saved_ns = 0;
    uint32_t site = kNone;   // site with most of the excess over the mean
    uint64_t tasks = 0;      // tasks of the chain at that site that take at least twice the mean
    int64_t longest_ns = 0;  // longest of these tasks
    int64_t median_ns = 0;   // of all tasks of the site
  };
  Unlike unlike;
};

// `chain`: LongestDependencyChain(model, waits).
ChainCauses FindChainCauses(const TraceModel& model, const Waits& waits, const LongestChain& chain,
                            Stop stop = nullptr);

}  // namespace tasklens
