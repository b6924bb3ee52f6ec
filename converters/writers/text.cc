// SPDX-License-Identifier: Apache-2.0
// The text buffer, and functions that sanitize foreign strings.
#include "converters/writers/text.h"

#include <array>
#include <cmath>
#include <iterator>

#include "trace/support/utf8.h"

namespace tasklens {
namespace {

constexpr std::array<char, 200> kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (int i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

// Length of the character at the start of `text`, 0 if it is no valid UTF-8.
size_t Utf8Length(std::string_view text) {
  const Utf8Character first = FirstCharacter(text);
  // U+FFFE and U+FFFF are noncharacters, and XML forbids them.
  return first.code == 0xFFFE || first.code == 0xFFFF ? 0 : first.bytes;
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

TextBuffer::TextBuffer(OutputFile* out)
    : out_(out), block_(new char[kCapacity]), next_(block_.get()), end_(block_.get() + kCapacity) {}

void TextBuffer::PutLong(std::string_view text) {
  Flush();
  out_->Append(text);
}

void TextBuffer::Flush() {
  out_->Append({block_.get(), static_cast<size_t>(next_ - block_.get())});
  next_ = block_.get();
}

void TextBuffer::PutHex(uint64_t value, int width) {
  Reserve(16);
  char digits[16];
  const int count = static_cast<int>(std::to_chars(digits, digits + 16, value, 16).ptr - digits);
  for (int i = count; i < width; ++i) *next_++ = '0';
  std::memcpy(next_, digits, static_cast<size_t>(count));
  next_ += count;
}

void TextBuffer::PutMs(int64_t time_ns) {
  Reserve(32);
  uint64_t ns = static_cast<uint64_t>(time_ns);
  if (time_ns < 0) {
    *next_++ = '-';
    ns = 0 - ns;
  }
  const uint64_t ms = ns / 1'000'000;
  if (ms != last_ms_) {
    last_ms_ = ms;
    char* const end = std::to_chars(last_ms_text_, std::end(last_ms_text_), ms).ptr;
    last_ms_size_ = static_cast<uint8_t>(end - last_ms_text_);
  }
  std::memcpy(next_, last_ms_text_, sizeof last_ms_text_);
  next_ += last_ms_size_;
  const uint32_t rest = static_cast<uint32_t>(ns % 1'000'000);
  *next_++ = '.';
  std::memcpy(next_, &kDigitPairs[2 * (rest / 10'000)], 2);
  std::memcpy(next_ + 2, &kDigitPairs[2 * (rest / 100 % 100)], 2);
  std::memcpy(next_ + 4, &kDigitPairs[2 * (rest % 100)], 2);
  next_ += 6;
}

// Rounds by arithmetic, which is several times faster than the exact way. Returns false if `value`
// is too large, or too close to the middle between two results.
bool TextBuffer::PutRounded(double value, int decimals) {
  static constexpr uint64_t kPowers[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000};
  constexpr double kLargest = 1e12;  // a double still resolves thousandths
  if (decimals < 1 || decimals > 6 || std::signbit(value)) return false;
  const double scaled = value * static_cast<double>(kPowers[decimals]);
  if (!(scaled < kLargest)) return false;
  const uint64_t rounded = static_cast<uint64_t>(scaled + 0.5);
  if (std::abs(scaled - static_cast<double>(rounded)) > 0.499) return false;
  Reserve(40);
  next_ = std::to_chars(next_, next_ + 24, rounded / kPowers[decimals]).ptr;
  *next_++ = '.';
  uint64_t rest = rounded % kPowers[decimals];
  for (int digit = decimals - 1; digit >= 0; --digit, rest /= 10)
    next_[digit] = static_cast<char>('0' + rest % 10);
  next_ += decimals;
  return true;
}

void TextBuffer::PutFixed(double value, int decimals) {
  if (!std::isfinite(value)) value = 0;
  if (PutRounded(value, decimals)) return;
  constexpr size_t kLongestDouble = 310 + 20;
  Reserve(kLongestDouble);
  next_ =
      std::to_chars(next_, next_ + kLongestDouble, value, std::chars_format::fixed, decimals).ptr;
}

Status WriteText(Outputs& outputs, const std::string& name,
                 const std::function<void(TextBuffer&)>& write) {
  auto file = outputs.Open(name);
  if (!file.ok()) return file.status();
  TextBuffer out(*file);
  write(out);
  out.Flush();
  return (*file)->Close();
}

bool IsCleanText(std::string_view text) {
  bool ascii = true;
  for (const char c : text) {
    if (IsControl(c)) return false;
    ascii &= static_cast<unsigned char>(c) < 0x80;
  }
  if (ascii) return true;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string CleanText(std::string_view text, bool keep_newlines) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    if (length == 0) {
      clean += kReplacement;
      length = 1;
    } else if (IsControl(text[0])) {
      clean += keep_newlines && text[0] == '\n' ? '\n' : ' ';
    } else {
      clean += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return clean;
}

void PutNumaNodes(TextBuffer& out, int64_t nodes) {
  if (nodes <= 0) return out.PutInteger(nodes < 0 ? nodes : -1);
  bool first = true;
  for (int node = 0; node < 63; ++node) {
    if (!(nodes >> node & 1)) continue;
    if (!first) out.Put(',');
    out.PutInteger(node);
    first = false;
  }
}

}  // namespace tasklens
