// SPDX-License-Identifier: Apache-2.0
// A value over time, in bursts: from one step to the next it stays the same. Neighbours may have
// the same value; they are two bursts nevertheless. Of several steps at one time the last is seen,
// the others are bursts that take no time: functions over bursts (differences, stacks) look at
// them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tasklens {

struct Step {
  int64_t begin;
  double value;
};

class Steps {
 public:
  // A time before that of the last step is taken for it.
  void Put(int64_t time, double value) {
    steps_.push_back({std::max(time, steps_.back().begin), value});
  }
  std::vector<Step>& steps() { return steps_; }
  const std::vector<Step>& steps() const { return steps_; }
  int64_t EndOf(size_t burst, int64_t end) const {
    return burst + 1 < steps_.size() ? steps_[burst + 1].begin : end;
  }

 private:
  std::vector<Step> steps_{{0, 0}};
};

}  // namespace tasklens
