// SPDX-License-Identifier: Apache-2.0
// What starpu_bound_* notes of tasks: a load and a branch each while nothing is noted. What becomes
// of it is in runtime/bound/.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

struct BoundWork;

class Bound {
 public:
  static bool On() { return on_.load(std::memory_order_relaxed); }
  static bool WithDependencies() { return dependencies_.load(std::memory_order_relaxed); }
  // At submission, at a dependency (for so many bytes of data), and when it has run.
  static void Submitted(const Job* job);
  static void Depends(uint64_t predecessor, const Job* successor, uint64_t bytes);
  static void TagDepends(starpu_tag_t tag, starpu_tag_t predecessor);
  static void Ran(const Job* job, uint64_t length_ns);

  // Forgets what was noted before.
  static void Start(bool dependencies, bool priorities);
  static void Stop();
  // With the lengths that models know by now.
  static BoundWork Noted();

 private:
  static std::atomic<bool> on_, dependencies_;
};

}  // namespace tasklens::runtime
