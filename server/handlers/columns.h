// SPDX-License-Identifier: Apache-2.0
// Columns of a view's answer: parallel arrays of numbers, and tables of the texts they point to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/colours.h"
#include "server/handlers/task_marks.h"
#include "server/protocol/fields.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// A row or index as a number of a column: -1 for none.
inline int64_t OrMinusOne(uint32_t row) { return row == kNone ? -1 : int64_t{row}; }

// A column of whole numbers, of times for instance.
//
// As an array of JSON, or packed: {"i16": "AQACAA=="}, the base64 text of little-endian values of
// the smallest of the types i8, i16, i32 and f64 that holds them all. A page reads a packed view of
// many rows within a frame, an array not.
class NumberColumn {
 public:
  void Reserve(size_t count) { values_.reserve(count); }
  void Add(int64_t value) { values_.push_back(value); }
  json Take(bool is_packed);

 private:
  std::vector<int64_t> values_;
};

// A column of values that a picture shows: packed they are {"f32": "..."}.
json ValueColumn(const std::vector<double>& values, bool is_packed);

// Each text once, in the order in which they came.
class TextTable {
 public:
  uint32_t IndexOf(std::string_view text) {
    const auto [it, is_new] = index_.try_emplace(std::string(text), texts_.size());
    if (is_new) texts_.emplace_back(it->first);
    return it->second;
  }
  json Take() { return json(std::move(texts_)); }

 private:
  std::unordered_map<std::string, uint32_t> index_;
  json::array_t texts_;
};

// "colour" as a parameter: what to colour by. Reports names that do not exist.
ColourBy ReadColour(Fields& fields, ColourBy fallback);

}  // namespace tasklens
