// SPDX-License-Identifier: Apache-2.0
// Messages of Protocol Buffers, field by field: https://protobuf.dev/programming-guides/encoding
// (Two kinds of message with a dozen fields need neither a generator nor a library.)
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace tasklens {

// The bytes of one message; fields in the order of the calls. Reusable after Clear().
class ProtoMessage {
 public:
  void Clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

  void Varint(uint32_t field, uint64_t value) {
    Raw(uint64_t{field} << 3);
    Raw(value);
  }
  void Fixed64(uint32_t field, uint64_t value) {
    Raw(uint64_t{field} << 3 | 1);
    for (int shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<char>(value >> shift));
  }
  void Double(uint32_t field, double value) { Fixed64(field, std::bit_cast<uint64_t>(value)); }
  void Bytes(uint32_t field, std::string_view value) {
    Raw(uint64_t{field} << 3 | 2);
    Raw(value.size());
    bytes_ += value;
  }
  void Message(uint32_t field, const ProtoMessage& message) { Bytes(field, message.bytes_); }

 private:
  void Raw(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace tasklens
