// SPDX-License-Identifier: Apache-2.0
// Columns of numbers as bytes for a page: what ide-plugin/webview/data/columns.js reads.
//
// A column is a run of LEB128 varints, 7 bits a byte, the lowest first. `Plain` columns hold the
// values; `Steps` columns the differences to the value before (the first to 0), zigzag coded:
// 0, -1, 1, -2 become 0, 1, 2, 3. Long columns of times and row numbers need one to three bytes a
// value, and less once the whole is deflated.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tasklens {

class ColumnBytes {
 public:
  // value(i) for 0 <= i < count becomes the column `name`.
  template <class Value>
  void Plain(std::string_view name, size_t count, const Value& value) {
    Begin(name, count, "plain");
    for (size_t i = 0; i < count; ++i) Varint(static_cast<uint64_t>(value(i)));
  }
  template <class Value>
  void Steps(std::string_view name, size_t count, const Value& value) {
    Begin(name, count, "steps");
    uint64_t before = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t now = static_cast<uint64_t>(static_cast<int64_t>(value(i)));
      const auto step = static_cast<int64_t>(now - before);
      Varint((static_cast<uint64_t>(step) << 1) ^ static_cast<uint64_t>(step >> 63));
      before = now;
    }
  }

  // [{"name", "count", "coding"}], in the order of the bytes.
  const nlohmann::json& directory() const { return directory_; }
  const std::string& bytes() const { return bytes_; }

 private:
  void Begin(std::string_view name, size_t count, std::string_view coding) {
    directory_.push_back({{"name", name}, {"count", count}, {"coding", coding}});
  }
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  nlohmann::json directory_ = nlohmann::json::array();
  std::string bytes_;
};

}  // namespace tasklens
