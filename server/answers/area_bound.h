// SPDX-License-Identifier: Apache-2.0
// Explains a missing area bound of a rank.
#pragma once

#include <string>

#include "analysis/bounds.h"

namespace tasklens {

// Returns why the bound was not found, and what to do; "" if it was found.
std::string WhyNotFound(const AreaBound& area);

}  // namespace tasklens
