// SPDX-License-Identifier: Apache-2.0
// Pairs the lines of two texts.
#include "server/sources/line_map.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "trace/support/words.h"

namespace tasklens {
namespace {

// Up to this many pairs, all lines are compared with each other.
constexpr uint64_t kMaxPairs = uint64_t{1} << 20;
// The limit of line visits, per line of both texts; lines that are unpaired then count as
// rewritten.
constexpr uint64_t kMaxVisitsPerLine = 64;

// Assigns equal numbers to equal lines.
class Numbering {
 public:
  std::vector<uint32_t> Of(std::string_view text) {
    std::vector<uint32_t> numbers;
    while (true) {
      const size_t end = text.find_first_of("\r\n");
      const auto [it, is_new] = numbers_.try_emplace(Trimmed(text.substr(0, end)),
                                                     static_cast<uint32_t>(numbers_.size()));
      numbers.push_back(it->second);
      if (end == std::string_view::npos) return numbers;
      text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
    }
  }

 private:
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

// Lines [old_begin, old_end) of the older text, [new_begin, new_end) of the newer one.
struct Section {
  uint32_t old_begin, old_end, new_begin, new_end;
};

class Matcher {
 public:
  Matcher(const std::vector<uint32_t>& old_lines, const std::vector<uint32_t>& new_lines,
          std::vector<uint32_t>& after)
      : old_(old_lines), new_(new_lines), after_(after) {}

  // Pairs the equal lines that `followed` pairs, and passes the gaps to Match().
  void Follow(const LineMap& followed) {
    Section gap{0, 0, 0, 0};
    const auto new_count = static_cast<uint32_t>(new_.size());
    for (uint32_t line = 0; line < old_.size(); ++line) {
      const uint32_t place = followed.After(line);
      if (place >= new_count || place < gap.new_begin || old_[line] != new_[place]) continue;
      after_[line] = place;
      open_.push_back({gap.old_begin, line, gap.new_begin, place});
      gap.old_begin = line + 1;
      gap.new_begin = place + 1;
    }
    open_.push_back({gap.old_begin, static_cast<uint32_t>(old_.size()), gap.new_begin, new_count});
  }

  void MatchAll() {
    open_.push_back({0, static_cast<uint32_t>(old_.size()), 0, static_cast<uint32_t>(new_.size())});
    Match();
  }

  void Match() {
    uint64_t visits_left = kMaxVisitsPerLine * (old_.size() + new_.size());
    while (!open_.empty()) {
      Section section = open_.back();
      open_.pop_back();
      MatchEnds(section);
      const uint64_t old_count = section.old_end - section.old_begin;
      const uint64_t new_count = section.new_end - section.new_begin;
      if (old_count == 0 || new_count == 0) continue;
      if (old_count + new_count > visits_left) return;
      visits_left -= old_count + new_count;
      if (old_count * new_count <= kMaxPairs) {
        MatchLongest(section);
      } else {
        Split(section);
      }
    }
  }

 private:
  void MatchEnds(Section& s) {
    while (s.old_begin < s.old_end && s.new_begin < s.new_end &&
           old_[s.old_begin] == new_[s.new_begin])
      after_[s.old_begin++] = s.new_begin++;
    while (s.old_begin < s.old_end && s.new_begin < s.new_end &&
           old_[s.old_end - 1] == new_[s.new_end - 1])
      after_[--s.old_end] = --s.new_end;
  }

  // Finds the longest common subsequence, with a table of its lengths from each pair of lines on.
  void MatchLongest(const Section& s) {
    const size_t rows = s.old_end - s.old_begin, columns = s.new_end - s.new_begin;
    std::vector<uint32_t> length((rows + 1) * (columns + 1));
    const auto at = [&](size_t row, size_t column) -> uint32_t& {
      return length[row * (columns + 1) + column];
    };
    for (size_t row = rows; row-- > 0;)
      for (size_t column = columns; column-- > 0;)
        at(row, column) = old_[s.old_begin + row] == new_[s.new_begin + column]
                              ? at(row + 1, column + 1) + 1
                              : std::max(at(row + 1, column), at(row, column + 1));
    for (size_t row = 0, column = 0; row < rows && column < columns;) {
      if (old_[s.old_begin + row] == new_[s.new_begin + column]) {
        after_[s.old_begin + row++] = s.new_begin + static_cast<uint32_t>(column++);
      } else if (at(row + 1, column) >= at(row, column + 1)) {
        ++row;
      } else {
        ++column;
      }
    }
  }

