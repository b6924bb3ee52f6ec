// SPDX-License-Identifier: Apache-2.0
// The product's version, read from the file VERSION. It has an object file of its own, so that a
// new version recompiles one file only.
#pragma once

#include <string_view>

namespace tasklens {

extern const std::string_view kVersion;  // "0.9.0"

}  // namespace tasklens
