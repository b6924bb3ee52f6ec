// SPDX-License-Identifier: Apache-2.0
// Pairs similar lines so that the total similarity is the highest.
#include "server/sources/rewritten_lines.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tasklens {
namespace {

constexpr float kLeastResemblance = 0.5f;

using Words = std::vector<std::string_view>;

// Sorted.
Words WordsOf(std::string_view line) {
  const auto is_word = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  Words words;
  for (size_t at = 0; at < line.size(); ++at) {
    const size_t begin = at;
    while (at < line.size() && is_word(line[at])) ++at;
    if (at > begin) words.push_back(line.substr(begin, at - begin));
  }
  std::sort(words.begin(), words.end());
  return words;
}

// The share of common words in both lines.
float Resemblance(const Words& a, const Words& b) {
  if (a.empty() || b.empty()) return 0;
  size_t common = 0;
  for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
    if (*left == *right) ++common;
    const bool go_left = *left <= *right, go_right = *right <= *left;
    if (go_left) ++left;
    if (go_right) ++right;
  }
  return 2 * static_cast<float>(common) / static_cast<float>(a.size() + b.size());
}

}  // namespace

RewrittenLines::RewrittenLines(const Text& before, const Text& after, const LineMap& map) {
  const uint32_t lines = before.line_count();
  places_.assign(lines, LineMap::kRewritten);
  for (uint32_t begin = 0; begin < lines; ++begin) {
    if (map.After(begin) != LineMap::kRewritten) continue;
    uint32_t end = begin + 1;
    while (end < lines && map.After(end) == LineMap::kRewritten) ++end;
    const uint32_t new_begin = begin == 0 ? 0 : map.After(begin - 1) + 1;
    const uint32_t new_end =
        std::min(end == lines ? after.line_count() : map.After(end), after.line_count());
    // Lines with a place recorded by the editor split the region.
    uint32_t from = begin, new_from = new_begin;
    for (uint32_t line = begin; line < end; ++line) {
      const uint32_t place = map.Told(line);
      if (place == LineMap::kRewritten || place < new_from || place >= new_end) continue;
      if (!WordsOf(after.Line(place)).empty()) places_[line] = place;
      Pair(before, after, from, line, new_from, place);
      from = line + 1;
      new_from = place + 1;
    }
    Pair(before, after, from, end, new_from, new_end);
    begin = end;
  }
}

void RewrittenLines::Pair(const Text& before, const Text& after, uint32_t begin, uint32_t end,
                          uint32_t new_begin, uint32_t new_end) {
  if (begin >= end || new_begin >= new_end) return;
  const size_t rows = end - begin, columns = new_end - new_begin;
  if (rows * columns > kMostPairs) return;
  std::vector<Words> old_words, new_words;
  for (uint32_t line = begin; line < end; ++line) old_words.push_back(WordsOf(before.Line(line)));
  for (uint32_t line = new_begin; line < new_end; ++line)
    new_words.push_back(WordsOf(after.Line(line)));
  // For each pair its similarity, and the best total from there on.
  std::vector<float> resemblance(rows * columns), best((rows + 1) * (columns + 1));
  const auto of = [&](size_t row, size_t column) -> float& {
    return resemblance[row * columns + column];
  };
  const auto from = [&](size_t row, size_t column) -> float& {
    return best[row * (columns + 1) + column];
  };
  for (size_t row = rows; row-- > 0;)
    for (size_t column = columns; column-- > 0;) {
      const float alike = Resemblance(old_words[row], new_words[column]);
      of(row, column) = alike >= kLeastResemblance ? alike : 0;
      from(row, column) = std::max({from(row + 1, column), from(row, column + 1),
                                    from(row + 1, column + 1) + of(row, column)});
    }
  for (size_t row = 0, column = 0; row < rows && column < columns;) {
    if (of(row, column) > 0 && from(row, column) == from(row + 1, column + 1) + of(row, column)) {
      places_[begin + row++] = new_begin + static_cast<uint32_t>(column++);
    } else if (from(row, column) == from(row, column + 1)) {
      ++column;
    } else {
      ++row;
    }
  }
}

}  // namespace tasklens
