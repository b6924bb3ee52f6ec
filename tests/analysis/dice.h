// SPDX-License-Identifier: Apache-2.0
// A source of variants of a run, for tests of advice.
#pragma once

#include <cstdint>
#include <random>

namespace tasklens::testing {

// `fault` says whether the run shall have the fault.
class Dice {
 public:
  Dice(uint32_t seed, bool with_fault) : fault(with_fault), random_(seed) {}
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  const bool fault;

 private:
  std::mt19937 random_;
};

}  // namespace tasklens::testing
