// SPDX-License-Identifier: Apache-2.0
#include "trace/support/printable.h"

#include <cstddef>
#include <cstdio>

#include "trace/support/utf8.h"

namespace tasklens {
namespace {

// Beyond ASCII: control characters, marks of writing direction, line separators.
bool IsWrittenOut(char32_t code) {
  return (code >= 0x80 && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

void AppendPrintable(std::string& line, std::string_view text) {
  const auto append = [&](const char* format, unsigned code) {
    char escape[8];
    std::snprintf(escape, sizeof escape, format, code);
    line += escape;
  };
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto [code, bytes] =
        byte < 0x80 ? Utf8Character{byte, 1} : FirstCharacter(text.substr(i));
    if (byte == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7f || bytes == 0) {
      append("\\x%02x", byte);
    } else if (IsWrittenOut(code)) {
      append("\\u%04x", code);
    } else {
      line += text.substr(i, bytes);
    }
    i += bytes == 0 ? 1 : bytes;
  }
}

std::string Printable(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  AppendPrintable(line, text);
  return line;
}

}  // namespace tasklens
