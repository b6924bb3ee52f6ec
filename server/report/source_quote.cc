// SPDX-License-Identifier: Apache-2.0
// Cuts lines out of a text.
#include "server/report/source_quote.h"

#include <algorithm>

namespace tasklens {
namespace {

constexpr uint32_t kContextLines = 3;
constexpr size_t kMaxLineBytes = 300;

}  // namespace

SourceQuote QuoteLine(const Text& text, uint32_t line) {
  SourceQuote quote;
  if (line == 0 || line > text.line_count()) return quote;
  quote.first_line = line > kContextLines ? line - kContextLines : 1;
  const uint32_t last = std::min(text.line_count(), line + kContextLines);
  for (uint32_t number = quote.first_line; number <= last; ++number)
    quote.lines.emplace_back(text.Line(number - 1).substr(0, kMaxLineBytes));
  return quote;
}

}  // namespace tasklens
