// SPDX-License-Identifier: Apache-2.0
// The longer trace points, out of line.
#include "runtime/core/trace_points.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "runtime/core/eligibility.h"
#include "runtime/core/generate_trace.h"
#include "runtime/core/runtime.h"
#include "runtime/core/task_data.h"
#include "runtime/data/footprint.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"
#include "runtime/support/message.h"

namespace tasklens::runtime::trace {
namespace {

constexpr int kMostProcessors = 1 << 16;

uint32_t ShapeId(Handle* handle) {
  uint32_t id = handle->shape_id.load(std::memory_order_relaxed);
  if (id == 0) {
    id = Recorder::Intern(DescribeShape(handle)).value;
    handle->shape_id.store(id, std::memory_order_relaxed);
  }
  return id;
}

// Asks the system for the NUMA nodes that hold pages of the data, a bit each; -1: not known.
int64_t NumaNodesOf(Handle* handle) {
  hwloc_topology_t topology = Runtime::Instance()->topology().hwloc();
  const void* place = handle->ops->to_pointer
                          ? handle->ops->to_pointer(handle->interface, STARPU_MAIN_RAM)
                          : nullptr;
  if (!topology || !place) return -1;
  hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
  int64_t bits = -1;
  if (hwloc_get_area_memlocation(topology, place, handle->size_bytes, nodes,
                                 HWLOC_MEMBIND_BYNODESET) == 0 &&
      !hwloc_bitmap_iszero(nodes)) {
    bits = static_cast<int64_t>(hwloc_bitmap_to_ulong(nodes));
  }
  hwloc_bitmap_free(nodes);
  return bits;
}

// The number of processors that this process may use; 0: not known.
int UsableProcessors() {
  cpu_set_t* const set = CPU_ALLOC(kMostProcessors);
  if (!set) return 0;
  const size_t bytes = CPU_ALLOC_SIZE(kMostProcessors);
  const int count = sched_getaffinity(getpid(), bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
  CPU_FREE(set);
  return count;
}

void Info(std::string_view key, std::string_view value) {
  Record<EventKind::kProgramInfo>(key, value);
}

// Returns 0 if the task has no colour.
uint32_t ColorOf(const starpu_task& task) {
  return task.color ? task.color : task.cl ? task.cl->color : 0;
}

// Records the accesses of a task, several to a record. A single access is recorded as an event:
// that is as short and takes less time.
class Accesses {
 public:
  Accesses(uint64_t id, RecordMoment now, size_t count) : id_(id), now_(now), alone_(count == 1) {}
  ~Accesses() { Write(); }
  Accesses(const Accesses&) = delete;
  Accesses& operator=(const Accesses&) = delete;

  void Add(const Handle* handle, uint32_t mode) {
    if (alone_ || !tlt::FitsAccess(handle->size_bytes, mode)) {
      Write();
      RecordAt<EventKind::kTaskAccess>(now_, id_, handle, handle->size_bytes, mode);
      return;
    }
    if (count_ == std::size(words_)) Write();
    words_[count_++] = reinterpret_cast<uintptr_t>(handle);
    words_[count_++] = tlt::SizeAndMode(handle->size_bytes, mode);
  }

 private:
  void Write() {
    if (count_ == 0) return;
    RecordJointAt<tlt::Joint::kAccesses>(now_, id_, std::span<const uint64_t>(words_, count_));
    count_ = 0;
  }

  const uint64_t id_;
  const RecordMoment now_;
  const bool alone_;
  uint64_t words_[2 * tlt::kMaxJointAccesses];
  size_t count_ = 0;
};

StrId LabelId(DependencyLabel label) {
  static const StrId kIds[] = {Recorder::Intern("task"), Recorder::Intern("ghost")};
  return kIds[label];
}

void RecordAccesses(const Job* job, uint64_t id, RecordMoment now) {
  const starpu_task& task = *job->task;
  const unsigned count = BufferCount(task);
  Accesses accesses(id, now, count ? count : job->accesses.size());
  if (count) {
    for (unsigned i = 0; i < count; ++i) {
      accesses.Add(BufferHandle(task, i), static_cast<uint32_t>(BufferMode(task, i)));
    }
    return;
  }
  for (const Access& access : job->accesses) {  // an internal job
    accesses.Add(access.handle, access.kind == AccessKind::kRead ? STARPU_R : STARPU_RW);
  }
}

// Records the submission with colour and accesses in one record. Returns false if they do not fit.
bool RecordWholeSubmission(const Job* job, uint64_t id, RecordMoment now, const char* name,
                           bool begins, int32_t iteration, int32_t subiteration) {
  const starpu_task& task = *job->task;
  const unsigned count = BufferCount(task);
  const Site site = SiteOfJob(*job);
  if (count == 0 || count > tlt::kMaxWholeAccesses || !tlt::FitsShort(id) ||
      !tlt::FitsShort(job->submit_order) || !tlt::FitsTypeAndLine(job->type, site.line)) {
    return false;
  }
  uint64_t accesses[2 * tlt::kMaxWholeAccesses];
  for (unsigned i = 0; i < count; ++i) {
    const Handle* const handle = BufferHandle(task, i);
    const auto mode = static_cast<uint32_t>(BufferMode(task, i));
    if (!tlt::FitsAccess(handle->size_bytes, mode)) return false;
    accesses[2 * i] = reinterpret_cast<uintptr_t>(handle);
    accesses[2 * i + 1] = tlt::SizeAndMode(handle->size_bytes, mode);
  }
  RecordJointAt<tlt::Joint::kWholeSubmission>(
      now, static_cast<uint32_t>(id), static_cast<uint32_t>(job->submit_order), iteration,
      subiteration, task.priority, tlt::TypeAndLine(job->type, begins, site.line), ColorOf(task),
      site.file, site.function, name, ModelOf(task),
      std::span<const uint64_t>(accesses, size_t{2} * count));
  return true;
}

// Records the submission in a short record. Returns false if it does not fit.
bool RecordShortSubmission(const Job* job, uint64_t id, RecordMoment now, const char* name,
                           bool begins) {
  const starpu_task& task = *job->task;
  const unsigned count = BufferCount(task);
  const Site site = SiteOfJob(*job);
  if (count > 1 || (count == 0 && !job->accesses.empty()) || !tlt::FitsShort(id) ||
      !tlt::FitsShort(job->submit_order) || !tlt::FitsTypeAndLine(job->type, site.line)) {
    return false;
  }
  const auto order = static_cast<uint32_t>(job->submit_order);
  const uint32_t type_and_line = tlt::TypeAndLine(job->type, begins, site.line);
  if (count == 0) {
    RecordJointAt<tlt::Joint::kShortSubmission>(now, static_cast<uint32_t>(id), order,
                                                task.priority, type_and_line, site.file,
                                                site.function, name, ModelOf(task));
    return true;
  }
  const Handle* const handle = BufferHandle(task, 0);
  if (!tlt::FitsShort(handle->size_bytes)) return false;
  RecordJointAt<tlt::Joint::kShortAccess>(
      now, static_cast<uint32_t>(id), order, task.priority, type_and_line, site.file, site.function,
      name, ModelOf(task), handle, static_cast<uint32_t>(handle->size_bytes),
      static_cast<uint32_t>(BufferMode(task, 0)));
  return true;
}

// Records all that is known when the function of a task begins in one record. Returns false if it
// does not fit or not all categories are enabled.
bool RecordWholeBegin(const Job* job, RecordMoment now, int worker, uint32_t node) {
  constexpr uint32_t kAll = CategoryBit(Category::kTask) | CategoryBit(Category::kTaskVerbose) |
                            CategoryBit(Category::kData);
  const starpu_task& task = *job->task;
  if (task.tag_id != 0 || !Recorder::EnabledInAll(kAll)) return false;
  const unsigned count = BufferCount(task);
  const uint64_t id = job->id.load(std::memory_order_relaxed);
  const auto short_id = static_cast<uint32_t>(id);
  const auto short_bytes = static_cast<uint32_t>(job->size_bytes);
  const auto of_worker = static_cast<uint32_t>(worker);
  const bool is_short = tlt::FitsShort(id) && tlt::FitsShort(job->size_bytes) &&
                        tlt::FitsWorkerNodeCtx(of_worker, node, job->context);
  if (count <= 1 && task.flops == 0) {
    const StrId parameter{count ? ShapeId(BufferHandle(task, 0)) : 0};
    if (is_short) {
      RecordJointAt<tlt::Joint::kShortBegin>(now, short_id, short_bytes, job->footprint,
                                             tlt::WorkerNodeCtx(of_worker, node, job->context),
                                             parameter);
    } else {
      RecordJointAt<tlt::Joint::kPlainBegin>(now, id, job->size_bytes, job->footprint, of_worker,
                                             node, job->context, parameter);
    }
    return true;
  }
  if (count == 0 || count > tlt::kMaxWholeParameters || !is_short) return false;
  StrId shapes[tlt::kMaxWholeParameters];
  for (unsigned i = 0; i < count; ++i) shapes[i] = {ShapeId(BufferHandle(task, i))};
  RecordJointAt<tlt::Joint::kWholeBegin>(now, short_id, short_bytes, job->footprint,
                                         tlt::WorkerNodeCtx(of_worker, node, job->context),
                                         task.flops, std::span<const StrId>(shapes, count));
  return true;
}

void RecordParameters(const starpu_task& task, uint64_t id, RecordMoment now) {
  const unsigned count = BufferCount(task);
  if (count == 1) {
    RecordAt<EventKind::kTaskParameter>(now, id, StrId{ShapeId(BufferHandle(task, 0))});
    return;
  }
  StrId shapes[tlt::kMaxJointParameters];
  for (unsigned i = 0; i < count;) {
    size_t filled = 0;
    while (i < count && filled < std::size(shapes)) {
      shapes[filled++] = {ShapeId(BufferHandle(task, i++))};
    }
    RecordJointAt<tlt::Joint::kParameters>(now, id, std::span<const StrId>(shapes, filled));
  }
}

// Records which workers can run a task that not every worker can run: the kinds with a function,
// once per task name, and the workers in its workerids. (The answers of can_execute() are not
// recorded.)
void RecordWhoCan(const Job* job, uint64_t id, RecordMoment now, const char* name) {
  Runtime& runtime = *Runtime::Instance();
  starpu_task* const task = job->task;
  if (!HasWork(*task)) return;
  if (!runtime.are_alike() && !task->cl->can_execute) {
    const uint32_t kinds = KindsWithFunction(runtime, task);
    const StrId text = Recorder::Intern(name);
    if (text.value != 0 && runtime.recorded_kinds.Add(text.value, kinds))
      RecordAt<EventKind::kCodeletWhere>(now, text, uint64_t{kinds});
  }
  if (job->pinned_worker >= 0) {
    RecordAt<EventKind::kTaskBound>(now, id, static_cast<uint32_t>(job->pinned_worker));
  } else if (task->workerids_len) {
    for (const auto& worker : runtime.workers())
      if (IsNamed(*worker, *task))
        RecordAt<EventKind::kTaskBound>(now, id, static_cast<uint32_t>(worker->id));
  }
}

}  // namespace

void Dependencies::AddSlow(uint64_t predecessor, DependencyLabel label) {
  const uint64_t successor = successor_->id.load(std::memory_order_relaxed);
  if (!tlt::FitsShort(predecessor) || !tlt::FitsShort(successor)) {
    RecordIn<EventKind::kTaskDep>(kAllCategories, predecessor, successor,
                                  static_cast<uint32_t>(successor_->type), LabelId(label));
    return;
  }
  const auto id = static_cast<uint32_t>(predecessor);
  const auto end = predecessors_.begin() + static_cast<std::ptrdiff_t>(count_);
  if (std::find(predecessors_.begin(), end, id) != end) return;
  if (count_ == predecessors_.size()) Write();
  predecessors_[count_] = id;
  labels_[count_++] = label;
}

void Dependencies::Write() {
  WriteThose(kDepTask);
  WriteThose(kDepGhost);
  count_ = 0;
}

void Dependencies::WriteThose(DependencyLabel label) {
  std::array<uint32_t, tlt::kMaxJointDependencies> those;
  size_t count = 0;
  for (size_t i = 0; i < count_; ++i) {
    if (labels_[i] == label) those[count++] = predecessors_[i];
  }
  if (count == 0) return;
  RecordJointAt<tlt::Joint::kDependencies>(
      Recorder::Now(), static_cast<uint32_t>(successor_->id.load(std::memory_order_relaxed)),
      static_cast<uint32_t>(successor_->type), LabelId(label),
      std::span<const uint32_t>(those.data(), count));
}

void SubmitSlow(const Job* job) {
  const starpu_task& task = *job->task;
  const uint64_t id = job->id.load(std::memory_order_relaxed);
  const Runtime& runtime = *Runtime::Instance();
  RecordMoment now = Recorder::Now();
  const char* const name = task.cl ? NameOf(task) : task.name;
  if (job->restricted || job->pinned_worker >= 0) RecordWhoCan(job, id, now, name);
  bool& begins_to_submit = ThisThread().begins_to_submit;
  const bool begins = begins_to_submit;
  begins_to_submit = false;
  const int32_t iteration = runtime.iterations.Outer();
  const int32_t subiteration = runtime.iterations.Inner();
  const bool is_short =
      iteration == -1 && subiteration == -1 && RecordShortSubmission(job, id, now, name, begins);
  if (!is_short) {
    if (RecordWholeSubmission(job, id, now, name, begins, iteration, subiteration)) return;
    if (begins) {
      RecordIn<EventKind::kStatePush>(kAllCategories,
                                      static_cast<uint32_t>(StateKind::kSubmittingTask));
      now = Recorder::Now();
    }
    const Site site = SiteOfJob(*job);
    RecordJointAt<tlt::Joint::kSubmission>(
        now, id, job->submit_order, iteration, subiteration, task.priority,
        static_cast<uint32_t>(job->type), site.line, site.file, site.function, name, ModelOf(task));
  }
  const uint32_t color = ColorOf(task);
  if (color) RecordAt<EventKind::kTaskColor>(now, id, color);
  if (!is_short) RecordAccesses(job, id, now);
}

void CallSite() {
  const Site& call = ThisThread().call;
  if (call.file) Record<EventKind::kCallSite>(call.line, call.file, call.function);
}

void NoteData(Job* job) {
  starpu_task* const task = job->task;
  job->size_bytes = BytesOf(*task);
  job->footprint = FootprintOfTask(task->cl->model, task, nullptr, job->implementation);
}

void StartSlow(Job* job, int worker, bool first) {
  const RecordMoment now = Recorder::Now();
  const starpu_task& task = *job->task;
  const uint64_t id = job->id.load(std::memory_order_relaxed);
  const uint32_t context = job->context;
  const uint32_t node = Runtime::Instance()->worker(worker)->node;
  if (first) {
    const unsigned count = BufferCount(task);
    for (unsigned i = 0; i < count && Recorder::Enabled<EventKind::kTaskNuma>(); ++i) {
      RecordAt<EventKind::kTaskNuma>(now, id, i, NumaNodesOf(BufferHandle(task, i)));
    }
    if (!job->together) NoteData(job);
    if (RecordWholeBegin(job, now, worker, node)) return;
    if (Recorder::Enabled<EventKind::kTaskParameter>()) RecordParameters(task, id, now);
    constexpr uint32_t kBoth = CategoryBit(Category::kTask) | CategoryBit(Category::kTaskVerbose);
    if (Recorder::EnabledInAll(kBoth)) {
      RecordJointAt<tlt::Joint::kBegin>(now, id, job->size_bytes, job->footprint, task.tag_id,
                                        task.flops, static_cast<uint32_t>(worker), node, context);
      return;
    }
    RecordAt<EventKind::kTaskDetails>(now, id, job->size_bytes, job->footprint, task.tag_id,
                                      task.flops);
  }
  RecordAt<EventKind::kTaskStart>(now, id, static_cast<uint32_t>(worker), node, context);
}

void ContinueSlow(const Job* job, int worker) {
  Record<EventKind::kTaskResume>(job->id.load(std::memory_order_relaxed),
                                 static_cast<uint32_t>(worker),
                                 Runtime::Instance()->worker(worker)->node, uint32_t{job->context});
}

void PoppedToFetchSlow(const Job* job, int worker) {
  const starpu_task& task = *job->task;
  RecordJointAt<tlt::Joint::kFetch>(Recorder::Now(), job->id.load(std::memory_order_relaxed),
                                    BytesOf(task), task.priority, static_cast<uint32_t>(worker));
}

bool EndSlow(const Job* job, int worker, bool pushes) {
  static const StrId kCpuArchs[] = {
      Recorder::Intern("cpu0_impl0 (Comb0)"), Recorder::Intern("cpu0_impl1 (Comb0)"),
      Recorder::Intern("cpu0_impl2 (Comb0)"), Recorder::Intern("cpu0_impl3 (Comb0)")};
  Worker* const of_id = Runtime::Instance()->worker(worker);
  StrId arch = kCpuArchs[job->implementation % std::size(kCpuArchs)];
  if (of_id->kind != STARPU_CPU_WORKER || of_id->arch->devices[0].devid != 0) {
    char name[64];
    starpu_perfmodel_get_arch_name(of_id->arch, name, sizeof(name), job->implementation);
    arch = Recorder::Intern(name);
  }
  const uint64_t id = job->id.load(std::memory_order_relaxed);
  const auto number = static_cast<uint32_t>(worker);
  if (tlt::FitsShort(id) && tlt::FitsShort(job->size_bytes) && tlt::FitsWorkerAndState(number)) {
    const bool both = pushes && Recorder::EnabledIn(CategoryBit(Category::kDsm));
    RecordJointAt<tlt::Joint::kShortEnd>(Recorder::Now(), static_cast<uint32_t>(id),
                                         static_cast<uint32_t>(job->size_bytes), job->footprint,
                                         tlt::WorkerAndState(number, both), arch);
    return both;
  }
  Record<EventKind::kTaskEnd>(id, number, job->size_bytes, job->footprint, arch);
  return false;
}

void RecordScheduler(const char* name) { Info("scheduler", std::string_view(name)); }

void StartRun(int id, std::vector<std::string>& files, bool paused) {
  if (!EnvironmentWantsTrace() || Recorder::Started()) return;
  RecorderOptions options = RecorderOptionsFromEnvironment(id);
  for (int run = 2; std::find(files.begin(), files.end(), options.path) != files.end(); ++run)
    options.path = RecorderOptionsFromEnvironment(id, run).path;
  options.paused = paused;
  if (VirtualTime::On()) options.clock_ns = &VirtualTime::NowNs;
  if (Status status = Recorder::Start(options); !status.ok()) {
    Warn("this run is not recorded: %s", std::string(status.message()).c_str());
    return;
  }
  files.push_back(options.path);
  Info("runtime", "TaskLens");
  if (!VirtualTime::On()) Info("processors", std::to_string(UsableProcessors()));
  Record<EventKind::kMemoryNodeNew>(0u, "NUMA 0");
}

void StopRun(int id) {
  if (!Recorder::Started()) return;
  Recorder::Stop();
  GenerateTrace(Recorder::Path(), id);
}

}  // namespace tasklens::runtime::trace
