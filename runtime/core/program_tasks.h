// SPDX-License-Identifier: Apache-2.0
// The program's operations on a task beside submission (submit.h): create, destroy, wait, add
// dependencies, query.
#pragma once

#include <starpu.h>

#include <cstdint>

namespace tasklens::runtime {

class Runtime;

// Returns a new task that accesses the data and does nothing.
starpu_task* NewSyncTask(starpu_data_handle_t handle, starpu_data_access_mode mode);
// Returns a new task with the same fields, not submitted.
starpu_task* DuplicateTask(const starpu_task* task);

// Frees what the runtime keeps for a task; the program keeps the task itself.
void CleanTask(starpu_task* task);
// Destroys a task that has ended or was not submitted; called in the task's own callback, destroys
// it once the callback has returned. Ignores nullptr. Aborts with a message if the task has not
// ended.
void DiscardTask(starpu_task* task);
// The program gives the task up: it is destroyed when it ends, or now if it has ended.
void GiveTaskUp(starpu_task* task);

bool HasEnded(const starpu_task* task);
// Returns 0, -EDEADLK within a task, or -EINVAL (with a warning) for a task that cannot be waited
// for. Destroys the task if its `destroy` is set.
int WaitForTask(starpu_task* task);
// CountReady() counts the tasks that wait for a worker; WaitForNoReady() waits until there is none.
uint64_t CountReady(Runtime& runtime);
void WaitForNoReady(Runtime& runtime);

// Makes the task start after those of `deps` have ended. REQUIRES: the task is not submitted.
void DeclareDependencies(starpu_task* task, unsigned count, starpu_task* const* deps);
// Makes the task end only after those of `deps` have.
void DeclareEndDependencies(starpu_task* task, unsigned count, starpu_task* const* deps);
// Meets one of the end dependencies added by starpu_task_end_dep_add().
void ReleaseEndDependency(Runtime& runtime, starpu_task* task);
// Writes at most `count` of the tasks that wait for this one to `tasks`, and returns how many there
// are. ScheduledSuccessorsOf() counts only those that the policy will place.
int SuccessorsOf(starpu_task* task, unsigned count, starpu_task* tasks[]);
int ScheduledSuccessorsOf(starpu_task* task, unsigned count, starpu_task* tasks[]);

}  // namespace tasklens::runtime
