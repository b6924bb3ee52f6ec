// SPDX-License-Identifier: Apache-2.0
// Where the largest of a range of values is, without looking at all of them.
//
// Level 0 is the caller's; level k keeps, for each block of 4 entries of level k - 1, the index and
// the value of the largest: for a value of 8 bytes, 4 bytes each. A query asks the caller for no
// more than 6 values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasklens {

template <class Value>
class MaxPyramid {
 public:
  MaxPyramid() = default;

  // value(i) for 0 <= i < size must stay the same for the life of this.
  template <class ValueOf>
  MaxPyramid(size_t size, const ValueOf& value) {
    for (size_t below = size; below > kFan;) {
      const size_t blocks = (below + kFan - 1) / kFan;
      Level above;
      above.index.resize(blocks);
      above.value.resize(blocks);
      for (size_t block = 0; block < blocks; ++block) {
        Entry best = At(levels_.size(), block * kFan, value);
        for (size_t i = block * kFan + 1; i < std::min(below, (block + 1) * kFan); ++i)
          if (const Entry entry = At(levels_.size(), i, value); entry.value > best.value)
            best = entry;
        above.index[block] = best.index;
        above.value[block] = best.value;
      }
      levels_.push_back(std::move(above));
      below = blocks;
    }
  }

  // The index in [first, last) with the largest value, the first of equals.
  // REQUIRES: first < last <= size.
  template <class ValueOf>
  uint32_t Largest(size_t first, size_t last, const ValueOf& value) const {
    Entry best{static_cast<uint32_t>(first), {}};
    bool none = true;
    const auto consider = [&](const Entry& entry) {
      if (none || entry.value > best.value ||
          (entry.value == best.value && entry.index < best.index))
        best = entry;
      none = false;
    };
    size_t begin = first, end = last;
    for (size_t level = 0;; ++level) {
      // Entries of one block, not all of it. The largest of the block is often among them.
      const auto consider_part = [&](size_t from, size_t to) {
        if (from == to) return;
        if (level < levels_.size()) {
          const Entry largest = At(level + 1, from / kFan, value);
          if (largest.index >= first && largest.index < last) return consider(largest);
        }
        for (size_t i = from; i < to; ++i) consider(At(level, i, value));
      };
      // Whole blocks are left to the level above.
      const size_t inner_begin = (begin + kFan - 1) / kFan, inner_end = end / kFan;
      if (level == levels_.size() || inner_begin >= inner_end) {
        const size_t middle = std::clamp(inner_begin * kFan, begin, end);
        consider_part(begin, middle);
        consider_part(middle, end);
        return best.index;
      }
      consider_part(begin, inner_begin * kFan);
      consider_part(inner_end * kFan, end);
      begin = inner_begin;
      end = inner_end;
    }
  }

 private:
  static constexpr size_t kFan = 4;

  struct Level {
    std::vector<uint32_t> index;
    std::vector<Value> value;
  };
  struct Entry {
    uint32_t index;
    Value value;
  };

  template <class ValueOf>
  Entry At(size_t level, size_t i, const ValueOf& value) const {
    if (level == 0) return {static_cast<uint32_t>(i), value(static_cast<uint32_t>(i))};
    return {levels_[level - 1].index[i], levels_[level - 1].value[i]};
  }

  std::vector<Level> levels_;  // from level 1
};

}  // namespace tasklens
