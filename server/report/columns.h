// SPDX-License-Identifier: Apache-2.0
// Encodes columns of numbers for a page; ide-plugin/webview/data/columns.js decodes them.
//
// A column is a sequence of LEB128 varints, 7 bits a byte, the lowest first. `Plain` columns hold
// the values. `Steps` columns hold the differences between successive values (the first to 0),
// zigzag coded: 0, -1, 1, -2 become 0, 1, 2, 3. Long columns of times and row numbers take one to
// three bytes a value, and less after compression (deflate). A `text` column is one text in UTF-8.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tasklens {

class ColumnBytes {
 public:
  // Appends the column `name` with value(i) for 0 <= i < count.
  template <class Value>
  void Plain(std::string_view name, size_t count, const Value& value) {
    const size_t begin = bytes_.size();
    uint64_t largest = 0;
    for (size_t i = 0; i < count; ++i) {
      const auto now = static_cast<uint64_t>(value(i));
      largest = std::max(largest, now);
      Varint(now);
    }
    End(name, count, "plain", begin, largest > INT32_MAX);
  }
  template <class Value>
  void Steps(std::string_view name, size_t count, const Value& value) {
    const size_t begin = bytes_.size();
    bool is_wide = false;
    uint64_t before = 0;
    for (size_t i = 0; i < count; ++i) {
      const auto now = static_cast<int64_t>(value(i));
      is_wide |= now < INT32_MIN || now > INT32_MAX;
      const auto step = static_cast<int64_t>(static_cast<uint64_t>(now) - before);
      Varint((static_cast<uint64_t>(step) << 1) ^ static_cast<uint64_t>(step >> 63));
      before = static_cast<uint64_t>(now);
    }
    End(name, count, "steps", begin, is_wide);
  }

  void Text(std::string_view name, std::string_view text) {
    const size_t begin = bytes_.size();
    bytes_ += text;
    End(name, 1, "text", begin, false);
  }

  // [{"name", "count", "coding", "bytes", "wide"}], in the order of the bytes. Values of a column
  // that is not wide fit in 32 bits.
  const nlohmann::json& directory() const { return directory_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void End(std::string_view name, size_t count, std::string_view coding, size_t begin,
           bool is_wide) {
    directory_.push_back({{"name", name},
                          {"count", count},
                          {"coding", coding},
                          {"bytes", bytes_.size() - begin},
                          {"wide", is_wide}});
  }
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  nlohmann::json directory_ = nlohmann::json::array();
  std::string bytes_;
};

}  // namespace tasklens
