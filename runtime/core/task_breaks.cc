// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/task_breaks.h"

#include <csignal>
#include <iterator>

#include "runtime/support/environment.h"

namespace tasklens::runtime {

TaskBreaks::TaskBreaks() {
  constexpr const char* kNames[] = {"STARPU_TASK_BREAK_ON_PUSH", "STARPU_TASK_BREAK_ON_SCHED",
                                    "STARPU_TASK_BREAK_ON_POP", "STARPU_TASK_BREAK_ON_EXEC"};
  static_assert(std::size(kNames) == kMoments);
  for (int i = 0; i < kMoments; ++i) {
    numbers_[i] = EnvironmentNumber(kNames[i], /*minimum=*/1);
    any_ |= numbers_[i].has_value();
  }
}

void TaskBreaks::At(Moment moment, starpu_task* task) const {
  const std::optional<int>& number = numbers_[moment];
  if (number && starpu_task_get_job_id(task) == static_cast<unsigned long>(*number)) raise(SIGTRAP);
}

}  // namespace tasklens::runtime
