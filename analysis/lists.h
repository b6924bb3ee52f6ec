// SPDX-License-Identifier: Apache-2.0
// Turns rows and pairs of rows into lists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

using RowPair = std::pair<uint32_t, uint32_t>;

// Returns so many lists: number list_of(i) has item_of(i), for 0 <= i < `count`, in this order.
// What is for a list beyond the last is left out.
template <class ListOf, class ItemOf>
Lists<uint32_t> MakeLists(size_t lists, size_t count, const ListOf& list_of,
                          const ItemOf& item_of) {
  Lists<uint32_t> made;
  made.offsets.assign(lists + 1, 0);
  for (size_t i = 0; i < count; ++i)
    if (list_of(i) < lists) ++made.offsets[list_of(i) + 1];
  for (size_t list = 0; list < lists; ++list) made.offsets[list + 1] += made.offsets[list];
  made.items.resize(made.offsets.back());
  std::vector<uint32_t> next(made.offsets.begin(), made.offsets.end() - 1);
  for (size_t i = 0; i < count; ++i)
    if (list_of(i) < lists) made.items[next[list_of(i)]++] = item_of(i);
  return made;
}

// Returns the second rows by first row, 0 to `rows` - 1, in the order of `pairs`.
inline Lists<uint32_t> ListsOf(size_t rows, const std::vector<RowPair>& pairs) {
  return MakeLists(
      rows, pairs.size(), [&](size_t i) { return pairs[i].first; },
      [&](size_t i) { return pairs[i].second; });
}
// The same the other way round: the first rows by second row.
inline Lists<uint32_t> ListsBySecond(size_t rows, const std::vector<RowPair>& pairs) {
  return MakeLists(
      rows, pairs.size(), [&](size_t i) { return pairs[i].second; },
      [&](size_t i) { return pairs[i].first; });
}

template <class T>
void SortAndMakeUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace tasklens
