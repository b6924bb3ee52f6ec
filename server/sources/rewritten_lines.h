// SPDX-License-Identifier: Apache-2.0
// Tells which lines of an older text were rewritten in a newer one, and which were deleted.
//
// A line was rewritten if an editor changed it in place (recorded in the map), or if one of the
// lines in its place resembles it: half of the words of both are equal. Pairs do not cross, and
// each line has at most one partner. All other lines are gone; so are lines that are blank now, and
// lines of a region so large (kMostPairs) that it is a different text.
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "server/protocol/text.h"
#include "server/sources/line_map.h"

namespace tasklens {

class RewrittenLines {
 public:
  static constexpr uint64_t kMostPairs = uint64_t{1} << 16;

  // `map`: from `before` to `after`.
  RewrittenLines(const Text& before, const Text& after, const LineMap& map);

  // Returns the line of the newer text that line `line` (from 0) of the older one was rewritten to.
  // REQUIRES: `map` does not map the line.
  std::optional<uint32_t> Of(uint32_t line) const {
    if (line >= places_.size() || places_[line] == LineMap::kRewritten) return std::nullopt;
    return places_[line];
  }

 private:
  void Pair(const Text& before, const Text& after, uint32_t begin, uint32_t end, uint32_t new_begin,
            uint32_t new_end);

  std::vector<uint32_t> places_;  // by line of the older text
};

}  // namespace tasklens
