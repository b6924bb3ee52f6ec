// SPDX-License-Identifier: Apache-2.0
// A stable sort for nearly sorted times: the few late rows are taken out, sorted and merged back.
#include "trace/model/build/time_order.h"

#include <algorithm>
#include <limits>

namespace tasklens {
namespace {

template <class Times>
std::vector<uint32_t> Order(const Times& times) {
  if (std::is_sorted(times.begin(), times.end())) return {};
  const auto earlier = [&](uint32_t a, uint32_t b) { return times[a] < times[b]; };
  std::vector<uint32_t> in_order, late;
  in_order.reserve(times.size());
  int64_t latest = std::numeric_limits<int64_t>::min();
  for (uint32_t row = 0; row < times.size(); ++row) {
    if (times[row] < latest) {
      late.push_back(row);
    } else {
      in_order.push_back(row);
      latest = times[row];
    }
  }
  std::stable_sort(late.begin(), late.end(), earlier);
  std::vector<uint32_t> order;
  order.reserve(times.size());
  // At equal times the row that came first goes first, from whichever list.
  std::merge(
      in_order.begin(), in_order.end(), late.begin(), late.end(), std::back_inserter(order),
      [&](uint32_t a, uint32_t b) { return times[a] != times[b] ? times[a] < times[b] : a < b; });
  return order;
}

}  // namespace

std::vector<uint32_t> OrderByTime(std::span<const int64_t> times) { return Order(times); }
std::vector<uint32_t> OrderByTime(const Column<int64_t>& times) { return Order(times); }

}  // namespace tasklens
