// SPDX-License-Identifier: Apache-2.0
// Buffers, function, accounting.
#include "runtime/drivers/cpu/cpu_driver.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "runtime/core/bound.h"
#include "runtime/core/codelet.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/message.h"
#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/core/thread_state.h"
#include "runtime/core/trace_points.h"
#include "runtime/core/worker.h"
#include "runtime/data/handle.h"
#include "runtime/data/reduction.h"
#include "runtime/feedback/task_times.h"
#include "runtime/feedback/tools.h"
#include "runtime/perfmodel/models.h"

namespace tasklens::runtime {
namespace {

void Add(std::atomic<uint64_t>& counter, uint64_t value) {
  // Written by its worker only.
  counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

// Allocates what is not there, and gives it a first value.
void MakeReady(Handle* handle, bool reads, Worker& worker, const starpu_task& task) {
  Doing doing(worker.activity, Activity::kWaiting);
  if (!handle->allocated) EnsureAllocated(handle);
  if (reads && !handle->initialized && !EnsureInitialized(handle)) {
    Fatal("task '%s' reads %s, which has no value yet: write it first", NameOf(task),
          Describe(handle).c_str());
  }
}

bool Reads(unsigned mode) { return (mode & STARPU_R) || !(mode & STARPU_W); }
bool IsWorkersOwn(unsigned mode) {
  const AccessKind kind = KindOf(mode);
  return kind == AccessKind::kScratch || kind == AccessKind::kRedux;
}

// Uses of data that may be elsewhere, or taken away, while the task runs.
using Uses = SmallVector<Use, 4>;

// The interface that the function gets for one buffer.
void* Prepare(Handle* handle, unsigned mode, Worker& worker, const starpu_task& task) {
  switch (KindOf(mode)) {
    case AccessKind::kScratch: return ScratchInterface(handle, worker.id);
    case AccessKind::kRedux: return ContributionInterface(handle, worker.id);
    default: break;
  }
  if (worker.node != STARPU_MAIN_RAM) return InterfaceOn(handle, worker.node);
  const bool reads = Reads(mode);
  if (!handle->allocated || (reads && !handle->initialized)) {
    MakeReady(handle, reads, worker, task);
  }
  return handle->interface;
}

void** Buffers(starpu_task& task, unsigned count) {
  if (task.dyn_handles && !task.dyn_interfaces) {
    task.dyn_interfaces = static_cast<void**>(calloc(count ? count : 1, sizeof(void*)));
  }
  return task.dyn_interfaces ? task.dyn_interfaces : task.interfaces;
}

// What the worker needs for its task, and that it begins to see to it.
void RecordFetch(const Worker& worker, const starpu_task& task, unsigned count) {
  if (!Recorder::Enabled<EventKind::kDataLoad>()) return;
  const RecordMoment now = Recorder::Now();
  if (Recorder::Enabled<EventKind::kStateSet>()) {
    RecordAt<EventKind::kStateSet>(now, static_cast<uint32_t>(StateKind::kFetchingInput));
  } else {
    trace::State(StateKind::kFetchingInput);
  }
  uint64_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) bytes += BufferHandle(task, i)->size_bytes;
  RecordAt<EventKind::kDataLoad>(now, static_cast<uint32_t>(worker.id), bytes);
}

void FetchInput(Runtime& runtime, Worker& worker, starpu_task& task, void** buffers, unsigned count,
                Uses& pinned) {
  RecordFetch(worker, task, count);
  const bool on_device = worker.node != STARPU_MAIN_RAM;
  Arrivals arrivals;
  for (unsigned i = 0; i < count; ++i) {
    Handle* handle = BufferHandle(task, i);
    const unsigned mode = BufferMode(task, i);
    if (IsWorkersOwn(mode)) {
      // Before anything is pinned, as this may wait for others to free memory.
      Prepare(handle, mode, worker, task);
      continue;
    }
    const bool reads = Reads(mode);
    const bool is_there = on_device ? runtime.residency().IsOn(handle, worker.node)
                                    : handle->allocated && !handle->away;
    Add(is_there && (!reads || handle->initialized) ? worker.data_hits : worker.data_misses, 1);
    if (on_device && reads && !handle->initialized) MakeReady(handle, reads, worker, task);
    if (!on_device && handle->arrives) arrivals.push_back(handle->arrives);
    if (on_device || Travels(handle)) {
      pinned.push_back({handle, reads && handle->initialized, (mode & STARPU_W) != 0});
    }
  }
  if (!pinned.empty()) {
    Doing doing(worker.activity, Activity::kWaiting);
    runtime.residency().PinOn(worker.node, {pinned.begin(), pinned.end()}, arrivals);
  }
  runtime.WaitFor(arrivals);
  MemoryStats* const stats = runtime.memory_stats();
  for (unsigned i = 0; i < count; ++i) {
    Handle* handle = BufferHandle(task, i);
    buffers[i] = Prepare(handle, BufferMode(task, i), worker, task);
    if (stats) stats->Used(handle);
  }
  // Else the start of the task ends the state.
  if (Recorder::Enabled<EventKind::kDataLoad>() && !Recorder::Enabled<EventKind::kTaskStart>()) {
    trace::State(StateKind::kOverhead, StateKind::kFetchingInput);
  }
}

const Tools& ToolsOf() { return Runtime::Instance()->tools(); }

// An exception has nowhere to go from here: whoever waits for the task may be C.
[[noreturn]] void EndWithException(const Job& job, const char* what) {
  char site[512] = "";
  if (job.site.file) snprintf(site, sizeof(site), "%s:%u: ", job.site.file, job.site.line);
  Fatal("%stask '%s' ended with an exception: %s", site, NameOf(*job.task), what);
}

void NoteWritten(const Worker& worker, starpu_task& task, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned mode = BufferMode(task, i);
    const AccessKind kind = KindOf(mode);
    if (kind == AccessKind::kWrite || kind == AccessKind::kCommute) {
      Handle* handle = BufferHandle(task, i);
      if (!handle->initialized) trace::DataState(handle, DataCopyState::kOwner, worker.node);
      handle->initialized = true;
    }
  }
}

}  // namespace

