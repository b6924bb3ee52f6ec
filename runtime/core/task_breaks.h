// SPDX-License-Identifier: Apache-2.0
// Stopping in a debugger at moments of one task's life: STARPU_TASK_BREAK_ON_PUSH (it is ready),
// _SCHED (its policy chooses a worker), _POP (a worker takes it), _EXEC (its function is about to
// begin) are the task's number. They turn profiling on, whose moments these are.
#pragma once

#include <starpu.h>

#include <array>
#include <optional>

namespace tasklens::runtime {

class TaskBreaks {
 public:
  enum Moment { kPush, kSched, kPop, kExec, kMoments };

  TaskBreaks();  // as the environment says
  bool any() const { return any_; }
  // Raises SIGTRAP if it is this task's.
  void At(Moment moment, starpu_task* task) const;

 private:
  std::array<std::optional<int>, kMoments> numbers_;
  bool any_ = false;
};

}  // namespace tasklens::runtime
