// SPDX-License-Identifier: Apache-2.0
// peager: eager for programs with parallel tasks. Those go to teams of workers and never come here
// (see Runtime::CombinedFor), which makes it the same as eager for all others.
#include "runtime/sched/central_queue.h"
#include "runtime/sched/job_queue.h"

namespace tasklens::runtime {

extern const PolicySpec kPeagerPolicy;
const PolicySpec kPeagerPolicy = {
    "peager",
    "one central queue, first in first out; parallel tasks run on several workers",
    [](int) -> std::unique_ptr<Policy> {
      return std::make_unique<CentralQueuePolicy<FifoQueue>>();
    },
};

}  // namespace tasklens::runtime
