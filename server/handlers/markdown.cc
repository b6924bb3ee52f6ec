// SPDX-License-Identifier: Apache-2.0
// Escapes text, and draws small bars.
#include "server/handlers/markdown.h"

#include <algorithm>

#include "server/protocol/text.h"

namespace tasklens {
namespace {

constexpr size_t kMaxBytes = 200;
constexpr std::string_view kMarks = "\\`*_{}[]()<>#+-.!|~&\"'$:@";

}  // namespace

std::string Escaped(std::string_view text) {
  std::string bytes(text.substr(0, kMaxBytes));
  std::string escaped;
  // A character that was cut in two is left out.
  for (const char c : TakeUtf8(bytes, text.size() <= kMaxBytes)) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (!is_control && kMarks.find(c) != std::string_view::npos) escaped += '\\';
    escaped += is_control ? ' ' : c;
  }
  if (text.size() > kMaxBytes) escaped += "…";
  return escaped;
}

std::string Sparkline(const std::vector<HistogramBar>& bars) {
  static constexpr const char* kHeights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  uint64_t most = 1;
  for (const HistogramBar& bar : bars) most = std::max(most, bar.count);
  std::string text;
  for (const HistogramBar& bar : bars) {
    // One task among a million is still visible: only an empty bar is blank.
    const auto share = static_cast<double>(bar.count) / static_cast<double>(most);
    text += bar.count == 0 ? " " : kHeights[std::min<size_t>(static_cast<size_t>(share * 8), 7)];
  }
  return text;
}

}  // namespace tasklens
