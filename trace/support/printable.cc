// SPDX-License-Identifier: Apache-2.0
#include "trace/support/printable.h"

#include <cstddef>
#include <cstdio>

namespace tasklens {

void AppendPrintable(std::string& line, std::string_view text) {
  const auto append = [&](const char* format, unsigned code) {
    char escape[8];
    std::snprintf(escape, sizeof escape, format, code);
    line += escape;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char byte = static_cast<unsigned char>(text[i]);
    const unsigned char next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == '\n') {
      line += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      append("\\x%02x", byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F in UTF-8
      append("\\u%04x", next);
      ++i;
    } else {
      line += text[i];
    }
  }
}

std::string Printable(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  AppendPrintable(line, text);
  return line;
}

}  // namespace tasklens
