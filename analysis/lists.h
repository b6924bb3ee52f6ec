// SPDX-License-Identifier: Apache-2.0
// Turns pairs of rows into a list for each first row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

using RowPair = std::pair<uint32_t, uint32_t>;

// Returns the second rows by first row, 0 to `rows` - 1, in the order of `pairs`.
inline Lists<uint32_t> ListsOf(size_t rows, const std::vector<RowPair>& pairs) {
  Lists<uint32_t> lists;
  lists.offsets.assign(rows + 1, 0);
  for (const RowPair& pair : pairs) ++lists.offsets[pair.first + 1];
  for (size_t row = 0; row < rows; ++row) lists.offsets[row + 1] += lists.offsets[row];
  lists.items.resize(pairs.size());
  std::vector<uint32_t> next(lists.offsets.begin(), lists.offsets.end() - 1);
  for (const RowPair& pair : pairs) lists.items[next[pair.first]++] = pair.second;
  return lists;
}

}  // namespace tasklens
