// SPDX-License-Identifier: Apache-2.0
// peager: eager that gives parallel tasks to several workers. Parallel tasks run on one worker here
// (see runtime/README.md), which makes it the same as eager; programs ask for it by its name.
#include "runtime/sched/central_queue.h"
#include "runtime/sched/job_queue.h"

namespace tasklens::runtime {

extern const PolicySpec kPeagerPolicy;
const PolicySpec kPeagerPolicy = {
    "peager",
    "one central queue, first in first out; parallel tasks run on one worker",
    [](int) -> std::unique_ptr<Policy> {
      return std::make_unique<CentralQueuePolicy<FifoQueue>>();
    },
};

}  // namespace tasklens::runtime
