// SPDX-License-Identifier: Apache-2.0
// Prepares buffers, calls the function, does the accounting.
#include "runtime/core/execution.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "runtime/core/bound.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/runtime.h"
#include "runtime/core/task_data.h"
#include "runtime/core/task_times.h"
#include "runtime/core/team.h"
#include "runtime/core/trace_points.h"
#include "runtime/core/watched_context.h"
#include "runtime/core/worker.h"
#include "runtime/data/contributions.h"
#include "runtime/data/conversion.h"
#include "runtime/data/handle.h"
#include "runtime/data/task_costs.h"
#include "runtime/feedback/tools.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/perfmodel/models.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

void Add(std::atomic<uint64_t>& counter, uint64_t value) {
  // Only the worker itself writes its counters.
  counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
}

bool IsToBeMeasured(const starpu_task& task) {
  return task.cl->model && WantsMeasures(*task.cl->model);
}

// Allocates the data and gives them a first value if needed.
void MakeReady(Handle* handle, bool reads, Worker& worker, const starpu_task& task) {
  Doing doing(worker.activity, Activity::kWaiting);
  Residency& residency = Runtime::Instance()->residency();
  if (!handle->allocated) EnsureAllocated(residency, handle);
  if (!reads || handle->initialized || EnsureInitialized(residency, handle)) return;
  if (handle->internal)
    Fatal(
        "task '%s' accesses data with STARPU_REDUX that have no init codelet for CPUs: give it one "
        "with starpu_data_set_reduction_methods()",
        NameOf(task));
  Fatal("task '%s' reads %s, which has no value yet: write it first", NameOf(task),
        Describe(handle).c_str());
}

bool Reads(unsigned mode) { return (mode & STARPU_R) || !(mode & STARPU_W); }
bool IsScratch(unsigned mode) { return KindOf(mode) == AccessKind::kScratch; }
bool IsRedux(unsigned mode) { return KindOf(mode) == AccessKind::kRedux; }

// The handle that the worker really uses for a buffer.
Handle* Used(Handle* handle, unsigned mode, const Worker& worker) {
  if (!IsRedux(mode)) return handle;
  return ContributionTo(Runtime::Instance()->residency(), handle, worker.id);
}
bool NeedsValue(unsigned mode) { return Reads(mode) || IsRedux(mode); }
// Whether the device itself makes the first value: only for exclusive access.
bool StartsOn(const Worker& worker, const Handle* used, unsigned mode) {
  const bool is_exclusive = IsRedux(mode) || (mode & STARPU_W);
  return is_exclusive && CanInitializeOn({worker.node, worker.kind}, used);
}

// Returns the interface that the function gets for a buffer.
void* Prepare(Handle* handle, unsigned mode, Worker& worker, const starpu_task& task) {
  if (IsScratch(mode)) return ScratchInterface(Runtime::Instance()->residency(), handle, worker.id);
  handle = Used(handle, mode, worker);
  if (worker.node != STARPU_MAIN_RAM) return InterfaceOn(handle, worker.node);
  const bool reads = NeedsValue(mode);
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

// Records the data that the worker needs for its task, and that it begins to fetch them.
void RecordFetch(const Worker& worker, const starpu_task& task) {
  if (!Recorder::Enabled<EventKind::kDataLoad>()) return;
  const RecordMoment now = Recorder::Now();
  if (Recorder::Enabled<EventKind::kStateSet>()) {
    RecordAt<EventKind::kStateSet>(now, static_cast<uint32_t>(StateKind::kFetchingInput));
  } else {
    trace::State(StateKind::kFetchingInput);
  }
  RecordAt<EventKind::kDataLoad>(now, static_cast<uint32_t>(worker.id), BytesOf(task));
}

const Tools& ToolsOf() { return Runtime::Instance()->tools(); }

// An exception cannot be passed on: the code that waits for the task may be C.
[[noreturn]] void EndWithException(const Job& job, const char* what) {
  Fatal("%s ended with an exception: %s", DescribeTask(job).c_str(), what);
}

// Whether Prepare() or MakeReady() may have to wait for memory.
bool NeedsMemory(Handle* handle, unsigned mode, const Worker& worker) {
  if (IsScratch(mode)) return !HasScratch(handle, worker.id);
  const Handle* used = Used(handle, mode, worker);
  return NeedsValue(mode) && !used->initialized && !StartsOn(worker, used, mode);
}

// Converts multiformat data to the layout of the worker's node.
void Convert(const Worker& worker, const starpu_task& task) {
  const unsigned count = BufferCount(task);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned mode = BufferMode(task, i);
    if (!IsMultiformat(BufferHandle(task, i)) || IsScratch(mode)) continue;
    Handle* const handle = Used(BufferHandle(task, i), mode, worker);
    if (NeedsValue(mode) && handle->initialized)
      MakeLayoutOn(&worker, handle, worker.node);
    else
      WillWriteOwnLayout(handle, worker.node);
  }
}

