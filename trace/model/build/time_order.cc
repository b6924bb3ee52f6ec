// SPDX-License-Identifier: Apache-2.0
// Rows by their times.
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

}  // namespace tasklens
