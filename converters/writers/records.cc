// SPDX-License-Identifier: Apache-2.0
// What makes any text a value of a recutils field.
#include "converters/writers/records.h"

namespace tasklens {

void PutRecordText(TextBuffer& out, std::string_view field, std::string_view text) {
  out.Put(field);
  out.Put(": ");
  if (IsCleanText(text) && !text.ends_with('\\')) {
    out.Put(text);
  } else {
    char before = 0;
    for (const char c : CleanText(text, /*keep_newlines=*/true)) {
      if (c == '\n') {
        out.Put(before == '\\' ? " \n+ " : "\n+ ");
      } else {
        out.Put(c);
      }
      before = c;
    }
    if (before == '\\') out.Put(' ');
  }
  out.Put('\n');
}

}  // namespace tasklens
