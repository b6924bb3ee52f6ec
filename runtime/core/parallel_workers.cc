// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/parallel_workers.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "runtime/core/runtime.h"
#include "runtime/core/submit.h"
#include "runtime/core/team.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

constexpr unsigned kNone = STARPU_NMAX_SCHED_CTXS;

// Settings that may be given for all groups, for those of one part of the machine, or for one
// group.
struct Wishes {
  int count = 0, least = 0, most = 0;
  bool alike = false, rather_few = false, awake = false;
  void (*create)(void*) = GiveOpenMpItsThreads;
  void* create_arg = nullptr;
};

struct GroupWish {
  Wishes wishes;
  size_t workers = 0;  // 0: an equal share
};
struct PartWish {
  Wishes wishes;
  std::vector<GroupWish> groups;
};

// The arguments of starpu_parallel_worker_init().
struct Request {
  Wishes wishes;
  std::vector<PartWish> parts;
  const char* policy_name = nullptr;
  starpu_sched_policy* policy = nullptr;
  bool readable = true;
};

Request Read(va_list args) {
  Request request;
  std::optional<size_t> part, group;  // the part and group that arguments apply to now
  const auto wishes = [&]() -> Wishes& {
    if (group) return request.parts[*part].groups[*group].wishes;
    return part ? request.parts[*part].wishes : request.wishes;
  };
  const auto begin_part = [&] {
    request.parts.push_back({wishes(), {}});
    part = request.parts.size() - 1;
    group.reset();
  };
  while (const int kind = va_arg(args, int)) {
    switch (kind) {
      case STARPU_PARALLEL_WORKER_MIN_NB: wishes().least = va_arg(args, int); break;
      case STARPU_PARALLEL_WORKER_MAX_NB: wishes().most = va_arg(args, int); break;
      case STARPU_PARALLEL_WORKER_NB: wishes().count = va_arg(args, int); break;
      case STARPU_PARALLEL_WORKER_PREFERE_MIN: wishes().rather_few = va_arg(args, int); break;
      case STARPU_PARALLEL_WORKER_KEEP_HOMOGENEOUS: wishes().alike = va_arg(args, int); break;
      case STARPU_PARALLEL_WORKER_POLICY_NAME:
        request.policy_name = va_arg(args, const char*);
        break;
      case STARPU_PARALLEL_WORKER_POLICY_STRUCT:
        request.policy = va_arg(args, starpu_sched_policy*);
        break;
      case STARPU_PARALLEL_WORKER_CREATE_FUNC:
        wishes().create = va_arg(args, void (*)(void*));
        break;
      case STARPU_PARALLEL_WORKER_CREATE_FUNC_ARG: wishes().create_arg = va_arg(args, void*); break;
      // All groups are for OpenMP.
      case STARPU_PARALLEL_WORKER_TYPE: (void)va_arg(args, int); break;
      case STARPU_PARALLEL_WORKER_AWAKE_WORKERS: wishes().awake = va_arg(args, unsigned); break;
      case STARPU_PARALLEL_WORKER_PARTITION_ONE: begin_part(); break;
      case STARPU_PARALLEL_WORKER_NEW:
      case STARPU_PARALLEL_WORKER_NCORES:
        if (!part) begin_part();
        if (kind == STARPU_PARALLEL_WORKER_NEW || !group) {
          auto& groups = request.parts[*part].groups;
          groups.push_back({request.parts[*part].wishes, 0});
          group = groups.size() - 1;
        }
        if (kind == STARPU_PARALLEL_WORKER_NCORES)
          request.parts[*part].groups[*group].workers = va_arg(args, unsigned);
        break;
      default:
        Warn("starpu_parallel_worker_init(): %d is none of its arguments", kind);
        request.readable = false;
        return request;
    }
  }
  return request;
}

// Into how many groups to divide so many workers.
size_t CountFor(const Wishes& wishes, size_t workers) {
  const auto within = [workers](int count) {
    return std::clamp<size_t>(static_cast<size_t>(std::max(1, count)), 1,
                              std::max<size_t>(1, workers));
  };
  if (wishes.count) return within(wishes.count);
  if (wishes.least <= 0 || wishes.most < wishes.least) return 1;
  const int first = wishes.rather_few ? wishes.least : wishes.most;
  if (!wishes.alike) return within(first);
  // The count nearest to `first` that leaves the fewest workers over.
  const int step = wishes.rather_few ? 1 : -1;
  int best = first;
  for (int count = first; count >= wishes.least && count <= wishes.most; count += step) {
    if (workers % static_cast<size_t>(count) < workers % static_cast<size_t>(best)) best = count;
  }
  return within(best);
}

