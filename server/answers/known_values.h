// SPDX-License-Identifier: Apache-2.0
// Converts values for optional members of messages: unknown values are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "trace/model/trace_model.h"

namespace tasklens {

inline std::optional<int64_t> KnownTime(int64_t ns) {
  return ns == kNever ? std::nullopt : std::optional(ns);
}
inline std::optional<uint64_t> KnownRow(uint32_t row) {
  return row == kNone ? std::nullopt : std::optional<uint64_t>(row);
}
inline std::optional<std::string> KnownText(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

}  // namespace tasklens
