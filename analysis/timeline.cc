// SPDX-License-Identifier: Apache-2.0
// Binary searches for the states of a pixel, a pyramid for the longest of them.
#include "analysis/timeline.h"

#include <algorithm>

namespace tasklens {
namespace {

// The start of pixel `pixel` of `pixels` between begin and end, without overflow for any times.
int64_t PixelStart(int64_t begin_ns, int64_t end_ns, uint32_t pixels, uint64_t pixel) {
  const auto width =
      static_cast<unsigned __int128>(end_ns) - static_cast<unsigned __int128>(begin_ns);
  return begin_ns + static_cast<int64_t>(width * pixel / pixels);
}

// The first index in [from, size) for which `holds` is false, where it is true before and false
// after. Cheap when that is near `from`, as from one pixel to the next.
template <class Holds>
size_t FirstNot(size_t from, size_t size, const Holds& holds) {
  size_t low = from, step = 1;
  while (low + step <= size && holds(low + step - 1)) {
    low += step;
    step *= 2;
  }
  size_t high = std::min(size, low + step);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

TimelineIndex::TimelineIndex(const TraceModel& model) : model_(model), rows_(model.tracks.size()) {
  const StateTable& states = model.states;
  for (uint32_t track = 0; track + 1 < states.first_of_track.size(); ++track) {
    std::vector<Row>& depths = rows_[track];
    for (uint32_t s = states.first_of_track[track]; s < states.first_of_track[track + 1]; ++s) {
      if (states.depth[s] >= depths.size()) depths.resize(states.depth[s] + 1);
      depths[states.depth[s]].states.push_back(s);
    }
    for (Row& row : depths)
      row.longest = MaxPyramid(row.states.size(), [&](uint32_t i) {
        return states.end_ns[row.states[i]] - states.start_ns[row.states[i]];
      });
  }
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
  const auto length = [&](uint32_t i) {
    return states.end_ns[row.states[i]] - states.start_ns[row.states[i]];
  };
  size_t seen = 0;  // no state before this one matters any more
  for (uint64_t pixel = 0; pixel < pixels;) {
    const int64_t from_ns = PixelStart(begin_ns, end_ns, pixels, pixel);
    const int64_t to_ns = PixelStart(begin_ns, end_ns, pixels, pixel + 1);
    const auto [first, last] = Range(row, from_ns, to_ns, seen);
    seen = first;
    ++pixel;
    if (first == last) {
      // Nothing here: go on at the pixel where the next state begins.
      if (first == row.states.size()) break;
      const int64_t next_ns = states.start_ns[row.states[first]];
      if (next_ns >= end_ns) break;
      while (pixel < pixels && PixelStart(begin_ns, end_ns, pixels, pixel + 1) <= next_ns) ++pixel;
      continue;
    }
    if (last - first == 1) {
      const uint32_t state = row.states[first];
      const int64_t until_ns = std::min(states.end_ns[state], end_ns);
      if (slices.empty() || slices.back().state != state || slices.back().count != 1)
        slices.push_back({std::max(states.start_ns[state], from_ns), until_ns, state, 1});
      // All pixels that this state fills alone are done.
      while (pixel < pixels && PixelStart(begin_ns, end_ns, pixels, pixel + 1) <= until_ns) ++pixel;
      continue;
    }
    const uint32_t longest = row.states[row.longest.Largest(first, last, length)];
    // A state that began in an earlier pixel and was drawn to its end gives way to this pixel.
    if (!slices.empty() && slices.back().end_ns > from_ns) slices.back().end_ns = from_ns;
    slices.push_back({from_ns, to_ns, longest, static_cast<uint32_t>(last - first)});
  }
  return slices;
}

}  // namespace tasklens
