// SPDX-License-Identifier: Apache-2.0
// Looks for a colon between a name and a number.
#include "server/sources/output_links.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNameBytes = 4096;
constexpr size_t kMaxKnown = 4096;  // names to cache; a program may print any number of them

bool EndsName(char c) {
  return std::string_view(" \t\r\n\"'`()[]{}<>,;=|").find(c) != std::string_view::npos;
}

// Parses a number >= 1 at `at`, and moves `at` behind it; returns 0 if there is none.
uint32_t NumberAt(std::string_view text, size_t& at) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (error != std::errc()) return 0;
  at = static_cast<size_t>(end - text.data());
  return number;
}

// Returns the end of the control sequence (ESC ...) at `at`; the end of the text if it is
// incomplete.
size_t EndOfSequence(std::string_view text, size_t at) {
  if (at + 1 >= text.size()) return text.size();
  if (text[at + 1] == '[') {  // parameters, then a letter: colours
    const auto is_last = [](char c) { return c >= 0x40 && c <= 0x7e; };
    const auto last = std::find_if(text.begin() + at + 2, text.end(), is_last);
    return last == text.end() ? text.size() : static_cast<size_t>(last - text.begin()) + 1;
  }
  if (text[at + 1] == ']') {  // a string, then BEL or ESC \: titles and links
    const size_t last = text.find_first_of("\a\x1b\n", at + 2);
    if (last == text.npos || text[last] == '\n') return std::min(last, text.size());
    return std::min(last + (text[last] == '\a' ? 1 : 2), text.size());
  }
  return at + 2;
}

// A text with its control sequences removed.
class PlainText {
 public:
  explicit PlainText(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      const size_t escape = std::min(text.find('\x1b', at), text.size());
      pieces_.push_back({plain_.size(), at});
      plain_ += text.substr(at, escape - at);
      at = escape < text.size() ? EndOfSequence(text, escape) : escape;
    }
  }
  const std::string& text() const { return plain_; }
  // Returns the original position of byte `at`. REQUIRES: calls are in ascending order.
  size_t WasAt(size_t at) {
    while (piece_ + 1 < pieces_.size() && pieces_[piece_ + 1].plain <= at) ++piece_;
    return pieces_[piece_].was + (at - pieces_[piece_].plain);
  }

 private:
  struct Piece {
    size_t plain, was;
  };
  std::string plain_;
  std::vector<Piece> pieces_;
  size_t piece_ = 0;
};

}  // namespace

const std::string& OutputLinks::PathOf(std::string_view name) {
  if (const auto it = known_.find(name); it != known_.end()) return it->second;
  if (known_.size() >= kMaxKnown) known_.clear();
  std::string& path = known_[std::string(name)];
  std::vector<fs::path> candidates = {fs::path(directory_) / name};
  for (const std::string& root : roots_.folders) candidates.push_back(fs::path(root) / name);
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    if (!fs::is_regular_file(candidate, error)) continue;  // most names; cheaper than the rest
    const fs::path real = fs::canonical(candidate, error);
    if (error || !roots_.Contains(real.string())) continue;
    path = real.string();
    break;
  }
  return path;
}

std::vector<OutputLinks::Place> OutputLinks::PlacesIn(std::string_view text) {
  std::vector<Place> places;
  for (size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    size_t begin = colon;
    while (begin > 0 && !EndsName(text[begin - 1]) && text[begin - 1] != ':' &&
           colon - begin < kMaxNameBytes)
      --begin;
    size_t end = colon + 1;
    const uint32_t line = begin < colon ? NumberAt(text, end) : 0;
    if (line == 0) continue;
    // A name of only digits is a time of day.
    const std::string_view name = text.substr(begin, colon - begin);
    if (name.find_first_not_of("0123456789") == name.npos) continue;
    const std::string& path = PathOf(name);
    if (path.empty()) continue;
    uint32_t column = 0;
    if (end + 1 < text.size() && text[end] == ':') {
      size_t behind = end + 1;
      column = NumberAt(text, behind);
      if (column > 0) end = behind;
    }
    places.push_back({begin, end, path, line, column});
    colon = end - 1;
  }
  return places;
}

std::vector<OutputLink> OutputLinks::Find(std::string_view text, PositionEncoding encoding,
                                          std::string& line) {
  const size_t before = line.size();
  std::string all = line;
  all += text;
  const size_t last_line = all.rfind('\n') + 1;  // npos + 1 is 0
  line = all.size() - last_line <= kMaxNameBytes ? all.substr(last_line) : "";

  PlainText plain(all);
  std::vector<OutputLink> links;
  // The bytes of `text` that were converted to columns.
  size_t counted = 0;
  uint32_t columns = 0;
  const auto column_of = [&](size_t at) {
    columns += ColumnsOf(text.substr(counted, at - counted), encoding);
    counted = at;
    return columns;
  };
  for (Place& place : PlacesIn(plain.text())) {
    const size_t begin = std::max(plain.WasAt(place.begin), before);
    const size_t end = plain.WasAt(place.end - 1) + 1;  // before a following sequence
    if (end <= before) continue;
    const uint32_t first = column_of(begin - before);
    links.push_back(
        {first, column_of(end - before), std::move(place.path), place.line, place.column});
  }
  return links;
}

}  // namespace tasklens
