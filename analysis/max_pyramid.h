// SPDX-License-Identifier: Apache-2.0
// Finds the largest of a range of values without reading all of them.
//
// Level 0 belongs to the caller; level k keeps, for each block of 4 entries of level k - 1, the
// index and the value of the largest, packed: some 2 bytes per entry. A query asks the caller for
// at most 6 values, and mostly for none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trace/model/column.h"

namespace tasklens {

// Values are packed like a Column; Less may order them differently from numbers.
template <class Value, class Less = std::less<Value>>
class MaxPyramid {
  class LevelFiller;

 public:
  MaxPyramid() = default;

  // value(i) for 0 <= i < size must not change during the life of this.
  template <class ValueOf>
  MaxPyramid(size_t size, const ValueOf& value) {
    Filler filler(*this);
    for (size_t i = 0; i < size; ++i) filler.Add(value(static_cast<uint32_t>(i)));
    filler.Finish();
  }

  // The same if values come one after another: Add() each of them, then Finish().
  class Filler {
   public:
    explicit Filler(MaxPyramid& pyramid)
        : pyramid_(pyramid), level_(std::make_unique<LevelFiller>()) {}
    void Add(std::span<const Value> values) {
      for (; !values.empty() && size_ % kFan != 0; values = values.subspan(1)) Add(values[0]);
      for (; values.size() >= kFan; values = values.subspan(kFan), size_ += kFan)
        level_->AddBlock(size_, values.template first<kFan>());
      for (const Value& value : values) Add(value);
    }
    void Add(const Value& value) {
      level_->Add({size_, value});
      ++size_;
    }
    void Finish() {
      for (size_t below = size_; below > kFan; below = pyramid_.levels_.back().index.size()) {
        if (!pyramid_.levels_.empty()) {
          const Level& level = pyramid_.levels_.back();
          level_ = std::make_unique<LevelFiller>();
          level.value.ForEach(0, below, [&](size_t i, const Value& value) {
            level_->Add({level.index[i], value});
          });
        }
        pyramid_.levels_.push_back(level_->Finish());
      }
      level_.reset();
    }

   private:
    MaxPyramid& pyramid_;
    std::unique_ptr<LevelFiller> level_;
    uint32_t size_ = 0;
  };

  // For saving: calls visit(column) with every column.
  template <class Visitor>
  void VisitColumns(Visitor& visit) const {
    for (const Level& level : levels_) {
      visit(level.index);
      visit(level.value);
    }
  }
  // Becomes the pyramid of `size` values; `load` fills in the columns in the order of
  // VisitColumns(). Returns false if they do not fit `size`. Their contents are not checked.
  template <class Load>
  bool LoadColumns(size_t size, Load& load) {
    levels_.clear();
    for (size_t below = size; below > kFan;) {
      Level& level = levels_.emplace_back();
      load(level.index);
      load(level.value);
      below = (below + kFan - 1) / kFan;
      if (level.index.size() != below || level.value.size() != below ||
          !level.index.Within(0, static_cast<uint32_t>(size - 1)))
        return false;
    }
    return true;
  }

  // Returns the index in [first, last) with the largest value, the first of equals.
  // REQUIRES: first < last <= size.
  template <class ValueOf>
  uint32_t Largest(size_t first, size_t last, const ValueOf& value) const {
    // Entries of an incomplete block: up to two per level.
    struct Part {
      size_t level, from, to;
    };
    std::array<Part, 2 * kMostLevels> parts;
    size_t count = 0;
    size_t begin = first, end = last;
    for (size_t level = 0;; ++level) {
      // Whole blocks are left to the next level.
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

    auto best = static_cast<uint32_t>(first);
    Value best_value{};
    bool none = true;
    // Takes the largest of an entry if it is better. Returns false if it is better but out of
    // range.
    const auto consider = [&](size_t level, size_t i) {
      const Value of_entry =
          level == 0 ? value(static_cast<uint32_t>(i)) : levels_[level - 1].value[i];
      if (!none && Less()(of_entry, best_value)) return true;
      const uint32_t index = level == 0 ? static_cast<uint32_t>(i) : levels_[level - 1].index[i];
      if (!none && of_entry == best_value && best < index) return true;
      if (index < first || index >= last) return false;
      best = index;
      best_value = of_entry;
      none = false;
      return true;
    };
    // The widest parts first: the largest of a narrow part's whole block is rarely larger still,
    // and then is often within the range.
    while (count > 0) {
      const auto [level, from, to] = parts[--count];
      if (level < levels_.size() && consider(level + 1, from / kFan)) continue;
      for (size_t i = from; i < to; ++i) consider(level, i);
    }
    return best;
  }

 private:
  static constexpr size_t kFan = 4;
  static constexpr size_t kMostLevels = 17;  // 4^16 values need 32 bits for an index

  struct Level {
    Column<uint32_t> index;
    Column<Value> value;
  };
  struct Entry {
    uint32_t index;
    Value value;
  };

  // Builds a level from all entries of the one below.
  class LevelFiller {
   public:
    LevelFiller() = default;
    LevelFiller(const LevelFiller&) = delete;
    void Add(const Entry& entry) {
      if (in_block_ == 0 || Less()(largest_.value, entry.value)) largest_ = entry;
      if (++in_block_ == kFan) AddBlock();
    }
    Level Finish() {
      if (in_block_ > 0) AddBlock();
      index_.Finish();
      value_.Finish();
      return std::move(level_);
    }

    // A whole block, without branches, because the position of the largest is unpredictable.
    void AddBlock(uint32_t first, std::span<const Value, kFan> values) {
      const auto larger = [](const Value& a, const Value& b) { return Less()(a, b) ? b : a; };
      const Value largest = larger(larger(values[0], values[1]), larger(values[2], values[3]));
      const uint32_t not_0 = values[0] != largest, not_1 = not_0 & (values[1] != largest),
                     not_2 = not_1 & (values[2] != largest);
      index_.Add(first + not_0 + not_1 + not_2);
      value_.Add(largest);
    }

   private:
    void AddBlock() {
      index_.Add(largest_.index);
      value_.Add(largest_.value);
      in_block_ = 0;
    }

    Level level_;
    ColumnFiller<uint32_t> index_{level_.index};
    ColumnFiller<Value> value_{level_.value};
    size_t in_block_ = 0;
    Entry largest_{};
  };

  std::vector<Level> levels_;  // from level 1
};

}  // namespace tasklens
