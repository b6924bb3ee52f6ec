// SPDX-License-Identifier: Apache-2.0
// Sequential consistency: a task waits for the earlier tasks whose accesses conflict with its own.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Makes `job` wait for its predecessors on all its ordered accesses, and enters it for those that
// follow. All handles are locked together, so that two threads that submit at once see one order.
void OrderAccesses(Job* job);

// Makes `successor` wait for the end of `predecessor` if that is still to come; false when it has
// ended. The successor must not be ready yet.
bool AddDependency(const JobRef& predecessor, Job* successor);
// The same between two tasks that may be submitted again and again: see LastingSuccessor.
bool AddLastingDependency(Job* predecessor, Job* successor);
// The same as AddDependency for the end of the successor.
bool AddEndDependency(const JobRef& predecessor, Job* successor);

}  // namespace tasklens::runtime
