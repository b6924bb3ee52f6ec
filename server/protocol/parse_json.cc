// SPDX-License-Identifier: Apache-2.0
// Checks the depth while parsing.
#include "server/protocol/parse_json.h"

namespace tasklens {

json ParseJson(std::string_view text) {
  bool is_too_deep = false;
  const auto look = [&](int depth, json::parse_event_t, json&) {
    is_too_deep |= depth > kMaxJsonDepth;
    return !is_too_deep;
  };
  const json value = json::parse(text, look, /*allow_exceptions=*/false);
  return is_too_deep || value.is_discarded() ? json() : value;
}

}  // namespace tasklens
