// SPDX-License-Identifier: Apache-2.0
// Columns of a view's answer: parallel arrays of numbers, and tables of the texts they point to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "server/messages/messages.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// A row or index as a number of a column: -1 for none.
inline int64_t OrMinusOne(uint32_t row) { return row == kNone ? -1 : int64_t{row}; }

// A column of whole numbers, of times for instance; or packed, as the smallest of the types i8,
// i16, i32 and f64 that holds them all. A page reads a packed view of many rows within a frame, an
// array not.
using NumberColumn = std::variant<std::vector<int64_t>, messages::Packed>;
NumberColumn ColumnOf(std::vector<int64_t> values, bool is_packed);

// A column of values that a picture shows; packed they are f32.
using ValueColumn = std::variant<std::vector<double>, messages::Packed>;
ValueColumn ColumnOf(std::vector<double> values, bool is_packed);

// Each text once, in the order in which they came.
class TextTable {
 public:
  uint32_t IndexOf(std::string_view text) {
    const auto [it, is_new] = index_.try_emplace(std::string(text), texts_.size());
    if (is_new) texts_.push_back(it->first);
    return it->second;
  }
  std::vector<std::string> Take() { return std::move(texts_); }

 private:
  std::unordered_map<std::string, uint32_t> index_;
  std::vector<std::string> texts_;
};

}  // namespace tasklens
