// SPDX-License-Identifier: Apache-2.0
// Edit distance, one row at a time.
#include "trace/support/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tasklens {
namespace {

// Letters to insert, delete or replace to get from `a` to `b`.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string_view NearestName(std::string_view typed, std::span<const std::string_view> known) {
  if (typed.size() > 64) return "";
  std::string_view nearest;
  size_t fewest = 0;
  for (const std::string_view name : known) {
    const size_t edits = EditDistance(typed, name);
    if (3 * edits > std::max(name.size(), size_t{3})) continue;
    if (nearest.empty() || edits < fewest) {
      nearest = name;
      fewest = edits;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view typed, std::span<const std::string_view> known) {
  const std::string_view nearest = NearestName(typed, known);
  return nearest.empty() ? "" : " (did you mean '" + std::string(nearest) + "'?)";
}

}  // namespace tasklens