// Marks written data as initialised, and frees scratch buffers for others.
void NoteWritten(const Worker& worker, starpu_task& task, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned mode = BufferMode(task, i);
    const AccessKind kind = KindOf(mode);
    // (An asynchronous driver, with several tasks under way that may share a scratch buffer,
    // releases it itself.)
    if (kind == AccessKind::kScratch && !worker.driver->is_asynchronous())
      ReleaseScratch(BufferHandle(task, i), worker.id);
    if (kind == AccessKind::kWrite || kind == AccessKind::kCommute) {
      Handle* handle = BufferHandle(task, i);
      if (!handle->initialized) trace::DataState(handle, DataCopyState::kOwner, worker.node);
      handle->initialized = true;
      if (handle->written_through)
        Runtime::Instance()->residency().WriteThrough(handle, worker.node);
    }
  }
}

}  // namespace

std::string DescribeTask(const Job& job) {
  std::string text;
  if (const Site site = SiteOfJob(job); site.file)
    text = std::string(site.file) + ":" + std::to_string(site.line) + ": ";
  return text + "task '" + NameOf(*job.task) + "'";
}

void CallGuarded(Worker& worker, starpu_cpu_func_t function, void** buffers, Job* job) {
  try {
    worker.driver->Call(function, buffers, job);
  } catch (const std::exception& error) {
    EndWithException(*job, error.what());
  } catch (const abi::__forced_unwind&) {
    Fatal("%s called pthread_exit(), which would end a worker: return from the task instead",
          DescribeTask(*job).c_str());
  } catch (...) {
    EndWithException(*job, "of a type that tells nothing");
  }
}

namespace {

// Counts hardware events of a task for the time of a block.
class Counting {
 public:
  // `counters`: nullptr counts nothing.
  Counting(HardwareCounters* counters, const Worker& worker, const Job* job)
      : counters_(counters), worker_(worker), job_(job) {
    if (counters_) counters_->Begin(worker_.id);
  }
  void End() {
    // (If the task paused, other tasks were counted meanwhile: the values are dropped.)
    if (!counters_ || worker_.pauses != pauses_) return;
    values_ = counters_->End(worker_.id);
    NoteCounters(job_->task, values_, counters_->EventSetOf(worker_.id));
  }
  // Records the values; called after the task's end, so as not to delay it.
  void Tell() const {
    const uint64_t id = job_->id.load(std::memory_order_relaxed);
    for (size_t i = 0; i < values_.size(); ++i) {
      Record<EventKind::kTaskPapi>(id, int64_t{counters_->codes()[i]}, int64_t{values_[i]});
    }
  }

 private:
  HardwareCounters* const counters_;
  const Worker& worker_;
  const Job* const job_;
  const uint32_t pauses_ = worker_.pauses;
  std::span<const long long> values_;
};

// The counters for this part of the task; nullptr: do not count.
HardwareCounters* CountersFor(const Worker& worker, const Job* job, bool first) {
  HardwareCounters* const counters = Runtime::Instance()->hardware_counters();
  const bool wanted = counters && first && worker.kind == STARPU_CPU_WORKER;
  return wanted && (job->task->profiling_info || trace::On()) ? counters : nullptr;
}

}  // namespace

