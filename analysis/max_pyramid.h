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
