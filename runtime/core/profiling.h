// SPDX-License-Identifier: Apache-2.0
// Times of tasks and workers for starpu_profiling_*, taken only while profiling is on.
#pragma once

#include <starpu.h>

#include "runtime/core/runtime.h"

namespace tasklens::runtime {

// Gives the task its profiling information if it has none.
void ProfileSubmission(starpu_task* task);

// The policy has the task.
void ProfilePushed(starpu_task* task);

// The time of one task's function.
class ProfiledRun {
 public:
  ProfiledRun(bool on, Worker& worker, starpu_task& task) : on_(on), worker_(worker), task_(task) {
    if (on_) Begin();
  }
  void End() {
    if (on_) Account();
  }

 private:
  void Begin();
  void Account();
  bool on_;
  Worker& worker_;
  starpu_task& task_;
  uint64_t start_ns_ = 0;
};

}  // namespace tasklens::runtime
