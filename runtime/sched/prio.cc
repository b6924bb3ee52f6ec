// SPDX-License-Identifier: Apache-2.0
// prio: all workers draw from one queue, highest priority first.
#include "runtime/jobs/job_queue.h"
#include "runtime/sched/central_queue.h"

namespace tasklens::runtime {

const PolicySpec kPrioPolicy = {
    "prio",
    "one central queue, highest priority first",
    MakeCentralQueue<PriorityQueue>,
};

}  // namespace tasklens::runtime
