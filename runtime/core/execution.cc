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
#include "runtime/core/specific_nodes.h"
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

// The memory nodes of the buffers of a job that runs on a worker. kNamed: its codelet names them;
// other jobs pay nothing for it.
template <bool kNamed>
class Nodes {
 public:
  Nodes(const Job& job, const Worker& worker) : placement_(job.placement), local_(worker.node) {}
  bool IsNone(unsigned i) const { return kNamed && placement_->nodes[i] == kNoNode; }
  // REQUIRES: !IsNone(i).
  unsigned operator[](unsigned i) const {
    return kNamed ? static_cast<unsigned>(placement_->nodes[i]) : local_;
  }

 private:
  const Placement* const placement_;
  const unsigned local_;
};
size_t SlotOn(unsigned node, const Worker& worker) {
  return ScratchSlot(worker.id, worker.node, node);
}

// Whether the worker's device itself makes the first value: only for exclusive access.
bool StartsOn(unsigned node, const Worker& worker, const Handle* used, unsigned mode) {
  const bool is_exclusive = IsRedux(mode) || (mode & STARPU_W);
  return is_exclusive && node == worker.node && CanInitializeOn({node, worker.kind}, used);
}

// Returns the interface that the function gets for a buffer on the node.
void* Prepare(Handle* handle, unsigned mode, unsigned node, Worker& worker,
              const starpu_task& task) {
  if (IsScratch(mode))
    return ScratchInterface(Runtime::Instance()->residency(), handle, SlotOn(node, worker));
  handle = Used(handle, mode, worker);
  if (node != STARPU_MAIN_RAM) return InterfaceOn(handle, node);
  const bool reads = NeedsValue(mode);
  if (!handle->allocated || (reads && !handle->initialized)) {
    MakeReady(handle, reads, worker, task);
  }
  return handle->interface;
}

void** InterfacesOf(starpu_task& task, unsigned count) {
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
bool NeedsMemory(Handle* handle, unsigned mode, unsigned node, const Worker& worker) {
  if (IsScratch(mode)) return !HasScratch(handle, SlotOn(node, worker));
  const Handle* used = Used(handle, mode, worker);
  return NeedsValue(mode) && !used->initialized && !StartsOn(node, worker, used, mode);
}

// Converts multiformat data to the layout of their nodes.
template <bool kNamed>
void Convert(const Worker& worker, const Job& job) {
  const starpu_task& task = *job.task;
  const unsigned count = BufferCount(task);
  const Nodes<kNamed> nodes(job, worker);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned mode = BufferMode(task, i);
    if (nodes.IsNone(i) || !IsMultiformat(BufferHandle(task, i)) || IsScratch(mode)) continue;
    Handle* const handle = Used(BufferHandle(task, i), mode, worker);
    if (NeedsValue(mode) && handle->initialized)
      MakeLayoutOn(&worker, handle, nodes[i]);
    else
      WillWriteOwnLayout(handle, nodes[i]);
  }
}

// Marks written data as initialised, and frees scratch buffers for others.
template <bool kNamed>
void NoteWritten(const Worker& worker, const Job& job, unsigned count) {
  const starpu_task& task = *job.task;
  const Nodes<kNamed> nodes(job, worker);
  for (unsigned i = 0; i < count; ++i) {
    if (nodes.IsNone(i)) continue;
    const unsigned mode = BufferMode(task, i);
    const AccessKind kind = KindOf(mode);
    // (An asynchronous driver, with several tasks under way that may share a scratch buffer,
    // releases it itself.)
    if (kind == AccessKind::kScratch && !worker.driver->is_asynchronous())
      ReleaseScratch(BufferHandle(task, i), SlotOn(nodes[i], worker));
    if (kind == AccessKind::kWrite || kind == AccessKind::kCommute) {
      Handle* handle = BufferHandle(task, i);
      if (!handle->initialized) trace::DataState(handle, DataCopyState::kOwner, nodes[i]);
      handle->initialized = true;
      if (handle->written_through) Runtime::Instance()->residency().WriteThrough(handle, nodes[i]);
    }
  }
}

}  // namespace

std::optional<size_t> ScratchSlotOf(const Job& job, unsigned buffer, const Worker& worker) {
  if (!IsScratch(BufferMode(*job.task, buffer))) return std::nullopt;
  if (!job.placement) return SlotOn(worker.node, worker);
  const int node = job.placement->nodes[buffer];
  if (node == kNoNode) return std::nullopt;
  return SlotOn(static_cast<unsigned>(node), worker);
}

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
  execution.buffers = InterfacesOf(task, count);
  if (!fetches_at_once) RecordFetch(worker, task);
}

