// SPDX-License-Identifier: Apache-2.0
// Merges several rows.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "converters/paraver_views/steps.h"

namespace tasklens {

// Calls f(time, values of all rows, row) at each time at which a burst of any of `rows` begins.
// `row` is the row of this burst; the last one if there are several; the first one at time 0, when
// all begin.
template <class F>
void ForMerged(std::span<const Steps* const> rows, F f) {
  using Next = std::pair<int64_t, size_t>;  // (time, row)
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  std::vector<size_t> at(rows.size(), 0);
  std::vector<double> values(rows.size(), 0);
  for (size_t row = 0; row < rows.size(); ++row) next.emplace(0, row);
  while (!next.empty()) {
    const int64_t time = next.top().first;
    size_t changed = 0;
    while (!next.empty() && next.top().first == time) {
      const size_t row = next.top().second;
      next.pop();
      if (at[row] > 0) changed = row;
      const std::vector<Step>& steps = rows[row]->steps();
      values[row] = steps[at[row]].value;
      if (++at[row] < steps.size()) next.emplace(steps[at[row]].begin, row);
    }
    f(time, values, changed);
  }
}

// Returns one row of f(values of all rows, the row that changed last).
template <class F>
Steps Merge(std::span<const Steps* const> rows, F f) {
  Steps result;
  if (rows.size() == 1) {  // keeps the bursts of length 0
    result = *rows[0];
    for (Step& step : result.steps()) step.value = f({step.value}, 0);
    return result;
  }
  ForMerged(rows, [&](int64_t time, const std::vector<double>& values, size_t changed) {
    result.Put(time, f(values, changed));
  });
  return result;
}

}  // namespace tasklens
