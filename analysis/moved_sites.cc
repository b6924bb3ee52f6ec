// SPDX-License-Identifier: Apache-2.0
// Aligns sites by the longest common subsequence, with a weight for each pair.
#include "analysis/moved_sites.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/statistics.h"

namespace tasklens {
namespace {

struct Place {
  uint32_t line = 0;
  std::string label;
  std::set<std::string_view> functions, codelets;
};
using Places = std::vector<Place>;                 // sites of one file, by line
using Files = std::map<std::string_view, Places>;  // by path

Files FilesOf(const TraceModel& model, Stop stop) {
  std::map<std::pair<std::string_view, uint32_t>, Place> places;
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    if (Stopped(stop, task)) return {};
    const uint32_t site = model.tasks.site[task];
    if (site >= model.sites.size()) continue;
    Place& place = places[{model.str(model.sites.file[site]), model.sites.line[site]}];
    if (place.label.empty()) place.label = StatisticsLabel(model, StatisticsBy::kSite, site);
    place.line = model.sites.line[site];
    place.functions.insert(model.str(model.sites.function[site]));
    place.codelets.insert(model.TaskNameOf(task));
  }
  Files files;
  for (auto& [key, place] : places) files[key.first].push_back(std::move(place));
  return files;
}

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Returns the paths that are in `files` but not in `others`, by name; names with several paths are
// left out.
std::map<std::string_view, std::string_view> Alone(const Files& files, const Files& others) {
  std::map<std::string_view, std::string_view> alone;
  for (const auto& [path, places] : files)
    if (!others.contains(path) && !alone.try_emplace(NameOf(path), path).second)
      alone[NameOf(path)] = "";
  return alone;
}

// The weight of a pair of sites: codelets count before functions, and these before lines.
uint64_t Weight(const Place& a, const Place& b) {
  constexpr uint64_t kLine = 1, kFunction = 2 * kMostAligned, kCodelets = kFunction * kFunction;
  const bool same_line = a.line == b.line;
  if (a.codelets != b.codelets) return same_line ? kLine : 0;
  return kCodelets + (a.functions == b.functions ? kFunction : 0) + (same_line ? kLine : 0);
}

// Adds the pairs of the heaviest alignment.
void Align(const Places& before, const Places& after, std::map<std::string, std::string>& same) {
  const size_t rows = before.size(), columns = after.size();
  if (rows * columns > kMostAligned * kMostAligned) {
    for (const Place& place : before) {
      const auto it = std::lower_bound(after.begin(), after.end(), place.line,
                                       [](const Place& p, uint32_t line) { return p.line < line; });
      if (it != after.end() && it->line == place.line) same[place.label] = it->label;
    }
    return;
  }
  // best[i][j]: best weight for the sites from i on before and from j on after.
  std::vector<uint64_t> best((rows + 1) * (columns + 1));
  const auto at = [&](size_t i, size_t j) -> uint64_t& { return best[i * (columns + 1) + j]; };
  for (size_t i = rows; i-- > 0;)
    for (size_t j = columns; j-- > 0;) {
      const uint64_t weight = Weight(before[i], after[j]);
      at(i, j) = std::max({at(i + 1, j), at(i, j + 1), weight ? at(i + 1, j + 1) + weight : 0});
    }
  for (size_t i = 0, j = 0; i < rows && j < columns;) {
    const uint64_t weight = Weight(before[i], after[j]);
    if (weight && at(i, j) == at(i + 1, j + 1) + weight) {
      same[before[i++].label] = after[j++].label;
    } else if (at(i, j) == at(i + 1, j)) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace

std::map<std::string, std::string> MatchSites(const TraceModel& before, const TraceModel& after,
                                              Stop stop) {
  const Files files_before = FilesOf(before, stop), files_after = FilesOf(after, stop);
  const auto alone_before = Alone(files_before, files_after);
  const auto alone_after = Alone(files_after, files_before);
  std::map<std::string, std::string> same;
  for (const auto& [path, places] : files_before) {
    if (Stopped(stop)) return same;
    auto other = files_after.find(path);
    if (other == files_after.end()) {
      const auto mine = alone_before.find(NameOf(path)), theirs = alone_after.find(NameOf(path));
      if (mine->second.empty() || theirs == alone_after.end() || theirs->second.empty()) continue;
      other = files_after.find(theirs->second);
    }
    Align(places, other->second, same);
  }
  return same;
}

}  // namespace tasklens
