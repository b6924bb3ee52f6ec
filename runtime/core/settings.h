// SPDX-License-Identifier: Apache-2.0
// What a program and the environment ask of a run, where a number or a yes says it.
#pragma once

#include <starpu.h>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/sched/policy.h"

namespace tasklens::runtime {

// Those that the program may change during the run are atomic.
struct Settings {
  // Reads STARPU_* and `conf`.
  explicit Settings(const starpu_conf& conf);

  std::atomic<bool> profiling{false};             // moments of tasks and workers are taken
  std::atomic<bool> sequential_by_default{true};  // of handles to come
  std::atomic<int> priority_floor{INT_MIN}, priority_ceiling{INT_MAX};  // of what is submitted
  // Of tasks that are submitted and have not ended: a submission at the first waits for the second.
  // 0: no limit.
  std::atomic<uint64_t> limit_max_submitted{0}, limit_min_submitted{0};
  int catch_signals = 1;
  bool count_codelets = true;
  bool single_combined = false;  // one parallel task at a time on each group of workers
  size_t pausable_stack_bytes = size_t{8} << 20;  // of jobs that may pause
  CostWeights dmda_weights;
};

// The environment's answer, or a field of the starpu_conf, which is -1 where the program leaves it
// open. -1: neither.
int Wanted(const starpu_conf& conf, std::optional<int> environment, int field);
// The same of a variable; `otherwise` where neither says it.
int Knob(const starpu_conf& conf, const char* variable, int field, int otherwise);

}  // namespace tasklens::runtime
