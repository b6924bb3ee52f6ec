// SPDX-License-Identifier: Apache-2.0
// Where the largest of a range of values is, without looking at all of them.
//
// Level 0 is the caller's; level k keeps, for each block of 4 entries of level k - 1, the index and
// the value of the largest: for a value of 8 bytes, 4 bytes each. A query asks the caller for no
// more than 6 values, and mostly for none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/support/pages.h"

namespace tasklens {

template <class Value>
class MaxPyramid {
 public:
  MaxPyramid() = default;

  // value(i) for 0 <= i < size must stay the same for the life of this.
  template <class ValueOf>
  MaxPyramid(size_t size, const ValueOf& value) {
    Reserve(size);
    for (size_t i = 0; i < size; ++i) Add(value(static_cast<uint32_t>(i)));
    Finish();
  }

  // The same where the values come one after the other: all of them, then Finish().
  void Reserve(size_t size) { above_.Reserve(BlocksOf(size)); }
  void Add(const Value& value) {
    Add(above_, size_, {static_cast<uint32_t>(size_), value});
    ++size_;
  }
  void Finish() {
    for (size_t below = size_; below > kFan; below = levels_.back().index.size()) {
      if (!levels_.empty()) {
        const Level& level = levels_.back();
        above_.Reserve(BlocksOf(below));
        for (size_t i = 0; i < below; ++i) Add(above_, i, {level.index[i], level.value[i]});
      }
      levels_.push_back(std::exchange(above_, {}));
    }
    above_ = {};
  }

  // The index in [first, last) with the largest value, the first of equals.
  // REQUIRES: first < last <= size.
  template <class ValueOf>
  uint32_t Largest(size_t first, size_t last, const ValueOf& value) const {
    // Entries of one block each, not all of it: up to two of a level.
    struct Part {
      size_t level, from, to;
    };
    std::array<Part, 2 * kMostLevels> parts;
    size_t count = 0;
    size_t begin = first, end = last;
    for (size_t level = 0;; ++level) {
      // Whole blocks are left to the level above.
      const size_t inner_begin = (begin + kFan - 1) / kFan, inner_end = end / kFan;
      const bool is_last = level == levels_.size() || inner_begin >= inner_end;
      const size_t left_end = is_last ? std::clamp(inner_begin * kFan, begin, end)  // of one border
                                      : inner_begin * kFan;
      const size_t right_begin = is_last ? left_end : inner_end * kFan;
      if (begin < left_end) parts[count++] = {level, begin, left_end};
      if (right_begin < end) parts[count++] = {level, right_begin, end};
      if (is_last) break;
      begin = inner_begin;
      end = inner_end;
    }

    Entry best{static_cast<uint32_t>(first), {}};
    bool none = true;
    const auto is_better = [&](const Entry& entry) {
      return none || entry.value > best.value ||
             (entry.value == best.value && entry.index < best.index);
    };
    const auto consider = [&](const Entry& entry) {
      if (is_better(entry)) best = entry;
      none = false;
    };
    // The widest first: the largest of a narrow one's whole block seldom is larger still, and if so
    // is often in the range itself.
    while (count > 0) {
      const auto [level, from, to] = parts[--count];
      if (level < levels_.size()) {
        const Entry largest = At(level + 1, from / kFan, value);
        if (!is_better(largest)) continue;
        if (largest.index >= first && largest.index < last) {
          consider(largest);
          continue;
        }
      }
      for (size_t i = from; i < to; ++i) consider(At(level, i, value));
    }
    return best.index;
  }

 private:
  static constexpr size_t kFan = 4;
  static constexpr size_t kMostLevels = 17;  // 4^16 values have 32 bits of an index

  struct Level {
    std::vector<uint32_t> index;
    std::vector<Value> value;
    void Reserve(size_t blocks) {
      ReservePages(index, blocks);
      ReservePages(value, blocks);
    }
  };
  struct Entry {
    uint32_t index;
    Value value;
  };

  static size_t BlocksOf(size_t below) { return (below + kFan - 1) / kFan; }
  // The i-th entry of the level below.
  static void Add(Level& level, size_t i, const Entry& entry) {
    if (i % kFan == 0) {
      level.index.push_back(entry.index);
      level.value.push_back(entry.value);
    } else if (entry.value > level.value.back()) {
      level.index.back() = entry.index;
      level.value.back() = entry.value;
    }
  }

  template <class ValueOf>
  Entry At(size_t level, size_t i, const ValueOf& value) const {
    if (level == 0) return {static_cast<uint32_t>(i), value(static_cast<uint32_t>(i))};
    return {levels_[level - 1].index[i], levels_[level - 1].value[i]};
  }

  size_t size_ = 0;
  Level above_;                // the next one, while it is made
  std::vector<Level> levels_;  // from level 1
};

}  // namespace tasklens
