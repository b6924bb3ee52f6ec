// SPDX-License-Identifier: Apache-2.0
// prio: all workers draw from one queue, highest priority first.
#include "runtime/sched/central_queue.h"
#include "runtime/sched/job_queue.h"

namespace tasklens::runtime {

extern const PolicySpec kPrioPolicy;
const PolicySpec kPrioPolicy = {
    "prio",
    "one central queue, highest priority first",
    [](int) -> std::unique_ptr<Policy> {
      return std::make_unique<CentralQueuePolicy<PriorityQueue>>();
    },
};

}  // namespace tasklens::runtime
