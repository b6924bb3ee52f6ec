// SPDX-License-Identifier: Apache-2.0
// Explicit tasks, taskloops, taskwait and taskgroups.
#include <starpu.h>

#include <algorithm>
#include <cstdlib>

#include "runtime/core/pausable.h"
#include "runtime/core/runtime.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/openmp/place.h"
#include "runtime/openmp/state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime::openmp {
namespace {

constexpr const char* kTaskRegion = "starpu_omp_task_region";

// A program that makes tasks recursively could have all of them started and waiting at once, each
// with a stack. With more stacks than this in use, new tasks are undeferred: their parent waits for
// them, which OpenMP allows.
constexpr uint32_t kManyStacks = 1000;

// can_execute for tasks of a team that does not have all workers: only the team's workers.
int IsOfTeam(unsigned worker, starpu_task* task, unsigned implementation) {
  const Job* const job = ExistingJob(task);
  const Task& of_job = *static_cast<const Task*>(job->control);
  const auto own = of_job.codelet->can_execute;
  if (own && !own(worker, task, implementation)) return 0;
  const bool is_cpu =
      Runtime::Instance()->worker(static_cast<int>(worker))->kind == STARPU_CPU_WORKER;
  return !is_cpu || of_job.region->ThreadOn(static_cast<int>(worker)) >= 0;
}

// Creates the task of one task region.
class Explicit {
 public:
  Explicit(State& state, Task& parent, const starpu_omp_task_region_attr& attr)
      : state_(state), parent_(parent), attr_(attr) {}

  // Whether the parent may run the task as a plain call within its own function, so that no task is
  // created. Not for a task with data, which must be waited for.
  bool IsPlainCall() const {
    if (parent_.kind == Task::Kind::kInitial || attr_.cl.nbuffers != 0 ||
        !CpuFunction(attr_.cl, 0)) {
      return false;
    }
    return IsMerged() || parent_.is_final;
  }
  // Whether the parent must wait for the end of the task.
  bool IsUndeferred() const {
    const bool are_many =
        Runtime::Instance()->stacks_in_use.load(std::memory_order_relaxed) > kManyStacks;
    return !attr_.if_clause || parent_.is_final || (are_many && attr_.cl.nbuffers == 0);
  }

  void Call() {
    void* no_buffers[1] = {nullptr};
    if (IsMerged()) {
      CpuFunction(attr_.cl, 0)(no_buffers, attr_.cl_arg);
    } else {
      Task included(Task::Kind::kIncluded, parent_.region, &parent_, parent_.icvs);
      included.is_final = true;
      included.group = included.born_in = parent_.group;
      Task& job = *static_cast<Task*>(ThisThread().current->control);
      job.innermost = &included;
      CpuFunction(attr_.cl, 0)(no_buffers, attr_.cl_arg);
      included.handles.End();
      job.innermost = &parent_;
    }
    if (attr_.cl_arg_free) free(attr_.cl_arg);
  }

  // Returns the job, not submitted yet, but counted by its parent, group and region. `until_ended`:
  // the Waiter of a parent that waits for this task alone, or nullptr.
  Job* Make(Waiter* until_ended) {
    Region& region = *parent_.region;
    const bool is_restricted = !region.has_all_workers && CpuFunction(attr_.cl, 0);
    auto* const task = new Task(Task::Kind::kExplicit, &region, &parent_, parent_.icvs);
    task->is_final = attr_.final_clause || parent_.is_final;
    task->until_ended = until_ended;
    task->codelet =
        state_.codelets.Take(attr_.cl, &RunFunction, is_restricted ? &IsOfTeam : nullptr);
    void* argument = attr_.cl_arg;
    const bool has_own_copy = attr_.is_loop && argument == &attr_;
    if (has_own_copy) argument = CopyOfAttr();
    Job* const job = MakeJob(*task, argument, has_own_copy ? sizeof(attr_) : attr_.cl_arg_size,
                             attr_.handles, "omp_task");
    job->task->cl_arg_free = has_own_copy || attr_.cl_arg_free;
    job->task->priority = attr_.priority;
    if (const int most = state_.environment().max_task_priority; most >= 0)
      job->task->priority = std::min(attr_.priority, most);
    Count(*task);
    return job;
  }

 private:
  bool IsMerged() const { return attr_.mergeable_clause && (!attr_.if_clause || parent_.is_final); }

  // For taskloops whose argument is the attributes themselves: a copy for each task, with its
  // iterations.
  void* CopyOfAttr() const {
    void* const copy = malloc(sizeof(attr_));
    if (!copy) Fatal("%s(): no memory for the iterations of a task", kTaskRegion);
    auto* const own = static_cast<starpu_omp_task_region_attr*>(copy);
    *own = attr_;
    own->cl_arg = own;
    return copy;
  }

  void Count(Task& task) {
    {
      MutexLock guard(parent_.lock);
      ++parent_.children;
    }
    task.group = task.born_in = parent_.group;
    if (task.born_in) {
      MutexLock guard(task.born_in->leader->lock);
      ++task.born_in->tasks;
    }
    MutexLock guard(task.region->lock);
    ++task.region->tasks;
    ++task.region->explicit_tasks;
  }

