// SPDX-License-Identifier: Apache-2.0
// Workers' contributions (data/contributions.h) are added to the data, one after the other, before
// the next other access.
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Submits the reduction codelet for every contribution. The handle is held exclusively for it and
// is released, out of `reducing`, when the last one has run.
void StartReduction(Handle* handle);

}  // namespace tasklens::runtime
