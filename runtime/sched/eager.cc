// SPDX-License-Identifier: Apache-2.0
// eager: all workers draw from one queue, first in, first out.
#include "runtime/sched/central_queue.h"
#include "runtime/sched/job_queue.h"

namespace tasklens::runtime {

extern const PolicySpec kEagerPolicy;
const PolicySpec kEagerPolicy = {
    "eager",
    "one central queue, first in first out",
    [](int) -> std::unique_ptr<Policy> {
      return std::make_unique<CentralQueuePolicy<FifoQueue>>();
    },
};

}  // namespace tasklens::runtime
