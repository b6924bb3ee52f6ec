// SPDX-License-Identifier: Apache-2.0
// Reduces the workers' contributions (data/contributions.h) into the data, one after the other,
// before the next access of another kind.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Submits the reduction codelet for every contribution. The handle is held exclusively meanwhile;
// it is released, and its reduction ends, when the last one has run.
void StartReduction(Handle* handle);

}  // namespace tasklens::runtime
