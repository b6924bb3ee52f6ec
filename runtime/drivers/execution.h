// SPDX-License-Identifier: Apache-2.0
// Runs tasks on the processor of the calling worker; those of simulated workers (../sim/) let their
// time pass there.
#pragma once

#include "runtime/core/job.h"

namespace tasklens::runtime {

class Runtime;
struct Worker;

// Runs the job from the moment it was taken from the scheduler to its end. The worker's own thread.
void ExecuteOnCpu(Runtime& runtime, Worker& worker, Job* job);

// Calls the task's function on this worker, alone or as a member of a team (of which it is the
// first, or not); traces, tools, profiling and the watchdog see it. An exception ends the program
// with a line that names the task.
void CallFunction(Worker& worker, starpu_cpu_func_t function, void** buffers, Job* job, bool first);

}  // namespace tasklens::runtime
