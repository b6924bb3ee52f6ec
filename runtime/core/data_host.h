// SPDX-License-Identifier: Apache-2.0
// The runtime as the data layer sees it (data/residency_host.h).
#pragma once

#include <memory>

#include "runtime/data/residency_host.h"

namespace tasklens::runtime {

class Runtime;

// The result refers to `runtime`, which must outlive it.
std::unique_ptr<ResidencyHost> MakeDataHost(Runtime& runtime);

}  // namespace tasklens::runtime
