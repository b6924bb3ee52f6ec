// SPDX-License-Identifier: Apache-2.0
// pprio: prio, but parallel tasks run on the largest combined worker that they allow, as with
// peager.
#include "runtime/jobs/job_queue.h"
#include "runtime/sched/central_queue.h"

namespace tasklens::runtime {

const PolicySpec kPprioPolicy = {
    "pprio",
    "one central queue, highest priority first; parallel tasks run on several workers",
    MakeCentralQueue<PriorityQueue>,
};

}  // namespace tasklens::runtime