struct PlannedGroup {
  Wishes wishes;
  std::vector<int> workers;
};

// Divides the workers of one part of the machine, in order, into groups: first those of a given
// size, the rest in equal shares.
std::vector<PlannedGroup> PlanGroups(const PartWish& part, const std::vector<int>& workers) {
  std::vector<PlannedGroup> groups;
  size_t used = 0;
  const auto take = [&](const Wishes& wishes, size_t count) {
    count = std::min(count, workers.size() - used);
    if (count == 0) return;
    const auto first = workers.begin() + static_cast<ptrdiff_t>(used);
    groups.push_back({wishes, {first, first + static_cast<ptrdiff_t>(count)}});
    used += count;
  };
  std::vector<Wishes> sharing;
  for (const GroupWish& wish : part.groups) {
    if (wish.workers) take(wish.wishes, wish.workers);
    if (!wish.workers) sharing.push_back(wish.wishes);
  }
  const size_t left = workers.size() - used;
  if (left == 0) return groups;
  sharing.resize(std::max(sharing.size(), CountFor(part.wishes, left)), part.wishes);
  for (size_t i = 0; i < sharing.size(); ++i)
    take(sharing[i], std::max<size_t>(1, (workers.size() - used) / (sharing.size() - i)));
  return groups;
}

// The CPU workers on the processing units of an hwloc object.
std::vector<int> WorkersBelow(Runtime& runtime, hwloc_obj_t object) {
  const std::vector<int>& units = runtime.topology().units();
  std::vector<int> workers;
  for (const auto& worker : runtime.workers()) {
    if (worker->kind != STARPU_CPU_WORKER) continue;
    // A worker that is not bound counts for the unit that it would be bound to.
    const int unit = worker->os_cpu >= 0 ? worker->os_cpu
                                         : units[static_cast<size_t>(worker->id) % units.size()];
    if (hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(unit)))
      workers.push_back(worker->id);
  }
  return workers;
}

// Returns the workers of each part of the machine that has any; empty (with a warning) if there is
// none.
std::vector<std::vector<int>> MachineParts(Runtime& runtime, hwloc_obj_type_t level) {
  constexpr const char* kName = "starpu_parallel_worker_init";
  if (runtime.simulation()) {
    Warn("%s(): on a simulated machine a parallel task is one of one worker", kName);
    return {};
  }
  std::vector<std::vector<int>> parts;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(runtime.topology().hwloc(), level, object))) {
    if (!object->cpuset) break;
    if (auto workers = WorkersBelow(runtime, object); !workers.empty())
      parts.push_back(std::move(workers));
  }
  if (parts.empty())
    Warn("%s(): the machine has no %s with a CPU worker", kName, hwloc_obj_type_string(level));
  return parts;
}

unsigned CreateAround(const Request& request) {
  starpu_sched_policy* const policy =
      request.policy ? request.policy : starpu_sched_ctx_get_sched_policy(0);
  return request.policy_name && !request.policy
             ? starpu_sched_ctx_create(nullptr, -1, "parallel workers",
                                       STARPU_SCHED_CTX_POLICY_NAME, request.policy_name, 0)
             : starpu_sched_ctx_create(nullptr, -1, "parallel workers",
                                       STARPU_SCHED_CTX_POLICY_STRUCT, policy, 0);
}

unsigned CreateGroup(PlannedGroup& group, unsigned around) {
  const int count = static_cast<int>(group.workers.size());
  int* const ids = group.workers.data();
  return group.wishes.awake
             ? starpu_sched_ctx_create(ids, count, "parallel worker", STARPU_SCHED_CTX_NESTED,
                                       around, STARPU_SCHED_CTX_AWAKE_WORKERS, 0)
             : starpu_sched_ctx_create(ids, count, "parallel worker", STARPU_SCHED_CTX_NESTED,
                                       around, 0);
}

