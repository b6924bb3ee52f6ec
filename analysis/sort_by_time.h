// SPDX-License-Identifier: Apache-2.0
// Sorts events by time, in linear time.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <future>
#include <span>
#include <utility>
#include <vector>

#include "trace/support/beside.h"
#include "trace/support/pages.h"

namespace tasklens {
namespace sort_by_time {

inline constexpr int kBits = 11;
inline constexpr size_t kDigits = size_t{1} << kBits;

inline constexpr size_t kWorthAThread = 500'000;

// The ends of the ranges of each digit.
using Ends = std::array<size_t, kDigits>;

// Copies `from` into `to`, sorted by a digit of eleven bits of the time since `begin_ns`, stable.
template <class T>
Ends Distribute(std::span<const T> from, std::span<T> to, int64_t begin_ns, int shift) {
  const auto digit = [&](const T& moment) {
    return static_cast<uint64_t>(moment.time_ns - begin_ns) >> shift & (kDigits - 1);
  };
  Ends next{};
  for (const T& moment : from) ++next[digit(moment)];
  size_t before = 0;
  for (size_t& count : next) before += std::exchange(count, before);
  for (const T& moment : from) to[next[digit(moment)]++] = moment;
  return next;
}

// Sorts `moments` whose times differ only in the lowest `bits` bits.
template <class T>
void SortPart(std::span<T> moments, std::span<T> scratch, int64_t begin_ns, int bits) {
  const auto earlier = [](const T& a, const T& b) { return a.time_ns < b.time_ns; };
  if (std::is_sorted(moments.begin(), moments.end(), earlier)) return;
  if (moments.size() < kDigits / 4) {
    std::stable_sort(moments.begin(), moments.end(), earlier);
    return;
  }
  std::span<T> from = moments, to = scratch;
  for (int shift = 0; shift < bits; shift += kBits) {
    Distribute<T>(from, to, begin_ns, shift);
    std::swap(from, to);
  }
  if (from.data() != moments.data()) std::copy(from.begin(), from.end(), moments.begin());
}

}  // namespace sort_by_time

// Sorts by the member `time_ns`, stable; does nothing if in order already. First into parts by the
// highest bits of the time, then each part, which fits into the processor's cache, by the others;
// many elements are sorted on two threads. REQUIRES: 0 <= time_ns.
template <class T>
void SortByTime(std::vector<T>& moments) {
  using namespace sort_by_time;
  const auto earlier = [](const T& a, const T& b) { return a.time_ns < b.time_ns; };
  if (std::is_sorted(moments.begin(), moments.end(), earlier)) return;
  if (moments.size() < kDigits) {
    std::stable_sort(moments.begin(), moments.end(), earlier);
    return;
  }
  const auto [first, last] = std::minmax_element(moments.begin(), moments.end(), earlier);
  const int64_t begin_ns = first->time_ns;
  const auto length = static_cast<uint64_t>(last->time_ns - begin_ns);
  const int low_bits = std::max(0, static_cast<int>(std::bit_width(length)) - kBits);
  std::vector<T> sorted;
  sorted.reserve(moments.size());
  TakePages(sorted.data(), moments.size() * sizeof(T));
  sorted.resize(moments.size());
  const Ends ends = Distribute<T>(moments, sorted, begin_ns, low_bits);
  std::atomic<size_t> next = 0;
  const auto sort_parts = [&] {
    for (size_t part; (part = next++) < kDigits;) {
      const size_t begin = part == 0 ? 0 : ends[part - 1], size = ends[part] - begin;
      SortPart<T>(std::span(sorted).subspan(begin, size), std::span(moments).subspan(begin, size),
                  begin_ns, low_bits);
    }
  };
  std::future<void> second = BesideIf(moments.size() >= kWorthAThread, sort_parts);
  sort_parts();
  second.get();
  moments.swap(sorted);
}

}  // namespace tasklens
