// SPDX-License-Identifier: Apache-2.0
// Why the longest chain of dependencies is as long as it is: what of it the program could do
// without, and how long the longest chain would be then.
//
// Pure functions of a const TraceModel, any thread. Each question is another pass over all
// dependencies: O(n + e), 8 bytes a task while it runs.
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
    int64_t saved_ns = 0;   // by so much the longest chain is shorter without them
    uint64_t links = 0;     // of the longest chain
    uint32_t site = kNone;  // whose tasks have most of these links behind them
    uint32_t handle = kNone;
  };
  // A task only writes what another still reads, or wrote, and does not read it itself: with other
  // memory for it neither would wait. `handle`: the data of most of the links.
  Links reuse;
  // Declared by the program, by tags or from task to task, between tasks that both use data, but
  // none in common. `site`: where tags were declared, if the trace says so.
  Links order;

  // Tasks of one line and name that take unlike long: the longest chain if each took the mean of
  // its fellows.
  struct Unlike {
    int64_t saved_ns = 0;
    uint32_t site = kNone;   // with most of what tasks of the chain are longer than the mean
    uint64_t tasks = 0;      // of the chain and that site, at least twice as long as the mean
    int64_t longest_ns = 0;  // of these
    int64_t median_ns = 0;   // of all tasks of the site
  };
  Unlike unlike;
};

// `chain`: LongestDependencyChain(model, waits).
ChainCauses FindChainCauses(const TraceModel& model, const Waits& waits, const LongestChain& chain,
                            Stop stop = nullptr);

}  // namespace tasklens
