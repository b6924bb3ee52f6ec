// SPDX-License-Identifier: Apache-2.0
// What a program does with a task beside submitting it (submit.h): it destroys it, waits for it,
// makes it depend on others, and asks.
#pragma once

#include <starpu.h>

#include <cstdint>

namespace tasklens::runtime {

class Runtime;

// A task that has access to the data, and does nothing.
starpu_task* NewSyncTask(starpu_data_handle_t handle, starpu_data_access_mode mode);
// A new task with the same fields, not submitted.
starpu_task* DuplicateTask(const starpu_task* task);

// Frees what the runtime keeps for a task, which stays the program's.
void CleanTask(starpu_task* task);
// Destroys a task that has ended, or was not submitted; in its own callback, once that has
// returned. nullptr: nothing. One that has not ended is the program's fault, and ends it with a
// line.
void DiscardTask(starpu_task* task);
// The program is done with the task: it is destroyed at its end, or now.
void GiveTaskUp(starpu_task* task);

bool HasEnded(const starpu_task* task);
// 0, -EDEADLK within a task, or -EINVAL, with a line, for a task that cannot be waited for.
// Destroys it where it says so.
int WaitForTask(starpu_task* task);
// Tasks that wait for a worker; and until there is none.
uint64_t CountReady(Runtime& runtime);
void WaitForNoReady(Runtime& runtime);

// The task, which is not submitted, starts after those of `deps` have ended.
void DeclareDependencies(starpu_task* task, unsigned count, starpu_task* const* deps);
// The task does not end before those of `deps` have.
void DeclareEndDependencies(starpu_task* task, unsigned count, starpu_task* const* deps);
// Takes back one of starpu_task_end_dep_add().
void ReleaseEndDependency(Runtime& runtime, starpu_task* task);
// Fills at most `count` of the tasks that wait for this one, and returns how many there are.
// Scheduled: those that the policy will place.
int SuccessorsOf(starpu_task* task, unsigned count, starpu_task* tasks[]);
int ScheduledSuccessorsOf(starpu_task* task, unsigned count, starpu_task* tasks[]);

}  // namespace tasklens::runtime
