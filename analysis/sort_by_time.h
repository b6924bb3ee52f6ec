// SPDX-License-Identifier: Apache-2.0
// Sorts what has a time, in linear time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tasklens {

// Sorts by the member `time_ns`, stable: eleven bits of the time since the first one at a time, or
// not at all where they are in order. REQUIRES: 0 <= time_ns.
template <class T>
void SortByTime(std::vector<T>& moments) {
  constexpr int kBits = 11;
  constexpr uint64_t kDigits = 1 << kBits;
  const auto earlier = [](const T& a, const T& b) { return a.time_ns < b.time_ns; };
  if (std::is_sorted(moments.begin(), moments.end(), earlier)) return;
  if (moments.size() < kDigits) {
    std::stable_sort(moments.begin(), moments.end(), earlier);
    return;
  }
  const auto [first, last] = std::minmax_element(moments.begin(), moments.end(), earlier);
  const int64_t begin_ns = first->time_ns;
  const auto length = static_cast<uint64_t>(last->time_ns - begin_ns);
  std::vector<T> sorted(moments.size());
  for (int shift = 0; shift < 64 && length >> shift > 0; shift += kBits) {
    const auto digit = [&](const T& moment) {
      return static_cast<uint64_t>(moment.time_ns - begin_ns) >> shift & (kDigits - 1);
    };
    std::array<size_t, kDigits> next{};
    for (const T& moment : moments) ++next[digit(moment)];
    size_t before = 0;
    for (size_t& count : next) before += std::exchange(count, before);
    for (const T& moment : moments) sorted[next[digit(moment)]++] = moment;
    moments.swap(sorted);
  }
}

}  // namespace tasklens
