// SPDX-License-Identifier: Apache-2.0
// Sorting columns by time, at no cost when they are in order already.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "trace/model/column.h"

namespace tasklens {

// Returns the order that sorts rows 0 .. rows - 1 by before(row, row), stable; empty if they are
// sorted already. Rows that are only slightly out of order cost little more than one pass: the few
// late rows are taken out, sorted and merged back.
template <class Before>
std::vector<uint32_t> OrderOfNearlySorted(uint32_t rows, Before before) {
  bool sorted = true;
  for (uint32_t row = 1; row < rows && sorted; ++row) sorted = !before(row, row - 1);
  if (sorted) return {};
  std::vector<uint32_t> in_order, late;
  in_order.reserve(rows);
  for (uint32_t row = 0; row < rows; ++row)
    (in_order.empty() || !before(row, in_order.back()) ? in_order : late).push_back(row);
  std::stable_sort(late.begin(), late.end(), before);
  std::vector<uint32_t> order;
  order.reserve(rows);
  // Of equal rows the lower one goes first, whichever list it is in.
  std::merge(in_order.begin(), in_order.end(), late.begin(), late.end(), std::back_inserter(order),
             [&](uint32_t a, uint32_t b) {
               if (before(a, b)) return true;
               return a < b && !before(b, a);
             });
  return order;
}

// Returns the order that sorts `times`, stable; empty if they are sorted already. Times that are
// only slightly out of order (as in every trace of several threads) cost little more than one pass.
std::vector<uint32_t> OrderByTime(std::span<const int64_t> times);
std::vector<uint32_t> OrderByTime(const Column<int64_t>& times);

// Returns all of `values`, sorted; slightly unsorted values cost little more than one pass.
std::vector<int64_t> SortedValues(const Column<int64_t>& values);

// Puts the columns into `order`; an empty order changes nothing.
template <class T>
void ReorderOne(std::span<const uint32_t> order, std::vector<T>& column) {
  std::vector<T> sorted;
  sorted.reserve(column.size());
  for (uint32_t row : order) sorted.push_back(column[row]);
  column = std::move(sorted);
}
template <class... Columns>
void Reorder(std::span<const uint32_t> order, Columns&... columns) {
  if (!order.empty()) (ReorderOne(order, columns), ...);
}

}  // namespace tasklens
