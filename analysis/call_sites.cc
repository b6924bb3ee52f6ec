// SPDX-License-Identifier: Apache-2.0
#include "analysis/call_sites.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/sum.h"
#include "trace/model/questions.h"

namespace tasklens {

CallSites::CallSites(const TraceModel& model) {
  const PointTable& points = model.points;
  std::map<std::tuple<uint64_t, uint64_t, uint64_t>, uint32_t> rows;  // by file, line, function
  for (size_t point = 0; point < points.size(); ++point) {
    if (points.kind[point] != EventKind::kCallSite || points.track[point] == kNone) continue;
    if (rows.empty()) {
      const SiteTable& sites = model.sites;
      for (uint32_t row = 0; row < sites.size(); ++row)
        rows.emplace(std::tuple(sites.file[row], sites.line[row], sites.function[row]), row);
    }
    const PointTable::ArgValues args = points.Args(point);
    const auto row = rows.find({args[1], args[0], args[2]});
    if (row != rows.end())
      calls_.push_back({points.track[point], row->second, points.time_ns[point]});
  }
  std::stable_sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) {
    return std::pair(a.track, a.time_ns) < std::pair(b.track, b.time_ns);
  });
}

uint32_t CallSites::Of(uint32_t track, int64_t since_ns, int64_t start_ns) const {
  const auto after = std::partition_point(calls_.begin(), calls_.end(), [&](const Call& call) {
    return std::pair(call.track, call.time_ns) <= std::pair(track, start_ns);
  });
  if (after == calls_.begin()) return kNone;
  const Call& last = *(after - 1);
  return last.track == track && last.time_ns >= since_ns ? last.site : kNone;
}

namespace {
bool IsWait(StateKind kind) {
  return kind == StateKind::kWaitingTask || kind == StateKind::kWaitingAllTasks ||
         kind == StateKind::kUnpartitioning;
}

void AddWait(WaitCost& cost, uint32_t site, int64_t ns) {
  cost.site = site;
  ++cost.calls;
  AddNs(cost.total_ns, ns);
}

// Calls visit(track, site, begin_ns, end_ns) for each wait with a known line.
template <class Visit>
void ForEachWait(const TraceModel& model, const Visit& visit) {
  const CallSites calls(model);
  if (calls.empty()) return;
  const StateTable& states = model.states;
  for (uint32_t track = 0; track + 1 < states.first_of_track.size(); ++track) {
    int64_t since_ns = model.tracks.start_ns[track];
    for (const uint32_t s : StatesOf(states, track)) {
      if (!IsWait(states.kind[s])) continue;
      const uint32_t site = calls.Of(track, since_ns, states.start_ns[s]);
      // A wait within another, such as that for each part of gathered data, belongs to the outer
      // one.
      const bool is_within = states.start_ns[s] < since_ns;
      since_ns = std::max(since_ns, states.end_ns[s]);
      if (site != kNone && !is_within) visit(track, site, states.start_ns[s], states.end_ns[s]);
    }
  }
}

}  // namespace

std::vector<WaitCost> WaitsBySite(const TraceModel& model) {
  std::map<uint32_t, WaitCost> by_site;
  ForEachWait(model, [&](uint32_t, uint32_t site, int64_t begin_ns, int64_t end_ns) {
    AddWait(by_site[site], site, end_ns - begin_ns);
  });
  std::vector<WaitCost> costs;
  for (const auto& [site, cost] : by_site) costs.push_back(cost);
  std::stable_sort(costs.begin(), costs.end(),
                   [](const WaitCost& a, const WaitCost& b) { return a.total_ns > b.total_ns; });
  return costs;
}

WaitCost LongestWaitWithin(const TraceModel& model, uint32_t rank_index, Span stretch) {
  std::map<uint32_t, WaitCost> by_site;
  ForEachWait(model, [&](uint32_t track, uint32_t site, int64_t begin_ns, int64_t end_ns) {
    const int64_t ns = std::min(end_ns, stretch.end_ns) - std::max(begin_ns, stretch.begin_ns);
    if (model.tracks.rank_index[track] != rank_index || ns <= 0) return;
    AddWait(by_site[site], site, ns);
  });
  WaitCost longest{.site = kNone};
  for (const auto& [site, cost] : by_site)
    if (cost.total_ns > longest.total_ns) longest = cost;
  return longest;
}

}  // namespace tasklens
