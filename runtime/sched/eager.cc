// SPDX-License-Identifier: Apache-2.0
// eager: all workers draw from one queue, first in, first out.
#include "runtime/jobs/job_queue.h"
#include "runtime/sched/central_queue.h"

namespace tasklens::runtime {

const PolicySpec kEagerPolicy = {
    "eager",
    "one central queue, first in first out",
    MakeCentralQueue<FifoQueue>,
};

}  // namespace tasklens::runtime
