// SPDX-License-Identifier: Apache-2.0
#include "trace/support/utf8.h"

namespace tasklens {

Utf8Character FirstCharacter(std::string_view text) {
  const auto byte = [&](size_t i) -> char32_t { return static_cast<unsigned char>(text[i]); };
  constexpr Utf8Character kNone{0, 0};
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t bytes = first < 0xc2   ? 0
                       : first < 0xe0 ? 2
                       : first < 0xf0 ? 3
                       : first < 0xf5 ? 4
                                      : 0;
  if (bytes == 0 || bytes > text.size()) return kNone;
  char32_t code = first & (0xffu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return kNone;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return kNone;
  return {code, bytes};
}

}  // namespace tasklens
