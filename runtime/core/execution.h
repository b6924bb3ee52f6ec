// SPDX-License-Identifier: Apache-2.0
// A task on its worker, from being taken to its end: what is the same for all drivers, which call
// these one after the other. By the worker's own thread.
#pragma once

#include <string>

#include "runtime/data/residency.h"
#include "runtime/jobs/job.h"

namespace tasklens::runtime {

class Runtime;
struct Worker;

struct Execution {
  explicit Execution(Job* job) : job(job) {}

  Job* const job;
  void** buffers = nullptr;
  starpu_cpu_func_t function = nullptr;
  SmallVector<Use, 4> pinned;  // data that may be elsewhere, or taken away, while the task runs
  Arrivals arrivals;           // what has to be there first
  SmallVector<Handle*, 2> without_value;  // get their neutral element on the device first
  bool has_formats = false;               // some of its data have a layout for each kind of worker
  uint64_t start_ns = 0;  // when the function was called; 0: nobody wants its length
};

// The job was taken from the scheduler.
void TakeUp(Runtime& runtime, Worker& worker, Execution& execution);

struct Patience {
  bool for_room = true;      // may wait until others end and free memory
  bool for_arrivals = true;  // or leaves that to the caller
};
// Gives the function its buffers, and has its data brought to them. False where room has to be
// waited for and that is not wanted; then nothing is pinned, and it can be called again.
bool FetchInput(Runtime& runtime, Worker& worker, Execution& execution, const Patience& patience);
// Returns when the function may be called: not while the runtime is paused.
void AwaitStart(Runtime& runtime, Worker& worker);
void BeforeFunction(Runtime& runtime, Worker& worker, Execution& execution);

// Follows AwaitStart(). Calls the task's function on this worker, alone or as a member of a team
// (of which it is the first, or not); traces, tools, profiling and the watchdog see it. An
// exception ends the program with a line that names the task.
void CallFunction(Worker& worker, starpu_cpu_func_t function, void** buffers, Job* job, bool first);
// The call alone, with what it throws.
void CallGuarded(Worker& worker, starpu_cpu_func_t function, void** buffers, Job* job);

// The function has done its work, in so many nanoseconds: all that follows it.
void AfterFunction(Runtime& runtime, Worker& worker, Execution& execution, uint64_t length_ns);

// "FILE:LINE: task 'NAME'", for messages.
std::string DescribeTask(const Job& job);

}  // namespace tasklens::runtime
