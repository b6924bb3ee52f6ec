// SPDX-License-Identifier: Apache-2.0
// Orders a job among the jobs that use the same data; see jobs/access_order.h.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Makes `job` depend on its predecessors on all its ordered accesses, and registers it for its
// successors. Locks all its handles together, so that two threads submitting at once agree on one
// order.
void OrderAccesses(Job* job);

}  // namespace tasklens::runtime