  State& state_;
  Task& parent_;
  const starpu_omp_task_region_attr& attr_;
};

// Outside of all regions a thread waits for the task that it makes, and for all tasks made by that.
void MakeInitial(State& state, Task& initial, Explicit& made, const Site& site) {
  if (ThisThread().worker)
    Fatal("%s(): only tasks of OpenMP's own make others, and this is none", kTaskRegion);
  Region& region = *initial.region;
  InPlaceOfFirstWorker(state, [&](const Worker& worker, Waiter& end) {
    region.workers = {worker.id};
    region.has_all_workers = state.cpu_workers().size() == 1;
    {
      MutexLock guard(region.lock);
      region.until_ended = &end;
    }
    Submit(made.Make(nullptr), site, kTaskRegion);
    end.Wait();
  });
}

void MakeTask(const starpu_omp_task_region_attr& attr, const Site& site) {
  State& state = State::Get(kTaskRegion);
  Task& parent = state.Current();
  Explicit made(state, parent, attr);
  if (parent.kind == Task::Kind::kInitial) return MakeInitial(state, parent, made, site);
  if (made.IsPlainCall()) return made.Call();
  if (!made.IsUndeferred()) return Submit(made.Make(nullptr), site, kTaskRegion);
  Waiter ended;
  Submit(made.Make(&ended), site, kTaskRegion);
  ended.Wait();
}

void WaitForChildren(Task& task) {
  Waiter waiter;
  {
    MutexLock guard(task.lock);
    if (task.children == 0) return;
    task.until_children = &waiter;
  }
  waiter.Wait();
}

void BeginGroup(Task& task) { task.group = new TaskGroup{task.group, &task}; }

void EndGroup(Task& task, const char* function) {
  const std::unique_ptr<TaskGroup> group(task.group == task.born_in ? nullptr : task.group);
  if (!group) Fatal("%s(): the task has begun no group", function);
  Waiter waiter;
  bool waits;
  {
    MutexLock guard(task.lock);
    waits = group->tasks > 0;
    if (waits) group->waiter = &waiter;
  }
  if (waits) waiter.Wait();
  task.group = group->outer;
}

// Into how many tasks to divide a taskloop. grainsize is the least number of iterations of each.
uint64_t TasksOfLoop(const starpu_omp_task_region_attr& attr, const Task& task) {
  constexpr uint64_t kOfEachThread = 2;
  uint64_t tasks = kOfEachThread * static_cast<uint64_t>(task.region->threads);
  if (attr.num_tasks > 0)
    tasks = static_cast<uint64_t>(attr.num_tasks);
  else if (attr.grainsize > 0)
    tasks = attr.nb_iterations / attr.grainsize;
  return std::clamp<uint64_t>(tasks, 1, attr.nb_iterations);
}

void MakeLoop(starpu_omp_task_region_attr& attr, const Site& site) {
  Task& task = State::Get("starpu_omp_taskloop_inline_begin").Current();
  if (!attr.nogroup_clause) BeginGroup(task);
  attr.is_loop = 1;
  if (attr.nb_iterations == 0) return;
  const uint64_t tasks = TasksOfLoop(attr, task);
  const uint64_t each = attr.nb_iterations / tasks, longer = attr.nb_iterations % tasks;
  attr.end_i = 0;
  for (uint64_t i = 0; i < tasks; ++i) {
    attr.begin_i = attr.end_i;
    attr.chunk = each + (i < longer);
    attr.end_i += attr.chunk;
    MakeTask(attr, site);
  }
}

Task& Current(const char* function) { return State::Get(function).Current(); }

}  // namespace
}  // namespace tasklens::runtime::openmp

using namespace tasklens::runtime;          // NOLINT: the definitions below are all of them short
using namespace tasklens::runtime::openmp;  // NOLINT

#undef starpu_omp_task_region
#undef starpu_omp_taskloop_inline_begin

extern "C" {

void _starpu_omp_task_region_at(const char* file, int line, const char* function,
                                const starpu_omp_task_region_attr* attr) {
  MakeTask(*attr, {file, function, static_cast<uint32_t>(line)});
}
void starpu_omp_task_region(const starpu_omp_task_region_attr* attr) { MakeTask(*attr, {}); }

void starpu_omp_taskwait(void) { WaitForChildren(Current(__func__)); }

void starpu_omp_taskgroup_inline_begin(void) { BeginGroup(Current(__func__)); }
void starpu_omp_taskgroup_inline_end(void) { EndGroup(Current(__func__), __func__); }
void starpu_omp_taskgroup(void (*f)(void*), void* arg) {
  Task& task = Current(__func__);
  BeginGroup(task);
  f(arg);
  EndGroup(task, __func__);
}

void _starpu_omp_taskloop_inline_begin_at(const char* file, int line, const char* function,
                                          starpu_omp_task_region_attr* attr) {
  MakeLoop(*attr, {file, function, static_cast<uint32_t>(line)});
}
void starpu_omp_taskloop_inline_begin(starpu_omp_task_region_attr* attr) { MakeLoop(*attr, {}); }
void starpu_omp_taskloop_inline_end(const starpu_omp_task_region_attr* attr) {
  if (!attr->nogroup_clause) EndGroup(Current(__func__), __func__);
}

starpu_arbiter* starpu_omp_get_default_arbiter(void) { return State::Get(__func__).arbiter; }

}  // extern "C"
