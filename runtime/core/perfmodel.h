// SPDX-License-Identifier: Apache-2.0
// What other parts of the runtime ask a performance model.
#pragma once

#include <starpu.h>

namespace tasklens::runtime {

// The size that the program computes for an architecture, or nullptr.
starpu_perfmodel_per_arch_size_base SizeBaseOf(const starpu_perfmodel* model,
                                               const starpu_perfmodel_arch& arch,
                                               unsigned implementation);

}  // namespace tasklens::runtime
