// SPDX-License-Identifier: Apache-2.0
// Stops in a debugger at a moment of a task's life. The variables hold the task's job id:
// STARPU_TASK_BREAK_ON_PUSH (it is ready), _SCHED (its policy chooses a worker), _POP (a worker
// takes it), _EXEC (its function is about to begin). They turn profiling on, which reports these
// moments.
#pragma once

#include <starpu.h>

#include <array>
#include <optional>

namespace tasklens::runtime {

class TaskBreaks {
 public:
  enum Moment { kPush, kSched, kPop, kExec, kMoments };

  TaskBreaks();  // reads the environment
  bool any() const { return any_; }
  // Raises SIGTRAP if `task` is the one to stop at.
  void At(Moment moment, starpu_task* task) const;

 private:
  std::array<std::optional<int>, kMoments> numbers_;
  bool any_ = false;
};

}  // namespace tasklens::runtime
