// SPDX-License-Identifier: Apache-2.0
// Where a rank has no area bound.
#pragma once

#include <string>

#include "analysis/bounds.h"

namespace tasklens {

// Why it was not found, with what to do; "" where it was.
std::string WhyNotFound(const AreaBound& area);

}  // namespace tasklens
