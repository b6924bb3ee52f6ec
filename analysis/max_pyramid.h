// SPDX-License-Identifier: Apache-2.0
// Where the largest of a range of values is, without looking at all of them.
//
// Level 0 is the caller's; level k keeps, for each block of 4 entries of level k - 1, the index of
// the largest. That is 4/3 bytes a value, and a query looks at no more than 8 entries a level.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasklens {

class MaxPyramid {
 public:
  MaxPyramid() = default;

  // value(i) for 0 <= i < size must stay the same for the life of this.
  template <class Value>
  MaxPyramid(size_t size, const Value& value) {
    for (size_t below = size; below > kFan;) {
      const bool first = levels_.empty();
      const size_t blocks = (below + kFan - 1) / kFan;
      std::vector<uint32_t> level(blocks);
      for (size_t block = 0; block < blocks; ++block) {
        uint32_t best = At(first, block * kFan);
        for (size_t i = block * kFan + 1; i < std::min(below, (block + 1) * kFan); ++i)
          if (value(At(first, i)) > value(best)) best = At(first, i);
        level[block] = best;
      }
      levels_.push_back(std::move(level));
      below = blocks;
    }
  }

  // The index in [begin, end) with the largest value, the first of equals.
  // REQUIRES: begin < end <= size.
  template <class Value>
  uint32_t Largest(size_t begin, size_t end, const Value& value) const {
    uint32_t best = static_cast<uint32_t>(begin);
    const auto consider = [&](uint32_t index) {
      const auto mine = value(index), record = value(best);
      if (mine > record || (mine == record && index < best)) best = index;
    };
    for (size_t level = 0;; ++level) {
      const bool top = level == levels_.size();
      // Whole blocks of [begin, end) are left to the level above.
      size_t inner_begin = (begin + kFan - 1) / kFan, inner_end = end / kFan;
      if (top || inner_begin >= inner_end) {
        for (size_t i = begin; i < end; ++i) consider(Entry(level, i));
        return best;
      }
      for (size_t i = begin; i < inner_begin * kFan; ++i) consider(Entry(level, i));
      for (size_t i = inner_end * kFan; i < end; ++i) consider(Entry(level, i));
      begin = inner_begin;
      end = inner_end;
    }
  }

 private:
  static constexpr size_t kFan = 4;

  uint32_t At(bool first, size_t i) const {
    return first ? static_cast<uint32_t>(i) : levels_.back()[i];
  }
  uint32_t Entry(size_t level, size_t i) const {
    return level == 0 ? static_cast<uint32_t>(i) : levels_[level - 1][i];
  }

  std::vector<std::vector<uint32_t>> levels_;
};

}  // namespace tasklens
