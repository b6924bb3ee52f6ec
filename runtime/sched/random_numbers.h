// SPDX-License-Identifier: Apache-2.0
// Random numbers for many threads at once, reproducible by STARPU_RAND_SEED. The program's own
// sequence (starpu_drand48) is not touched.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/support/environment.h"

namespace tasklens::runtime {

class RandomNumbers {
 public:
  RandomNumbers()
      : state_(static_cast<uint64_t>(EnvironmentNumber("STARPU_RAND_SEED").value_or(0))) {}

  // Returns a number from 0 to limit - 1. REQUIRES: limit > 0.
  uint32_t Below(uint32_t limit) {
    // SplitMix64: consecutive states give unrelated values.
    uint64_t x = state_.fetch_add(0x9E3779B97F4A7C15u, std::memory_order_relaxed);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    return static_cast<uint32_t>(((x >> 32) * limit) >> 32);
  }

 private:
  std::atomic<uint64_t> state_;
};

}  // namespace tasklens::runtime
