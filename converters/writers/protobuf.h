// SPDX-License-Identifier: Apache-2.0
// Messages of Protocol Buffers, field by field: https://protobuf.dev/programming-guides/encoding
// (Two kinds of message with a dozen fields do not need a generator or a library.)
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tasklens {

// Builds one message; fields appear in the order of the calls. Reusable after Clear().
class ProtoMessage {
 public:
  void Clear() { size_ = 0; }
  // Valid until the next call that changes the message.
  std::string_view bytes() const { return {room_.data(), size_}; }

  void Varint(uint32_t field, uint64_t value) {
    char* at = Room(2 * kLongestVarint);
    at = Put(at, uint64_t{field} << 3);
    End(Put(at, value));
  }
  void Fixed64(uint32_t field, uint64_t value) {
    char* at = Put(Room(kLongestVarint + 8), uint64_t{field} << 3 | 1);
    for (int shift = 0; shift < 64; shift += 8) *at++ = static_cast<char>(value >> shift);
    End(at);
  }
  void Double(uint32_t field, double value) { Fixed64(field, std::bit_cast<uint64_t>(value)); }
  void Bytes(uint32_t field, std::string_view value) {
    char* at = Room(2 * kLongestVarint + value.size());
    at = Put(at, uint64_t{field} << 3 | 2);
    at = Put(at, value.size());
    End(std::copy(value.begin(), value.end(), at));
  }
  void Message(uint32_t field, const ProtoMessage& message) { Bytes(field, message.bytes()); }

 private:
  static constexpr size_t kLongestVarint = 10;

  // Returns room for `most` bytes.
  char* Room(size_t most) {
    if (room_.size() - size_ < most) room_.resize(2 * room_.size() + most);
    return room_.data() + size_;
  }
  void End(const char* end) { size_ = static_cast<size_t>(end - room_.data()); }
  static char* Put(char* at, uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
    *at++ = static_cast<char>(value);
    return at;
  }

  std::string room_;  // its first size_ bytes are the message
  size_t size_ = 0;
};

}  // namespace tasklens
