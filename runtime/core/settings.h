// SPDX-License-Identifier: Apache-2.0
// The settings of a run that are numbers or flags, from starpu_conf and the environment.
#pragma once

#include <starpu.h>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/sched/policy.h"

namespace tasklens::runtime {

// A setting that the program may change during the run is atomic.
struct Settings {
  // Reads STARPU_* and `conf`.
  explicit Settings(const starpu_conf& conf);

  std::atomic<bool> profiling{false};             // moments of tasks and workers are taken
  std::atomic<bool> sequential_by_default{true};  // of handles to come
  std::atomic<int> priority_floor{INT_MIN}, priority_ceiling{INT_MAX};  // of what is submitted
  // Limits of the number of submitted tasks that have not ended: a submission that reaches the
  // maximum waits until the minimum is left. 0: no limit.
  std::atomic<uint64_t> limit_max_submitted{0}, limit_min_submitted{0};
  int catch_signals = 1;
  bool count_codelets = true;
  bool single_combined = false;  // one parallel task at a time on each group of workers
  size_t pausable_stack_bytes = size_t{8} << 20;  // of jobs that may pause
  CostWeights dmda_weights;
};

// The value of the environment variable or of the starpu_conf field, by their precedence; -1:
// neither is set.
int Wanted(const starpu_conf& conf, std::optional<int> environment, int field);
// The same for the variable of this name; `otherwise` is the default.
int Knob(const starpu_conf& conf, const char* variable, int field, int otherwise);

}  // namespace tasklens::runtime