void CallFunction(Worker& worker, starpu_cpu_func_t function, void** buffers, Job* job,
                  bool first) {
  Doing doing(worker.activity, Activity::kExecuting);
  worker.running.store(job, std::memory_order_release);
  const ToolCall told(ToolsOf(), worker.id, function, job->task);
  trace::Start(job, worker.id, first);
  Runtime::Instance()->pauses().HasBegun(worker);
  Counting counting(CountersFor(worker, job, first), worker, job);
  CallGuarded(worker, function, buffers, job);
  counting.End();
  const bool pushes = trace::On() && !job->together && BufferCount(*job->task) > 0 &&
                      !Runtime::Instance()->program_policy(job->context);
  worker.pushes_output = trace::End(job, worker.id, pushes);
  counting.Tell();
  worker.running.store(nullptr, std::memory_order_release);
}

void TakeUp(Runtime& runtime, Worker& worker, Execution& execution) {
  Job* const job = execution.job;
  starpu_task& task = *job->task;
  Add(worker.taken, 1);
  if (job->counted_as != Counted::kNot) runtime.perf_counters().Taken(job);
  runtime.contexts().Taken(job, worker.id);
  const unsigned count = BufferCount(task);
  const bool fetches_at_once =
      count > 0 && !task.prologue_callback_pop_func && trace::PoppedToFetch(job, worker.id);
  if (!fetches_at_once) trace::Popped(job);
  ThisThread().current = job;
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
  execution.buffers = task.interfaces;
  execution.function = FunctionFor(worker.kind, *task.cl, job->implementation);
  ProfileMoment(&task, &starpu_profiling_task_info::acquire_data_start_time);
  if (count == 0) return;
  execution.buffers = Buffers(task, count);
  if (!fetches_at_once) RecordFetch(worker, task);
}

bool FetchInput(Runtime& runtime, Worker& worker, Execution& execution, const Patience& patience) {
  starpu_task& task = *execution.job->task;
  const unsigned count = BufferCount(task);
  if (count == 0) return true;
  const bool on_device = worker.node != STARPU_MAIN_RAM;
  uint64_t hits = 0, misses = 0;
  execution.pinned.clear();
  execution.without_value.clear();
  for (unsigned i = 0; i < count; ++i) {
    const unsigned mode = BufferMode(task, i);
    if (!patience.for_room && NeedsMemory(BufferHandle(task, i), mode, worker)) return false;
    if (IsScratch(mode)) {
      // Before anything is pinned, as this may wait for other tasks to free memory.
      Prepare(BufferHandle(task, i), mode, worker, task);
      continue;
    }
    Handle* handle = Used(BufferHandle(task, i), mode, worker);
    const bool reads = NeedsValue(mode), contributes = IsRedux(mode);
    const bool is_there = on_device ? runtime.residency().IsOn(handle, worker.node)
                                    : handle->allocated && !handle->away;
    if (!contributes) ++(is_there && (!reads || handle->initialized) ? hits : misses);
    if (reads && !handle->initialized && (on_device || contributes)) {
      if (StartsOn(worker, handle, mode)) {
        execution.without_value.push_back(handle);
      } else {
        MakeReady(handle, reads, worker, task);
      }
    }
    if (!on_device && handle->arrives) execution.arrivals.push_back(handle->arrives);
    if (on_device || Travels(handle)) {
      execution.pinned.push_back(
          {handle, reads && handle->initialized, contributes || (mode & STARPU_W) != 0});
    }
  }
  if (!execution.pinned.empty()) {
    Doing doing(worker.activity, Activity::kWaiting);
    const std::span<const Use> uses(execution.pinned.begin(), execution.pinned.end());
    if (patience.for_room) {
      runtime.residency().PinOn(worker.node, uses, execution.arrivals);
    } else if (!runtime.residency().TryPinOn(worker.node, uses, execution.arrivals)) {
      execution.pinned.clear();
      return false;
    }
  }
  if (hits) Add(worker.data_hits, hits);
  if (misses) Add(worker.data_misses, misses);
  if (patience.for_arrivals) runtime.WaitFor(execution.arrivals);
  MemoryStats* const stats = runtime.memory_stats();
  for (unsigned i = 0; i < count; ++i) {
    Handle* handle = BufferHandle(task, i);
    execution.buffers[i] = Prepare(handle, BufferMode(task, i), worker, task);
    execution.has_formats |= IsMultiformat(handle);
    if (stats) stats->Used(handle);
  }
  // If kTaskStart is recorded, it ends the state.
  if (Recorder::Enabled<EventKind::kDataLoad>() && !Recorder::Enabled<EventKind::kTaskStart>()) {
    trace::State(StateKind::kOverhead, StateKind::kFetchingInput);
  }
  return true;
}