  // Splits at the lines that are unique on both sides: the longest sequence of them in the same
  // order.
  void Split(const Section& s) {
    struct Count {
      uint32_t in_old = 0, in_new = 0, new_line = 0;
    };
    std::unordered_map<uint32_t, Count> counts;
    for (uint32_t line = s.old_begin; line < s.old_end; ++line) ++counts[old_[line]].in_old;
    for (uint32_t line = s.new_begin; line < s.new_end; ++line) {
      Count& count = counts[new_[line]];
      ++count.in_new;
      count.new_line = line;
    }
    // Finds the longest increasing subsequence by patience sorting: piles with ascending tops.
    struct Card {
      uint32_t old_line, new_line;
      size_t left;  // card on the pile before, or kNoCard
    };
    constexpr size_t kNoCard = SIZE_MAX;
    std::vector<Card> cards;
    std::vector<size_t> tops;
    for (uint32_t line = s.old_begin; line < s.old_end; ++line) {
      const Count& count = counts[old_[line]];
      if (count.in_old != 1 || count.in_new != 1) continue;
      const auto pile =
          std::lower_bound(tops.begin(), tops.end(), count.new_line,
                           [&](size_t top, uint32_t value) { return cards[top].new_line < value; });
      cards.push_back({line, count.new_line, pile == tops.begin() ? kNoCard : *(pile - 1)});
      if (pile == tops.end()) {
        tops.push_back(cards.size() - 1);
      } else {
        *pile = cards.size() - 1;
      }
    }
    if (tops.empty()) return;
    uint32_t old_end = s.old_end, new_end = s.new_end;
    for (size_t card = tops.back(); card != kNoCard; card = cards[card].left) {
      const Card& anchor = cards[card];
      after_[anchor.old_line] = anchor.new_line;
      open_.push_back({anchor.old_line + 1, old_end, anchor.new_line + 1, new_end});
      old_end = anchor.old_line;
      new_end = anchor.new_line;
    }
    open_.push_back({s.old_begin, old_end, s.new_begin, new_end});
  }

  const std::vector<uint32_t>&old_, &new_;
  std::vector<uint32_t>& after_;
  std::vector<Section> open_;
};

}  // namespace

LineMap LineMap::Between(std::string_view before, std::string_view after) {
  Numbering numbering;
  const std::vector<uint32_t> old_lines = numbering.Of(before), new_lines = numbering.Of(after);
  LineMap map;
  map.after_.assign(old_lines.size(), kRewritten);
  Matcher(old_lines, new_lines, map.after_).MatchAll();
  map.FindBefore(new_lines.size());
  return map;
}

LineMap LineMap::Between(std::string_view before, std::string_view after, const LineMap& followed) {
  Numbering numbering;
  const std::vector<uint32_t> old_lines = numbering.Of(before), new_lines = numbering.Of(after);
  LineMap map;
  map.after_.assign(old_lines.size(), kRewritten);
  Matcher matcher(old_lines, new_lines, map.after_);
  matcher.Follow(followed);
  matcher.Match();
  map.FindBefore(new_lines.size());
  map.places_.assign(old_lines.size(), kRewritten);
  for (uint32_t line = 0; line < old_lines.size(); ++line)
    if (const uint32_t place = followed.After(line); place < new_lines.size())
      map.places_[line] = place;
  return map;
}

LineMap LineMap::Identity(uint32_t lines) {
  LineMap map;
  map.after_.resize(lines);
  std::iota(map.after_.begin(), map.after_.end(), 0u);
  map.before_ = map.after_;
  return map;
}

LineMap LineMap::Then(const LineMap& next) const {
  LineMap map;
  for (const uint32_t line : after_) map.after_.push_back(next.After(line));
  map.FindBefore(next.before_.size());
  return map;
}

void LineMap::Replace(uint32_t begin, uint32_t end, uint32_t count) {
  const auto lines = static_cast<uint32_t>(before_.size());
  end = std::min(end, lines);
  begin = std::min(begin, end);
  if (begin == end && count == 0) return;
  for (uint32_t& line : after_) {
    if (line == kRewritten || line < begin) continue;
    line = line < end ? kRewritten : line - end + begin + count;
  }
  FindBefore(lines - (end - begin) + count);
}

void LineMap::FindBefore(size_t new_lines) {
  before_.assign(new_lines, kRewritten);
  is_identity_ = after_.size() == new_lines;
  for (uint32_t line = 0; line < after_.size(); ++line) {
    if (after_[line] != kRewritten) before_[after_[line]] = line;
    if (after_[line] != line) is_identity_ = false;
  }
}

uint32_t LineMap::Near(uint32_t line) const {
  if (after_.empty()) return 0;
  line = std::min(line, static_cast<uint32_t>(after_.size()) - 1);
  if (after_[line] != kRewritten) return after_[line];
  if (line < places_.size() && places_[line] != kRewritten) return places_[line];
  // Keeps the distance from the last unchanged line above, but stays above the next unchanged one.
  uint32_t above = line, below = line;
  while (above > 0 && after_[above] == kRewritten) --above;
  while (below + 1 < after_.size() && after_[below] == kRewritten) ++below;
  const uint32_t first = after_[above] == kRewritten ? 0 : after_[above] + 1;
  const uint32_t end =
      after_[below] == kRewritten ? static_cast<uint32_t>(before_.size()) : after_[below];
  const uint32_t distance = after_[above] == kRewritten ? line : line - above - 1;
  return end > first ? std::min(first + distance, end - 1) : (first > 0 ? first - 1 : 0);
}

}  // namespace tasklens
