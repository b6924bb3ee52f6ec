// SPDX-License-Identifier: Apache-2.0
// Making Lists (offsets and items) from flat records.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "trace/model/column.h"

namespace tasklens::build {

// `rows` lists from `records`: item(record) goes to list row(record), in the order of the records.
template <class T, class Record, class Row, class Item>
Lists<T> MakeLists(size_t rows, const std::vector<Record>& records, Row row, Item item) {
  Lists<T> lists;
  if (records.empty()) return lists;
  lists.offsets.assign(rows + 1, 0);
  lists.items.resize(records.size());
  for (const Record& record : records) ++lists.offsets[row(record) + 1];
  std::partial_sum(lists.offsets.begin(), lists.offsets.end(), lists.offsets.begin());
  // Filling moves each offset to its list's end, that is, to where the next one began.
  for (const Record& record : records) lists.items[lists.offsets[row(record)]++] = item(record);
  for (size_t i = rows; i > 0; --i) lists.offsets[i] = lists.offsets[i - 1];
  lists.offsets[0] = 0;
  return lists;
}

// Keeps the first of the items of a list that have the same key.
template <class T, class Key>
void RemoveDoubles(Lists<T>& lists, Key key) {
  constexpr size_t kShort = 16;
  std::vector<std::pair<uint32_t, uint32_t>> seen;  // (key, position), for long lists
  std::vector<bool> drop;
  size_t kept = 0, begin = 0;
  for (size_t row = 0; row < lists.size(); ++row) {
    const size_t end = lists.offsets[row + 1];
    const size_t count = end - begin;
    drop.assign(count, false);
    if (count <= kShort) {
      for (size_t i = 1; i < count; ++i)
        for (size_t j = 0; j < i && !drop[i]; ++j)
          drop[i] = key(lists.items[begin + i]) == key(lists.items[begin + j]);
    } else {
      seen.clear();
      for (uint32_t i = 0; i < count; ++i) seen.emplace_back(key(lists.items[begin + i]), i);
      std::sort(seen.begin(), seen.end());
      for (size_t i = 1; i < count; ++i)
        if (seen[i].first == seen[i - 1].first) drop[seen[i].second] = true;
    }
    for (size_t i = 0; i < count; ++i)
      if (!drop[i]) lists.items[kept++] = lists.items[begin + i];
    begin = end;
    lists.offsets[row + 1] = static_cast<uint32_t>(kept);
  }
  lists.items.resize(kept);
}

}  // namespace tasklens::build
