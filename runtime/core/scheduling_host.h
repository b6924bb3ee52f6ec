// SPDX-License-Identifier: Apache-2.0
// The runtime as its policies see it (sched/host.h).
#pragma once

#include <memory>

#include "runtime/sched/host.h"

namespace tasklens::runtime {

class Runtime;

// The result refers to `runtime`, which must outlive it.
std::unique_ptr<Host> MakeSchedulingHost(Runtime& runtime);

}  // namespace tasklens::runtime
