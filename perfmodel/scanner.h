// SPDX-License-Identifier: Apache-2.0
// Lines of numbers with comments between them, as StarPU's files have them: shared by their
// readers.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/read_number.h"
#include "trace/support/status.h"
#include "trace/support/words.h"

namespace tasklens {

class LineScanner {
 public:
  LineScanner(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  // The next line that is neither blank nor a comment; false at the end.
  bool Next() {
    comments_.clear();
    while (!rest_.empty()) {
      line_ = TakeUpTo('\n', rest_);
      ++number_;
      if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
      const size_t first = line_.find_first_not_of(" \t");
      if (first == std::string_view::npos) continue;
      if (line_[first] == '#') {
        comments_.push_back(line_);
        continue;
      }
      Split();
      return true;
    }
    return false;
  }

  // Of the latest line: its fields, and the comment right above it, or the one among those above it
  // that begins like this; "" where there is none.
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::string_view line() const { return line_; }
  std::string_view comment() const { return comments_.empty() ? "" : comments_.back(); }
  std::string_view comment(std::string_view beginning) const {
    for (const std::string_view comment : comments_)
      if (comment.starts_with(beginning)) return comment;
    return "";
  }

  Status Error(std::string_view what) const {
    return {ErrorCode::kCorrupt,
            std::string(name_) + ": line " + std::to_string(number_) + ": " + std::string(what)};
  }
  Status Ended(std::string_view wanted) const {
    return {ErrorCode::kCorrupt, std::string(name_) + ": ends after line " +
                                     std::to_string(number_) + ", before " + std::string(wanted)};
  }

  // The whole field as a number, else false.
  template <class Integer>
  static bool Parse(std::string_view field, Integer& value, int base = 10) {
    return ReadNumber(field, value, base);
  }
  static bool Parse(std::string_view field, double& value, int = 10) {
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    return (error == std::errc() || error == std::errc::result_out_of_range) &&
           end == field.data() + field.size();
  }

 private:
  void Split() {
    fields_.clear();
    std::string_view rest = line_;
    for (std::string_view word = TakeWord(rest); !word.empty(); word = TakeWord(rest))
      fields_.push_back(word);
  }

  std::string_view rest_, name_, line_;
  std::vector<std::string_view> comments_;
  std::vector<std::string_view> fields_;
  size_t number_ = 0;
};

}  // namespace tasklens
