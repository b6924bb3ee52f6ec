// SPDX-License-Identifier: Apache-2.0
// Columns of an answer: parallel arrays of numbers, and tables of the strings that they index.
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

// A row or index as a number in a column; -1 for kNone.
inline int64_t OrMinusOne(uint32_t row) { return row == kNone ? -1 : int64_t{row}; }

// A column of integers, such as times. If packed, it has the smallest of the types i8, i16, i32 and
// f64 that holds all values. A page decodes a packed column of many rows within one frame, but not
// an array.
using NumberColumn = std::variant<std::vector<int64_t>, messages::Packed>;
NumberColumn ColumnOf(std::vector<int64_t> values, bool is_packed);

// A column of values to be drawn; packed as f32.
using ValueColumn = std::variant<std::vector<double>, messages::Packed>;
ValueColumn ColumnOf(std::vector<double> values, bool is_packed);

// Distinct strings, in the order of their first use.
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
