// SPDX-License-Identifier: Apache-2.0
// The version of the product: what the file VERSION says, in an object of its own, so that a new
// version compiles one file.
#pragma once

#include <string_view>

namespace tasklens {

extern const std::string_view kVersion;  // "0.9.0"

}  // namespace tasklens
