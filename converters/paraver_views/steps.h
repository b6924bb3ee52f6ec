// SPDX-License-Identifier: Apache-2.0
// A value over time, in bursts: from one step to the next it stays the same. Neighbours may have
// the same value; they are two bursts nevertheless.
#pragma once

#include <cstdint>
#include <vector>

namespace tasklens {

struct Step {
  int64_t begin;
  double value;
};

class Steps {
 public:
  // REQUIRES: times do not decrease. Of several at one time the last counts.
  void Put(int64_t time, double value) {
    if (!steps_.empty() && steps_.back().begin >= time)
      steps_.back().value = value;
    else
      steps_.push_back({time, value});
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
