// SPDX-License-Identifier: Apache-2.0
// A large FxT trace made from a small real one, for measurements.
#pragma once

#include <string>
#include <string_view>

namespace tasklens {

// `trace` (64-bit records, little-endian, StarPU 1.4) with its events about jobs `times` times
// over: each copy later, with jobs, tags and submit orders of its own, as if the program had run so
// often. Returns `trace` itself when it is of another kind.
std::string RepeatFxt(std::string_view trace, size_t times);

}  // namespace tasklens
