// SPDX-License-Identifier: Apache-2.0
// pprio: prio, and parallel tasks run on the largest combined worker that they allow, as with
// peager.
#include "runtime/sched/central_queue.h"
#include "runtime/sched/job_queue.h"

namespace tasklens::runtime {

extern const PolicySpec kPprioPolicy;
const PolicySpec kPprioPolicy = {
    "pprio",
    "one central queue, highest priority first; parallel tasks run on several workers",
    [](int) -> std::unique_ptr<Policy> {
      return std::make_unique<CentralQueuePolicy<PriorityQueue>>();
    },
};

}  // namespace tasklens::runtime
