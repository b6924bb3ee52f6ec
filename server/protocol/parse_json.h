// SPDX-License-Identifier: Apache-2.0
// Parses JSON from untrusted sources. Copying or writing a deeply nested value would exhaust the
// stack, so the depth is limited.
//
// Threads: pure functions.
#pragma once

#include <string_view>

#include "server/protocol/message.h"

namespace tasklens {

inline constexpr int kMaxJsonDepth = 100;

// Returns null if the text is not JSON or is nested deeper than kMaxJsonDepth.
json ParseJson(std::string_view text);

}  // namespace tasklens
