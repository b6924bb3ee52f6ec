// SPDX-License-Identifier: Apache-2.0
// A value over time, in bursts: it is constant from one step to the next. Neighbours may have the
// same value and are still two bursts. Of several steps at one time only the last is visible; the
// others are bursts of length 0, which functions over bursts (differences, stacks) need.
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
  // A time before the last step is replaced by that step's time.
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
