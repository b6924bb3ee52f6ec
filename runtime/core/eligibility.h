// SPDX-License-Identifier: Apache-2.0
// Which workers may run a task.
#pragma once

#include <starpu.h>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

struct Worker;
class Runtime;

// Whether the worker has that implementation of the codelet and can_execute() allows it. Calls code
// of the program: REQUIRES: no lock is held.
bool HasFunction(const Worker& worker, starpu_task* task, unsigned implementation);
// Calls can_execute() of a ready job for all workers (or the one that it is pinned to) and stores
// the answers for CanRun() and MayRun(). If it now allows no worker, the answers given at
// submission stay. Does nothing for a job whose eligibility neither can_execute() nor a simulation
// decides. REQUIRES: no lock is held.
void AskWhoCanRun(Job* job);
// Whether the worker may run a ready job; if so, sets job->implementation. Calls no code of the
// program, so a lock may be held.
bool CanRun(int worker, Job* job);
// The same, but calls can_execute() for the worker first. REQUIRES: no lock is held.
bool CanRunIfAsked(const Worker& worker, Job* job);
// The stored answer of HasFunction() for a job that is ready and not given to a worker yet.
bool MayRun(const Worker& worker, const Job& job, unsigned implementation);
// The kinds of workers that have a function for the task, as bits 1 << STARPU_CPU_WORKER and so on.
// Calls no code of the program. REQUIRES: the task has a codelet with a function.
uint32_t KindsWithFunction(const Runtime& runtime, starpu_task* task);
// Whether task->workerids contains the worker, or is empty.
bool IsNamed(const Worker& worker, const starpu_task& task);
// The index plus 1 of the combined worker that the task asks for, by execute_on_a_specific_worker
// or as the first of its workerids; 0: none.
uint16_t NamedCombinedWorker(const Runtime& runtime, const starpu_task& task);
// Determines which workers may run a job that is being submitted, and the implementation if all
// workers run the same. Returns false if no worker can. Calls code of the program. REQUIRES: the
// task has a codelet with a function.
bool ChooseWorkers(Job* job);

}  // namespace tasklens::runtime