void CallFunction(Worker& worker, starpu_cpu_func_t function, void** buffers, Job* job,
                  bool first) {
  Doing doing(worker.activity, Activity::kExecuting);
  worker.running.store(job, std::memory_order_release);
  const ToolCall told(ToolsOf(), worker.id, function, job->task);
  trace::Start(job, worker.id, first);
  try {
    if (const Simulation* simulation = Runtime::Instance()->simulation()) {
      simulation->Run(worker, function, buffers, job);
    } else {
      function(buffers, job->task->cl_arg);
    }
  } catch (const std::exception& error) {
    EndWithException(*job, error.what());
  } catch (const abi::__forced_unwind&) {
    throw;  // pthread_exit() in a task
  } catch (...) {
    EndWithException(*job, "of a type that tells nothing");
  }
  trace::End(job, worker.id);
  worker.running.store(nullptr, std::memory_order_release);
}

void ExecuteOnCpu(Runtime& runtime, Worker& worker, Job* job) {
  ThreadState& thread = ThisThread();
  starpu_task& task = *job->task;
  const unsigned count = BufferCount(task);
  runtime.taken.fetch_add(1, std::memory_order_relaxed);
  if (job->counted_as != Counted::kNot) runtime.perf_counters().Taken(job);
  trace::Popped(job);
  thread.current = job;
  if (starpu_profiling_task_info* info = task.profiling_info) {
    info->workerid = worker.id;
    NoteMoment(&task, &starpu_profiling_task_info::pop_start_time, worker.take_start_ns);
    ProfileMoment(&task, &starpu_profiling_task_info::pop_end_time);
  }
  if (task.prologue_callback_pop_func) {
    Doing doing(worker.activity, Activity::kCallback);
    trace::Within within(StateKind::kCallback);
    task.prologue_callback_pop_func(task.prologue_callback_pop_arg);
  }
  task.workerid =
      task.execute_on_a_specific_worker ? task.workerid : static_cast<unsigned>(worker.id);
  void** buffers = task.interfaces;
  ProfileMoment(&task, &starpu_profiling_task_info::acquire_data_start_time);
  Uses pinned;
  if (count > 0) {
    buffers = Buffers(task, count);
    FetchInput(runtime, worker, task, buffers, count, pinned);
  }
  ProfileMoment(&task, &starpu_profiling_task_info::acquire_data_end_time);
  task.status = STARPU_TASK_RUNNING;
  const ProgramPolicy* const policy = runtime.program_policy(job->context);
  if (policy) policy->BeforeRun(&task);
  ProfileMoment(&task, &starpu_profiling_task_info::start_time);
  const bool counting = runtime.perf_counters().on();
  const bool measuring = WantsMeasures(task.cl->model);
  const uint64_t start_ns = counting || measuring || Bound::On() ? NowNs() : 0;
  const starpu_cpu_func_t function = FunctionFor(worker.kind, *task.cl, job->implementation);
  if (job->together) {
    job->team->Call(worker, function, buffers);
  } else {
    CallFunction(worker, function, buffers, job, /*first=*/true);
  }
  ProfileMoment(&task, &starpu_profiling_task_info::end_time);
  ProfileMoment(&task, &starpu_profiling_task_info::release_data_start_time);
  worker.activity.CountTask(task.flops);
  const uint64_t length_ns = start_ns ? NowNs() - start_ns : 0;
  if (counting) runtime.perf_counters().Executed(worker.id, task.cl, length_ns);
  if (start_ns && Bound::On()) Bound::Ran(job, length_ns);
  if (measuring) {
    const int cores = job->together ? static_cast<int>(job->team->size()) : 1;
    FeedModel(task.cl->model, &task, CpuArch(cores), job->implementation,
              static_cast<double>(length_ns) / 1000);
  }
  if (count > 0) NoteWritten(worker, task, count);
  for (const Use& use : pinned) runtime.residency().UnpinOn(worker.node, use.handle);
  if (policy) policy->AfterRun(&task);
  Add(worker.executed, 1);
  if (runtime.count_codelets) {
    // Read and written by this worker only; others may look.
    auto& stat = task.cl->per_worker_stats[worker.id];
    __atomic_store_n(&stat, stat + 1, __ATOMIC_RELAXED);
  }
  thread.current = nullptr;
  if (count > 0) trace::State(StateKind::kPushingOutput);
  FunctionEnded(job);
  trace::State(StateKind::kScheduling,
               count > 0 ? StateKind::kPushingOutput : StateKind::kScheduling);
}

}  // namespace tasklens::runtime