void AwaitStart(Runtime& runtime, Worker& worker) {
  if (runtime.pauses().MayBegin(worker)) [[likely]]
    return;
  trace::State(StateKind::kSleeping);
  Doing doing(worker.activity, Activity::kSleeping);
  while (!runtime.pauses().MayBegin(worker)) runtime.pauses().WaitWhilePaused(0);
  trace::State(StateKind::kOverhead, StateKind::kSleeping);
}

namespace {
// Not inlined: few tasks need this.
[[gnu::noinline]] void PrepareValues(const Worker& worker, const Execution& execution) {
  if (execution.has_formats) Convert(worker, *execution.job->task);
  for (Handle* handle : execution.without_value) {
    if (!handle->initialized) InitializeOn({worker.node, worker.kind}, handle);
  }
}
}  // namespace

void BeforeFunction(Runtime& runtime, Worker& worker, Execution& execution) {
  starpu_task& task = *execution.job->task;
  if (execution.has_formats || !execution.without_value.empty()) [[unlikely]]
    PrepareValues(worker, execution);
  ProfileMoment(&task, &starpu_profiling_task_info::acquire_data_end_time);
  task.status = STARPU_TASK_RUNNING;
  if (ProgramPolicy* policy = runtime.program_policy(execution.job->context))
    policy->BeforeRun(&task);
  ProfileMoment(&task, &starpu_profiling_task_info::start_time);
  const bool wants_length = runtime.perf_counters().on() || IsToBeMeasured(task) || Bound::On();
  execution.start_ns = wants_length ? NowNs() : 0;
  runtime.hooks().NoteStart(execution.job);
}

void AfterFunction(Runtime& runtime, Worker& worker, Execution& execution, uint64_t length_ns) {
  ThreadState& thread = ThisThread();
  Job* const job = execution.job;
  starpu_task& task = *job->task;
  const unsigned count = BufferCount(task);
  ProfileMoment(&task, &starpu_profiling_task_info::end_time);
  ProfileMoment(&task, &starpu_profiling_task_info::release_data_start_time);
  worker.activity.CountTask(task.flops);
  if (execution.start_ns) {
    if (runtime.perf_counters().on())
      runtime.perf_counters().Executed(static_cast<size_t>(worker.id), &worker, task.cl, length_ns);
    if (Bound::On()) Bound::Ran(job, length_ns);
    if (IsToBeMeasured(task) && !task.failed) {
      starpu_perfmodel_arch* const arch =
          job->together ? CpuArch(static_cast<int>(job->team->size())) : worker.arch;
      FeedModel(task.cl->model, &task, arch, job->implementation,
                static_cast<double>(length_ns) / 1000);
    }
  }
  if (count > 0) NoteWritten(worker, task, count);
  for (const Use& use : execution.pinned) runtime.residency().UnpinOn(worker.node, use.handle);
  if (ProgramPolicy* policy = runtime.program_policy(job->context)) policy->AfterRun(&task);
  if (job->context) TellRun(*runtime.contexts().Find(job->context), job);
  Add(worker.executed, 1);
  if (runtime.settings.count_codelets) {
    // Written by this worker only; other threads may read it.
    auto& stat = task.cl->per_worker_stats[worker.id];
    __atomic_store_n(&stat, stat + 1, __ATOMIC_RELAXED);
  }
  thread.current = nullptr;
  if (count > 0 && !worker.pushes_output) trace::State(StateKind::kPushingOutput);
  worker.pushes_output = false;
  worker.ends = job;
  FunctionEnded(job);
  if (worker.ends) {
    trace::State(StateKind::kScheduling,
                 count > 0 ? StateKind::kPushingOutput : StateKind::kScheduling);
  }
  worker.ends = nullptr;
  Add(worker.over, 1);
  runtime.residency().NoteFreed();
}

}  // namespace tasklens::runtime