namespace {

// What FetchInput() finds out about a task's data.
struct Found {
  uint64_t hits = 0, misses = 0;
  bool is_any_elsewhere = false;  // on another node than the worker's
};

// Notes what has to be pinned for a buffer, and makes its first value if that is made in the main
// memory. Returns false if it would have to wait for memory and must not. (Inlined: it is called
// once, for each buffer.)
template <bool kNamed>
[[gnu::always_inline]] inline bool Find(Worker& worker, Execution& execution, unsigned i,
                                        unsigned node, bool may_wait, Found& found) {
  const starpu_task& task = *execution.job->task;
  const unsigned mode = BufferMode(task, i);
  if (!may_wait && NeedsMemory(BufferHandle(task, i), mode, node, worker)) return false;
  if (IsScratch(mode)) {
    // Before anything is pinned, as this may wait for other tasks to free memory.
    Prepare(BufferHandle(task, i), mode, node, worker, task);
    return true;
  }
  const bool on_device = node != STARPU_MAIN_RAM, is_local = !kNamed || node == worker.node;
  Handle* const handle = Used(BufferHandle(task, i), mode, worker);
  const bool reads = NeedsValue(mode), contributes = IsRedux(mode);
  const bool is_there = on_device ? Runtime::Instance()->residency().IsOn(handle, node)
                                  : handle->allocated && !handle->away;
  if (!contributes) ++(is_there && (!reads || handle->initialized) ? found.hits : found.misses);
  if (reads && !handle->initialized && (on_device || contributes)) {
    if (StartsOn(node, worker, handle, mode)) {
      execution.without_value.push_back(handle);
    } else {
      MakeReady(handle, reads, worker, task);
    }
  }
  found.is_any_elsewhere |= !is_local;
  if (!on_device && handle->arrives) execution.arrivals.push_back(handle->arrives);
  if (!on_device && !Travels(handle)) return true;
  const Use use{handle, reads && handle->initialized, contributes || (mode & STARPU_W) != 0};
  if (is_local)
    execution.pinned.push_back(use);
  else
    execution.job->placement->pinned.push_back({use, node});
  return true;
}

// Pins what Find() noted, all or nothing.
bool PinHere(Residency& residency, Worker& worker, Execution& execution, bool may_wait) {
  Doing doing(worker.activity, Activity::kWaiting);
  const std::span<const Use> uses(execution.pinned.begin(), execution.pinned.end());
  if (!may_wait) return residency.TryPinOn(worker.node, uses, execution.arrivals);
  residency.PinOn(worker.node, uses, execution.arrivals);
  return true;
}
bool PinElsewhere(Residency& residency, Worker& worker, Execution& execution, bool may_wait) {
  Doing doing(worker.activity, Activity::kWaiting);
  SmallVector<PlacedUse, 4> all;
  for (const PlacedUse& placed : execution.job->placement->pinned) all.push_back(placed);
  for (const Use& use : execution.pinned) all.push_back({use, worker.node});
  const std::span<const PlacedUse> uses(all.begin(), all.end());
  if (!may_wait) return residency.TryPinPlaced(uses, execution.arrivals);
  residency.PinPlaced(uses, execution.arrivals);
  return true;
}

template <bool kNamed>
bool Fetch(Runtime& runtime, Worker& worker, Execution& execution, const Patience& patience) {
  const Job& job = *execution.job;
  const starpu_task& task = *job.task;
  const unsigned count = BufferCount(task);
  const Nodes<kNamed> nodes(job, worker);
  Found found;
  execution.pinned.clear();
  execution.without_value.clear();
  if (kNamed) job.placement->pinned.clear();
  for (unsigned i = 0; i < count; ++i) {
    if (nodes.IsNone(i)) continue;
    if (!Find<kNamed>(worker, execution, i, nodes[i], patience.for_room, found)) return false;
  }
  bool is_pinned = true;
  if (kNamed && !job.placement->pinned.empty()) {
    is_pinned = PinElsewhere(runtime.residency(), worker, execution, patience.for_room);
  } else if (!execution.pinned.empty()) {
    is_pinned = PinHere(runtime.residency(), worker, execution, patience.for_room);
  }
  if (!is_pinned) {
    execution.pinned.clear();
    if (kNamed) job.placement->pinned.clear();
    return false;
  }
  if (found.hits) Add(worker.data_hits, found.hits);
  if (found.misses) Add(worker.data_misses, found.misses);
  // A stream does not wait for data that the function reads with the processor.
  if (patience.for_arrivals || found.is_any_elsewhere) runtime.WaitFor(execution.arrivals);
  MemoryStats* const stats = runtime.memory_stats();
  for (unsigned i = 0; i < count; ++i) {
    Handle* handle = BufferHandle(task, i);
    // (Of data that are nowhere the function may read the shape, as in StarPU.)
    if (nodes.IsNone(i))
      execution.buffers[i] = handle->interface;
    else
      execution.buffers[i] = Prepare(handle, BufferMode(task, i), nodes[i], worker, task);
    execution.has_formats |= IsMultiformat(handle);
    if (stats) stats->Used(handle);
  }
  return true;
}

[[gnu::noinline]] void EndPlacement(const Worker& worker, Job* job) {
  NoteWritten<true>(worker, *job, BufferCount(*job->task));
  for (const PlacedUse& placed : job->placement->pinned)
    Runtime::Instance()->residency().UnpinOn(placed.node, placed.use.handle);
  RemovePlacement(job);
}

}  // namespace

bool FetchInput(Runtime& runtime, Worker& worker, Execution& execution, const Patience& patience) {
  Job* const job = execution.job;
  if (BufferCount(*job->task) == 0) return true;
  if (job->task->cl->specific_nodes) [[unlikely]] {
    if (!job->placement) ChooseNodes(job, worker.node);
    if (!Fetch<true>(runtime, worker, execution, patience)) return false;
  } else if (!Fetch<false>(runtime, worker, execution, patience)) {
    return false;
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
  const Job& job = *execution.job;
  if (execution.has_formats && job.placement) Convert<true>(worker, job);
  if (execution.has_formats && !job.placement) Convert<false>(worker, job);
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
  if (count > 0) {
    if (!job->placement) [[likely]]
      NoteWritten<false>(worker, *job, count);
    else
      EndPlacement(worker, job);
  }
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
