// SPDX-License-Identifier: Apache-2.0
// Sums of durations from traces, which are untrusted and may be huge.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tasklens {

// 36 years, over all workers; a few sums of this size still fit into an int64_t.
inline constexpr int64_t kMostNs = int64_t{1} << 60;

// sum += ns, at most kMostNs. REQUIRES: 0 <= sum <= kMostNs, 0 <= ns.
inline void AddNs(int64_t& sum, int64_t ns) { sum += std::min(ns, kMostNs - sum); }

// Returns the first key with the largest value; `none` if `sums` is empty.
template <class Sums>
typename Sums::key_type KeyOfMost(const Sums& sums, typename Sums::key_type none) {
  const auto most = std::max_element(
      sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == sums.end() ? none : most->first;
}

}  // namespace tasklens
