// SPDX-License-Identifier: Apache-2.0
// The runtime as data see it (data/residency_host.h).
#pragma once

#include <memory>

#include "runtime/data/residency_host.h"

namespace tasklens::runtime {

class Runtime;

// It asks the runtime, which outlives it.
std::unique_ptr<ResidencyHost> MakeDataHost(Runtime& runtime);

}  // namespace tasklens::runtime
