// SPDX-License-Identifier: Apache-2.0
// Orders rows by their times.
#include "trace/model/build/time_order.h"

namespace tasklens {
namespace {

template <class Times>
std::vector<uint32_t> Order(const Times& times) {
  return OrderOfNearlySorted(static_cast<uint32_t>(times.size()),
                             [&](uint32_t a, uint32_t b) { return times[a] < times[b]; });
}

}  // namespace

std::vector<uint32_t> OrderByTime(std::span<const int64_t> times) { return Order(times); }

std::vector<uint32_t> OrderByTime(const Column<int64_t>& times) {
  return times.IsSorted() ? std::vector<uint32_t>() : Order(times);
}

std::vector<int64_t> SortedValues(const Column<int64_t>& values) {
  std::vector<int64_t> in_order, late;
  in_order.reserve(values.size());
  values.ForEach(0, values.size(), [&](size_t, int64_t value) {
    (in_order.empty() || in_order.back() <= value ? in_order : late).push_back(value);
  });
  if (late.empty()) return in_order;
  std::sort(late.begin(), late.end());
  std::vector<int64_t> sorted(values.size());
  std::merge(in_order.begin(), in_order.end(), late.begin(), late.end(), sorted.begin());
  return sorted;
}

}  // namespace tasklens
