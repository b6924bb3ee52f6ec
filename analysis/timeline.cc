// SPDX-License-Identifier: Apache-2.0
// Binary searches for the states of a pixel, a pyramid for the one to show.
#include "analysis/timeline.h"

#include <algorithm>

#include "analysis/pixels.h"

namespace tasklens {

TimelineIndex::TimelineIndex(const TraceModel& model) : model_(model), rows_(model.tracks.size()) {
  const StateTable& states = model.states;
  for (uint32_t track = 0; track + 1 < states.first_of_track.size(); ++track) {
    std::vector<Row>& depths = rows_[track];
    for (uint32_t s = states.first_of_track[track]; s < states.first_of_track[track + 1]; ++s) {
      if (states.depth[s] >= depths.size()) depths.resize(states.depth[s] + 1);
      depths[states.depth[s]].states.push_back(s);
    }
    for (Row& row : depths)
      row.weightiest =
          MaxPyramid(row.states.size(), [&](uint32_t i) { return Weight(row.states[i]); });
  }
}

std::pair<uint32_t, int64_t> TimelineIndex::Weight(uint32_t state) const {
  const StateTable& states = model_.states;
  const StateGroup group = Decl(states.kind[state]).group;
  const uint32_t matters = group == StateGroup::kTask ? 2 : group == StateGroup::kOther ? 0 : 1;
  return {matters, states.end_ns[state] - states.start_ns[state]};
}

std::pair<size_t, size_t> TimelineIndex::Range(const Row& row, int64_t begin_ns, int64_t end_ns,
                                               size_t from) const {
  const StateTable& states = model_.states;
  const size_t first = FirstNot(from, row.states.size(), [&](size_t i) {
    const uint32_t s = row.states[i];
    return states.end_ns[s] <= begin_ns && states.start_ns[s] < begin_ns;
  });
  const size_t last = FirstNot(first, row.states.size(),
                               [&](size_t i) { return states.start_ns[row.states[i]] < end_ns; });
  return {first, last};
}

std::vector<uint32_t> TimelineIndex::StatesIn(uint32_t track, uint32_t depth, int64_t begin_ns,
                                              int64_t end_ns) const {
  if (depth >= rows_[track].size()) return {};
  const Row& row = rows_[track][depth];
  const auto [first, last] = Range(row, begin_ns, end_ns);
  return {row.states.begin() + static_cast<std::ptrdiff_t>(first),
          row.states.begin() + static_cast<std::ptrdiff_t>(last)};
}

std::vector<TimelineSlice> TimelineIndex::Slices(uint32_t track, uint32_t depth, int64_t begin_ns,
                                                 int64_t end_ns, uint32_t pixels) const {
  std::vector<TimelineSlice> slices;
  if (depth >= rows_[track].size()) return slices;
  const Row& row = rows_[track][depth];
  const StateTable& states = model_.states;
  const auto weight = [&](uint32_t i) { return Weight(row.states[i]); };
  const Pixels view{begin_ns, end_ns, pixels};
  size_t seen = 0;  // no state before this one matters any more
  for (uint64_t pixel = 0; pixel < pixels;) {
    const int64_t from_ns = view.Start(pixel);
    const int64_t to_ns = view.Start(pixel + 1);
    const auto [first, last] = Range(row, from_ns, to_ns, seen);
    seen = first;
    ++pixel;
    if (first == last) {
      // Nothing here: go on at the pixel where the next state begins.
      if (first == row.states.size()) break;
      const int64_t next_ns = states.start_ns[row.states[first]];
      if (next_ns >= end_ns) break;
      while (pixel < pixels && view.Start(pixel + 1) <= next_ns) ++pixel;
      continue;
    }
    if (last - first == 1) {
      const uint32_t state = row.states[first];
      const int64_t until_ns = std::min(states.end_ns[state], end_ns);
      if (slices.empty() || slices.back().state != state || slices.back().count != 1)
        slices.push_back({std::max(states.start_ns[state], from_ns), until_ns, state, 1});
      // All pixels that this state fills alone are done.
      while (pixel < pixels && view.Start(pixel + 1) <= until_ns) ++pixel;
      continue;
    }
    const uint32_t shown = row.states[row.weightiest.Largest(first, last, weight)];
    // A state that began in an earlier pixel and was drawn to its end gives way to this pixel.
    if (!slices.empty() && slices.back().end_ns > from_ns) slices.back().end_ns = from_ns;
    slices.push_back({from_ns, to_ns, shown, static_cast<uint32_t>(last - first)});
  }
  return slices;
}

}  // namespace tasklens
