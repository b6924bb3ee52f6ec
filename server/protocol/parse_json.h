// SPDX-License-Identifier: Apache-2.0
// JSON of strangers: what is nested deeper than anything that is meant would exhaust the stack when
// it is copied or written again.
//
// Threads: pure functions.
#pragma once

#include <string_view>

#include "server/protocol/message.h"

namespace tasklens {

inline constexpr int kMaxJsonDepth = 100;

// Null for what is no JSON, or nested deeper than kMaxJsonDepth.
json ParseJson(std::string_view text);

}  // namespace tasklens
