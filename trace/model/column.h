// SPDX-License-Identifier: Apache-2.0
// One column of a table: a vector that costs nothing while every value is the default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tasklens {

// Reading index i of a column that holds fewer values gives the default. Most traces use a
// fraction of what a task may carry (tags, colours, contexts, ...); such columns stay empty.
template <class T>
class Column {
 public:
  explicit Column(T default_value = T{}) : default_(default_value) {}

  const T& operator[](size_t i) const { return i < values_.size() ? values_[i] : default_; }

  void Set(size_t i, T value) {
    if (i >= values_.size()) {
      if (value == default_) return;
      values_.resize(i + 1, default_);
    }
    values_[i] = value;
  }

  // values become f(row, value). REQUIRES: f(row, default) == default.
  template <class F>
  void Transform(F f) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = f(i, values_[i]);
  }

  // Row i becomes what row order[i] was.
  void Reorder(std::span<const uint32_t> order) {
    if (values_.empty()) return;
    std::vector<T> sorted;
    sorted.reserve(order.size());
    for (uint32_t row : order) sorted.push_back((*this)[row]);
    values_ = std::move(sorted);
  }

  bool AllDefault() const { return values_.empty(); }
  void ShrinkToFit() { values_.shrink_to_fit(); }
  size_t MemoryBytes() const { return values_.capacity() * sizeof(T); }

 private:
  T default_;
  std::vector<T> values_;
};

// Lists of variable length, one a row, in two arrays: row i is items[offsets[i] .. offsets[i+1]).
template <class T>
struct Lists {
  std::vector<uint32_t> offsets{0};
  std::vector<T> items;

  size_t size() const { return offsets.size() - 1; }
  std::span<const T> operator[](size_t i) const {
    if (i + 1 >= offsets.size()) return {};
    return {items.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

}  // namespace tasklens
