// SPDX-License-Identifier: Apache-2.0
// Buffers, function, accounting.
#include "runtime/drivers/cpu/cpu_driver.h"

#include <cstdlib>

#include "runtime/core/bound.h"
#include "runtime/core/codelet.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/message.h"
#include "runtime/core/profiling.h"
#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/core/thread_state.h"
#include "runtime/core/trace_points.h"
#include "runtime/core/worker.h"
#include "runtime/data/handle.h"
#include "runtime/data/reduction.h"

namespace tasklens::runtime {
namespace {

// The interface that the function gets for one buffer.
void* Prepare(Handle* handle, unsigned mode, int worker, const starpu_task& task) {
  switch (KindOf(mode)) {
    case AccessKind::kScratch: return ScratchInterface(handle, worker);
    case AccessKind::kRedux: return ContributionInterface(handle, worker);
    default: break;
  }
  if (!handle->allocated) EnsureAllocated(handle);
  const bool reads = (mode & STARPU_R) || !(mode & STARPU_W);
  if (reads && !handle->initialized && !EnsureInitialized(handle)) {
    Fatal("task '%s' reads %s, which has no value yet: write it first", NameOf(task),
          Describe(handle).c_str());
  }
  return handle->interface;
}

void** Buffers(starpu_task& task, unsigned count) {
  if (task.dyn_handles && !task.dyn_interfaces) {
    task.dyn_interfaces = static_cast<void**>(calloc(count ? count : 1, sizeof(void*)));
  }
  return task.dyn_interfaces ? task.dyn_interfaces : task.interfaces;
}

void FetchInput(Worker& worker, Job* job, starpu_task& task, void** buffers, unsigned count) {
  trace::State(StateKind::kFetchingInput);
  for (unsigned i = 0; i < count; ++i) {
    buffers[i] = Prepare(BufferHandle(task, i), BufferMode(task, i), worker.id, task);
  }
  (void)job;
}

void NoteWritten(starpu_task& task, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned mode = BufferMode(task, i);
    const AccessKind kind = KindOf(mode);
    if (kind == AccessKind::kWrite || kind == AccessKind::kCommute) {
      BufferHandle(task, i)->initialized = true;
    }
  }
}

}  // namespace

void ExecuteOnCpu(Runtime& runtime, Worker& worker, Job* job) {
  ThreadState& thread = ThisThread();
  starpu_task& task = *job->task;
  const unsigned count = BufferCount(task);
  trace::Popped(job);
  trace::State(StateKind::kOverhead);
  thread.current = job;
  if (task.prologue_callback_pop_func) {
    trace::Within within(StateKind::kCallback);
    task.prologue_callback_pop_func(task.prologue_callback_pop_arg);
  }
  task.workerid =
      task.execute_on_a_specific_worker ? task.workerid : static_cast<unsigned>(worker.id);
  void** buffers = task.interfaces;
  if (count > 0) {
    buffers = Buffers(task, count);
    FetchInput(worker, job, task, buffers, count);
  }
  task.status = STARPU_TASK_RUNNING;
  trace::Details(job);
  const bool profiled = runtime.profiling.load(std::memory_order_relaxed);
  ProfiledRun profile(profiled, worker, task);
  const uint64_t bound_start_ns = Bound::On() ? NowNs() : 0;
  trace::Start(job, worker.id);
  const starpu_cpu_func_t function = CpuFunction(*task.cl, job->implementation);
  if (job->together) {
    job->team->Call(function, buffers, task.cl_arg);
  } else {
    function(buffers, task.cl_arg);
  }
  trace::End(job, worker.id);
  if (bound_start_ns) Bound::Ran(job, NowNs() - bound_start_ns);
  profile.End();
  if (count > 0) NoteWritten(task, count);
  worker.executed.fetch_add(1, std::memory_order_relaxed);
  if (runtime.count_codelets) {
    // Read and written by this worker only; others may look.
    auto& stat = task.cl->per_worker_stats[worker.id];
    __atomic_store_n(&stat, stat + 1, __ATOMIC_RELAXED);
  }
  thread.current = nullptr;
  if (count > 0) trace::State(StateKind::kPushingOutput);
  FunctionEnded(job);
  trace::State(StateKind::kScheduling);
}

bool CanRun(int worker, Job* job) {
  if (!job->restricted) return true;
  starpu_task* task = job->task;
  if (task->workerids_len) {
    const unsigned word = static_cast<unsigned>(worker) / 32;
    if (word >= task->workerids_len) return false;
    if (!(task->workerids[word] & (1u << (static_cast<unsigned>(worker) % 32)))) return false;
  }
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    if (!CpuFunction(*task->cl, i)) continue;
    if (task->cl->can_execute && !task->cl->can_execute(static_cast<unsigned>(worker), task, i)) {
      continue;
    }
    job->implementation = static_cast<uint8_t>(i);
    return true;
  }
  return false;
}

}  // namespace tasklens::runtime
