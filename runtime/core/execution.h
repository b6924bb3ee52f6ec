// SPDX-License-Identifier: Apache-2.0
// The steps of running a task on a worker that all drivers share. Drivers call them in the order
// below, on the worker's own thread.
#pragma once

#include <optional>
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
  SmallVector<Use, 4> pinned;  // data that are pinned on the worker's node while the task runs
  Arrivals arrivals;           // transfers to wait for before the function is called
  // These get their neutral element on the worker's device before the function is called.
  SmallVector<Handle*, 2> without_value;
  bool has_formats = false;  // some of its data have a layout for each kind of worker
  uint64_t start_ns = 0;     // when the function was called; 0: the length is not needed
};

// Starts the job that was taken from the scheduler: counts it, runs its prologue, sets its worker.
void TakeUp(Runtime& runtime, Worker& worker, Execution& execution);

struct Patience {
  bool for_room = true;      // may wait until other tasks end and free memory
  bool for_arrivals = true;  // waits for the transfers; false: the caller does
};
// Sets the function's buffers and fetches its data. Returns false if it would have to wait for
// memory and `patience` forbids that; then nothing is pinned, and it can be called again.
bool FetchInput(Runtime& runtime, Worker& worker, Execution& execution, const Patience& patience);
// Waits while the runtime is paused.
void AwaitStart(Runtime& runtime, Worker& worker);
void BeforeFunction(Runtime& runtime, Worker& worker, Execution& execution);

// Calls the task's function on this worker, which runs it alone or as a member of a team (`first`:
// as the only or the first one), and reports it to the trace, the tools, profiling and the
// watchdog. An exception ends the program with a message that names the task. REQUIRES:
// AwaitStart() has returned.
void CallFunction(Worker& worker, starpu_cpu_func_t function, void** buffers, Job* job, bool first);
// Only calls the function and handles its exceptions.
void CallGuarded(Worker& worker, starpu_cpu_func_t function, void** buffers, Job* job);

// Ends a task whose function has done its work: accounting, models, release of its data, callbacks.
void AfterFunction(Runtime& runtime, Worker& worker, Execution& execution, uint64_t length_ns);

// The slot (handle.h) of the worker's scratch buffer for a buffer of the job that it runs; none if
// the task has no use of it.
std::optional<size_t> ScratchSlotOf(const Job& job, unsigned buffer, const Worker& worker);

// Returns "FILE:LINE: task 'NAME'" for messages.
std::string DescribeTask(const Job& job);

}  // namespace tasklens::runtime
