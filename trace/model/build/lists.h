// SPDX-License-Identifier: Apache-2.0
// Making PackedLists (offsets and items) from flat records.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "trace/model/column.h"

namespace tasklens::build {

// `rows` lists of `records` items: item(record) goes to list row[record], in the order of records.
// `store`: see PackedWords.
template <class Items, class Item>
PackedLists<Items> MakeLists(size_t rows, size_t records, const Column<uint32_t>& row, Item item,
                             BlockStore* store = nullptr) {
  PackedLists<Items> lists;
  lists.UseStore(store);
  if (records == 0) return lists;
  std::vector<uint32_t> next(rows + 1, 0);
  row.ForEach(0, records, [&](size_t, uint32_t list) { ++next[list + 1]; });
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (size_t i = 0; i < rows; ++i) lists.offsets.push_back(next[i + 1]);
  // Sort the records first: columns are packed as they grow if they are filled from front to back.
  std::vector<uint32_t> order(records);
  row.ForEach(0, records, [&](size_t record, uint32_t list) {
    order[next[list]++] = static_cast<uint32_t>(record);
  });
  for (size_t i = 0; i < records; ++i) lists.items.Set(i, item(order[i]));
  lists.items.Resize(records);  // the last items may be the default, which writes nothing
  return lists;
}

// Keeps the first of the items of a list with the same key.
template <class Items, class Key>
void RemoveDoubles(PackedLists<Items>& lists, Key key) {
  constexpr size_t kShort = 16;
  std::vector<uint32_t> keys;
  std::vector<std::pair<uint32_t, uint32_t>> seen;  // (key, position), for long lists
  std::vector<bool> drop;
  size_t kept = 0, begin = 0;
  for (size_t row = 0; row < lists.size(); ++row) {
    const size_t end = lists.offsets[row + 1];
    const size_t count = end - begin;
    drop.assign(count, false);
    keys.clear();
    for (size_t i = begin; i < end; ++i) keys.push_back(key(lists.items[i]));
    if (count <= kShort) {
      for (size_t i = 1; i < count; ++i)
        for (size_t j = 0; j < i && !drop[i]; ++j) drop[i] = keys[i] == keys[j];
    } else {
      seen.clear();
      for (uint32_t i = 0; i < count; ++i) seen.emplace_back(keys[i], i);
      std::sort(seen.begin(), seen.end());
      for (size_t i = 1; i < count; ++i)
        if (seen[i].first == seen[i - 1].first) drop[seen[i].second] = true;
    }
    for (size_t i = begin; i < end; ++i) {
      if (drop[i - begin]) continue;
      if (kept != i) lists.items.Set(kept, lists.items[i]);
      ++kept;
    }
    begin = end;
    if (kept != end) lists.offsets.Set(row + 1, static_cast<uint32_t>(kept));
  }
  lists.items.Resize(kept);
}

}  // namespace tasklens::build