// Submits the task that runs the creation function once on the first worker of a group.
void Prepare(const PlannedGroup& group, unsigned context) {
  if (group.wishes.awake) return;
  starpu_task* const task = starpu_task_create();
  task->cl = &starpu_codelet_nop;
  task->name = "parallel_worker_init";
  task->sched_ctx = context;
  task->possibly_parallel = 1;
  task->prologue_callback_pop_func = group.wishes.create;
  task->prologue_callback_pop_arg = group.wishes.create_arg;
  if (SubmitTask(task, {}))
    Fatal("starpu_parallel_worker_init(): the first task of a group was not accepted");
}

// The program's OpenMP library, if any. GOMP_parallel is GNU's; the LLVM and Intel libraries have
// it, too.
struct OpenMp {
  using SetNumThreads = void (*)(int);
  using ThreadNum = int (*)();
  using Parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);
  SetNumThreads set_num_threads = Find<SetNumThreads>("omp_set_num_threads");
  ThreadNum thread_num = Find<ThreadNum>("omp_get_thread_num");
  Parallel parallel = Find<Parallel>("GOMP_parallel");

  template <class Function>
  static Function Find(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  }
};

struct Binding {
  const OpenMp& openmp;
  const std::vector<int>& units;  // OS number of the unit, by thread
};

void BindThread(void* argument) {
  const auto& binding = *static_cast<const Binding*>(argument);
  const auto thread = static_cast<size_t>(binding.openmp.thread_num());
  if (thread < binding.units.size())
    Runtime::Instance()->topology().BindThisThread(binding.units[thread]);
}

}  // namespace

std::unique_ptr<ParallelWorkers> ParallelWorkers::Create(Runtime& runtime, hwloc_obj_type_t level,
                                                         va_list args) {
  const Request request = Read(args);
  if (!request.readable) return nullptr;
  const std::vector<std::vector<int>> parts = MachineParts(runtime, level);
  if (parts.empty()) return nullptr;
  auto all = std::make_unique<ParallelWorkers>();
  all->around = CreateAround(request);
  bool all_there = all->around != kNone;
  for (size_t i = 0; i < parts.size() && all_there; ++i) {
    const PartWish part =
        i < request.parts.size() ? request.parts[i] : PartWish{request.wishes, {}};
    for (PlannedGroup& group : PlanGroups(part, parts[i])) {
      const unsigned context = CreateGroup(group, all->around);
      all_there = context != kNone;
      if (!all_there) break;
      all->groups.push_back({context, group.workers});
      Prepare(group, context);
    }
  }
  if (!all_there) return nullptr;
  for (const auto& group : all->groups) starpu_task_wait_for_all_in_ctx(group.context);
  starpu_sched_ctx_set_context(&all->around);
  return all;
}

ParallelWorkers::~ParallelWorkers() {
  if (ThisThread().context == &around) starpu_sched_ctx_set_context(nullptr);
  if (around != kNone) starpu_task_wait_for_all_in_ctx(around);
  for (const auto& group : groups) starpu_sched_ctx_delete(group.context);
  if (around != kNone) starpu_sched_ctx_delete(around);
}

void ParallelWorkers::Print(Runtime& runtime) const {
  printf("%zu parallel workers\n", groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    printf("%zu:", i);
    for (const int id : groups[i].workers) printf(" %s", runtime.worker(id)->name.c_str());
    printf("\n");
  }
}

void GiveOpenMpItsThreads(void*) {
  const ThreadState& thread = ThisThread();
  Worker* const worker = thread.worker;
  if (!worker || worker->kind != STARPU_CPU_WORKER || !thread.current) return;
  Runtime& runtime = *Runtime::Instance();
  const Team* const team = thread.current->task->possibly_parallel && thread.current->together
                               ? thread.current->team
                               : nullptr;
  const int threads = team ? team->size() : 1;
  if (worker->openmp_threads == threads) return;
  const OpenMp openmp;
  if (!openmp.set_num_threads) return;
  openmp.set_num_threads(threads);
  worker->openmp_threads = threads;
  if (threads == 1 || !openmp.parallel || !openmp.thread_num) return;
  // This thread is the first of the group.
  std::vector<int> units;
  for (const int id : team->members()) units.push_back(runtime.worker(id)->os_cpu);
  if (std::ranges::any_of(units, [](int unit) { return unit < 0; })) return;
  Binding binding{openmp, units};
  openmp.parallel(BindThread, &binding, static_cast<unsigned>(threads), 0);
}

}  // namespace tasklens::runtime
