// SPDX-License-Identifier: Apache-2.0
// What starpu_bound_* notes of tasks: a load and a branch each while nothing is noted.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/core/job.h"

namespace tasklens::runtime {

class Bound {
 public:
  static bool On() { return on_.load(std::memory_order_relaxed); }
  static bool WithDependencies() { return dependencies_.load(std::memory_order_relaxed); }
  // At submission, at a dependency, and when it has run.
  static void Submitted(const Job* job);
  static void Depends(uint64_t predecessor, const Job* successor);
  static void Ran(const Job* job, uint64_t length_ns);

  static void Start(bool dependencies);
  static void Stop();

 private:
  static std::atomic<bool> on_, dependencies_;
};

}  // namespace tasklens::runtime
