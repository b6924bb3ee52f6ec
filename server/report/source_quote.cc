// SPDX-License-Identifier: Apache-2.0
// Finds a text and extracts lines.
#include "server/report/source_quote.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "server/sources/foreign_file.h"

namespace tasklens {
namespace {

constexpr uint32_t kContextLines = 3;
constexpr size_t kMaxLineBytes = 300;
constexpr uintmax_t kMaxSourceBytes = uintmax_t{16} << 20;

}  // namespace

Result<TracedSource> ReadTracedSource(const OpenTrace& trace, const std::string& path) {
  if (const auto traced = trace.texts->find(path); traced != trace.texts->end()) {
    const TracedText& found = traced->second;
    return TracedSource{Text(*found.text),
                        found.is_certain ? ""
                        : found.origin == TextOrigin::kHistory
                            ? "the last version in the project's history before the run"
                            : "the program may have been built from an older version"};
  }
  Result<std::string> text = ReadForeignFile(path, kMaxSourceBytes);
  if (!text.ok()) return text.status();
  return TracedSource{Text(*std::move(text)),
                      "the file as it is now; its version at the time of the run is not known"};
}

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
