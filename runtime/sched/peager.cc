// SPDX-License-Identifier: Apache-2.0
// peager: eager for programs with parallel tasks. Parallel tasks go to teams of workers and are
// never pushed (see Policy::ChooseTeam), so the policy is the same as eager for all other tasks.
#include "runtime/jobs/job_queue.h"
#include "runtime/sched/central_queue.h"

namespace tasklens::runtime {

const PolicySpec kPeagerPolicy = {
    "peager",
    "one central queue, first in first out; parallel tasks run on several workers",
    MakeCentralQueue<FifoQueue>,
};

}  // namespace tasklens::runtime
