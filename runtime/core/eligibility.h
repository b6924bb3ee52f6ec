// SPDX-License-Identifier: Apache-2.0
// Who may run a task.
#pragma once

#include <starpu.h>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

struct Worker;
class Runtime;

// Whether the worker has an implementation of that number, and the codelet's can_execute() lets it.
// Asks code of the program's: REQUIRES no lock.
bool HasFunction(const Worker& worker, starpu_task* task, unsigned implementation);
// Asks it all that CanRun() and MayRun() want to know of a restricted job that is ready. Where it
// lets no worker any more, that one runs the job of which it said so when the job was submitted.
void AskWhoCanRun(Job* job);
// Whether the worker may run a job that is ready; sets job->implementation when it may. Calls no
// code of the program's, so that it can be asked under a lock.
bool CanRun(int worker, Job* job);
// The same, with the worker asked now. REQUIRES no lock.
bool CanRunIfAsked(const Worker& worker, Job* job);
// HasFunction(), as it was last asked for the job, which is ready and not given to a worker yet.
bool MayRun(const Worker& worker, const Job& job, unsigned implementation);
// The kinds of workers that have a function for the task, as bits 1 << STARPU_CPU_WORKER and so on.
// Asks no code of the program's. REQUIRES: it has something to run.
uint32_t KindsWithFunction(const Runtime& runtime, starpu_task* task);
// Whether task->workerids names the worker, or nobody.
bool IsNamed(const Worker& worker, const starpu_task& task);
// The combined worker that the task asks for, by execute_on_a_specific_worker or as the first of
// its workerids: its index plus 1, or 0.
uint16_t NamedCombinedWorker(const Runtime& runtime, const starpu_task& task);
// Says who may run a job that is submitted, and the implementation if all run the same; false when
// nobody can. Asks code of the program's. REQUIRES: it has something to run.
bool ChooseWorkers(Job* job);

}  // namespace tasklens::runtime
