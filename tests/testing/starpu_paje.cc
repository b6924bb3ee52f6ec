// SPDX-License-Identifier: Apache-2.0
// The paje.trace files that StarPU's tool writes: see starpu_paje.h.
#include "tests/testing/starpu_paje.h"

#include <algorithm>
#include <cstdlib>

namespace tasklens::testing {
namespace {

constexpr int kDefineValue = 6, kSetState = 10, kPushState = 11, kPopState = 12;
constexpr int kFirstWithTime = 7;

bool SetsState(int id) { return id == kSetState || id == 20 || id == 26; }

std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words;
  for (size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == '\t') {
      ++at;
      continue;
    }
    const bool quoted = line[at] == '"';
    const size_t end = quoted ? line.find('"', at + 1) : line.find_first_of(" \t", at);
    const size_t begin = at + quoted;
    words.emplace_back(line.substr(begin, std::min(end, line.size()) - begin));
    at = end == line.npos ? line.size() : end + 1;
  }
  return words;
}

}  // namespace

StarpuPaje ParseStarpuPaje(std::string_view text) {
  StarpuPaje paje;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line[0] < '0' || line[0] > '9') continue;
    std::vector<std::string> words = Words(line);
    const int id = std::atoi(words[0].c_str());
    if (id == kDefineValue) paje.state_names[words[2] + " " + words[1]] = words[3];
    if (id < kFirstWithTime || words.size() < 2) continue;
    const auto time_ns =
        static_cast<int64_t>(std::strtold(words[1].c_str(), nullptr) * 1e6L + 0.5L);
    paje.lines.push_back({id, time_ns, {words.begin() + 2, words.end()}});
  }
  return paje;
}

std::vector<ShownState> Tidy(const std::vector<ShownState>& states) {
  std::vector<ShownState> tidy;
  for (const ShownState& state : states) {
    if (state.begin_ns >= state.end_ns) continue;
    if (!tidy.empty() && tidy.back().name == state.name && tidy.back().end_ns == state.begin_ns)
      tidy.back().end_ns = state.end_ns;
    else
      tidy.push_back(state);
  }
  return tidy;
}

std::vector<ShownState> ShownStates(const StarpuPaje& paje, std::string_view alias,
                                    std::string_view type, int64_t end_ns) {
  std::vector<const StarpuPajeLine*> lines;
  for (const StarpuPajeLine& line : paje.lines) {
    const bool is_state = SetsState(line.id) || line.id == kPushState || line.id == kPopState;
    if (is_state && line.fields[0] == alias && line.fields[1] == type) lines.push_back(&line);
  }
  std::stable_sort(
      lines.begin(), lines.end(),
      [](const StarpuPajeLine* a, const StarpuPajeLine* b) { return a->time_ns < b->time_ns; });
  std::vector<ShownState> shown;
  std::vector<std::string> stack;
  for (size_t i = 0; i < lines.size(); ++i) {
    const StarpuPajeLine& line = *lines[i];
    if (SetsState(line.id)) stack.clear();
    if (line.id == kPopState) {
      if (!stack.empty()) stack.pop_back();
    } else {
      auto name = paje.state_names.find(std::string(type) + " " + line.fields[2]);
      // StarPU uses some values on rows of a type for which it does not define them.
      if (name == paje.state_names.end()) name = paje.state_names.find("WS " + line.fields[2]);
      stack.push_back(name == paje.state_names.end() ? line.fields[2] : name->second);
    }
    const int64_t until_ns = i + 1 < lines.size() ? lines[i + 1]->time_ns : end_ns;
    shown.push_back({line.time_ns, until_ns, stack.empty() ? "" : stack.back()});
  }
  return Tidy(shown);
}

}  // namespace tasklens::testing
