// SPDX-License-Identifier: Apache-2.0
// Shared by all text writers: an append-only buffer in front of an OutputFile, and clean UTF-8.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "trace/support/outputs.h"

namespace tasklens {

// Formats text into a large block and writes it to the file when full. Numbers are written by
// std::to_chars and small tables: no locale, no iostream, no allocation after construction.
// Errors are those of the OutputFile, reported by its Close(). REQUIRES: Flush() before Close().
// Threads: one.
class TextBuffer {
 public:
  explicit TextBuffer(OutputFile* out);

  void Put(char c) {
    Reserve(1);
    *next_++ = c;
  }
  void Put(std::string_view text) {
    if (text.size() > kCapacity / 2) return PutLong(text);
    Reserve(text.size());
    std::memcpy(next_, text.data(), text.size());
    next_ += text.size();
  }
  // Puts several things in this order: texts, characters, integers, and functions that put
  // something themselves, such as Hex{address}.
  template <class... Items>
  requires(sizeof...(Items) > 1 || (std::is_invocable_v<const Items&, TextBuffer&> &&
                                    ...)) void Put(const Items&... items) {
    (PutItem(items), ...);
  }
  template <class T>
  void PutInteger(T value) {
    Reserve(24);
    next_ = std::to_chars(next_, next_ + 24, value).ptr;
  }
  // Hexadecimal with leading zeros up to `width` <= 16 digits.
  void PutHex(uint64_t value, int width = 1);
  // Nanoseconds as milliseconds with 6 decimals, "-0.000001" included; exact.
  void PutMs(int64_t time_ns);
  // `value` with `decimals` digits after the point; 0 if it is not finite, because readers of these
  // formats do not accept "nan".
  void PutFixed(double value, int decimals);

  void Flush();

 private:
  static constexpr size_t kCapacity = 128 * 1024;
  void Reserve(size_t bytes) {
    if (static_cast<size_t>(end_ - next_) < bytes) Flush();
  }
  void PutLong(std::string_view text);
  template <class Item>
  void PutItem(const Item& item) {
    if constexpr (std::is_invocable_v<const Item&, TextBuffer&>) {
      item(*this);
    } else if constexpr (std::is_convertible_v<const Item&, std::string_view> ||
                         std::is_same_v<Item, char>) {
      Put(item);
    } else {
      static_assert(std::is_integral_v<Item> && !std::is_same_v<Item, bool>);
      PutInteger(item);
    }
  }
  bool PutRounded(double value, int decimals);

  OutputFile* out_;
  std::unique_ptr<char[]> block_;
  char* next_;
  char* end_;
  // The whole milliseconds of the previous time: neighbouring lines mostly share them.
  uint64_t last_ms_ = 0;
  char last_ms_text_[24] = "0";
  uint8_t last_ms_size_ = 1;
};

// A hexadecimal number of at least `width` digits.
struct Hex {
  uint64_t value;
  int width = 1;
  void operator()(TextBuffer& out) const { out.PutHex(value, width); }
};

// A real number with so many digits after the point.
struct Fixed {
  double value;
  int decimals;
  void operator()(TextBuffer& out) const { out.PutFixed(value, decimals); }
};

// A time in milliseconds.
struct Ms {
  int64_t time_ns;
  void operator()(TextBuffer& out) const { out.PutMs(time_ns); }
};

// Opens the file `name`, lets `write` fill it, and closes it.
Status WriteText(Outputs& outputs, const std::string& name,
                 const std::function<void(TextBuffer&)>& write);

// Whether `text` is valid UTF-8 without control characters (bytes below 0x20, and 0x7f).
bool IsCleanText(std::string_view text);

// Returns `text` with every byte of invalid UTF-8 replaced by U+FFFD and every control character by
// a blank; tabs and newlines too, unless `keep_newlines`.
std::string CleanText(std::string_view text, bool keep_newlines = false);

// Writes a set of NUMA nodes (a bit each) as "0,1"; -1, unknown, as it is.
void PutNumaNodes(TextBuffer& out, int64_t nodes);

}  // namespace tasklens
