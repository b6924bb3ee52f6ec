// SPDX-License-Identifier: Apache-2.0
// Sorting columns by time, at no cost when they are in order already.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/model/column.h"

namespace tasklens {

// The order that sorts `times`, stable; empty when they are sorted as they are. Times that are only
// slightly out of order (as in every trace of several threads) cost little more than a pass.
std::vector<uint32_t> OrderByTime(std::span<const int64_t> times);
std::vector<uint32_t> OrderByTime(const Column<int64_t>& times);

// Puts `column` into `order`, which may be empty (nothing to do).
template <class T>
void Reorder(std::vector<T>& column, std::span<const uint32_t> order) {
  if (order.empty()) return;
  std::vector<T> sorted;
  sorted.reserve(column.size());
  for (uint32_t row : order) sorted.push_back(column[row]);
  column = std::move(sorted);
}

}  // namespace tasklens
