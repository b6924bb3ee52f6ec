// SPDX-License-Identifier: Apache-2.0
// Records tasks for starpu_bound_*; runtime/bound/ computes the bound from them. While recording is
// off, each call costs a load and a branch.
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
  // Called at submission, for each dependency (with the bytes of data behind it), for each tag
  // dependency, and when the task has run.
  static void Submitted(const Job* job);
  static void Depends(uint64_t predecessor, const Job* successor, uint64_t bytes);
  static void TagDepends(starpu_tag_t tag, starpu_tag_t predecessor);
  static void Ran(const Job* job, uint64_t length_ns);

  // Starts recording and drops earlier records.
  static void Start(bool dependencies, bool priorities);
  static void Stop();
  // Returns what was recorded, with the task lengths that the performance models know by now.
  static BoundWork Noted();

 private:
  static std::atomic<bool> on_, dependencies_;
};

}  // namespace tasklens::runtime
