// SPDX-License-Identifier: Apache-2.0
// Looks for a colon with a number behind it and a name before it.
#include "server/session/output_links.h"

#include <charconv>
#include <filesystem>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNameBytes = 4096;
constexpr size_t kMaxKnown = 4096;  // names that are remembered; a program may write any number

bool EndsName(char c) {
  return std::string_view(" \t\r\n\"'`()[]{}<>,;=|").find(c) != std::string_view::npos;
}

// The number from 1 that begins at `at`, or 0; `at` moves behind it.
uint32_t NumberAt(std::string_view text, size_t& at) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (error != std::errc()) return 0;
  at = static_cast<size_t>(end - text.data());
  return number;
}

}  // namespace

const std::string& OutputLinks::PathOf(std::string_view name) {
  if (const auto it = known_.find(name); it != known_.end()) return it->second;
  if (known_.size() >= kMaxKnown) known_.clear();
  std::string& path = known_[std::string(name)];
  std::vector<fs::path> candidates = {fs::path(directory_) / name};
  for (const std::string& root : roots_.folders) candidates.push_back(fs::path(root) / name);
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    const fs::path real = fs::canonical(candidate, error);
    if (error || !fs::is_regular_file(real, error) || !roots_.Contains(real.string())) continue;
    path = real.string();
    break;
  }
  return path;
}

std::vector<OutputLink> OutputLinks::Find(std::string_view text) {
  std::vector<OutputLink> links;
  for (size_t colon = text.find(':'); colon != text.npos; colon = text.find(':', colon + 1)) {
    size_t begin = colon;
    while (begin > 0 && !EndsName(text[begin - 1]) && text[begin - 1] != ':' &&
           colon - begin < kMaxNameBytes)
      --begin;
    size_t end = colon + 1;
    const uint32_t line = begin < colon ? NumberAt(text, end) : 0;
    if (line == 0) continue;
    // A name of digits alone is a time of day.
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
    links.push_back({begin, end, path, line, column});
    colon = end - 1;
  }
  return links;
}

}  // namespace tasklens
