// SPDX-License-Identifier: Apache-2.0
// What became of the lines of an older text that are not in a newer one as they were: rewritten, or
// gone.
//
// A line was rewritten where an editor changed it in place (the map knows that), and where one of
// the lines that stand in its place resembles it: half of the words of both are the same. Lines are
// not paired crosswise, and one only with one. All others are gone, as are lines that are blank now
// and those of a place so large (kMostPairs) that it is another text.
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

  // The line of the newer text that line `line` (from 0) of the older one, which `map` does not
  // find, was rewritten to.
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
