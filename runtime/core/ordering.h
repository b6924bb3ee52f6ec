// SPDX-License-Identifier: Apache-2.0
// The order of a task among those that use the same data; see jobs/access_order.h.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Makes `job` wait for its predecessors on all its ordered accesses, and enters it for those that
// follow. All handles are locked together, so that two threads that submit at once see one order.
void OrderAccesses(Job* job);

}  // namespace tasklens::runtime
