// SPDX-License-Identifier: Apache-2.0
// Parallel regions, barriers, and the constructs single, master and copyprivate.
#include <starpu.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "runtime/core/pausable.h"
#include "runtime/core/runtime.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/openmp/place.h"
#include "runtime/openmp/state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime::openmp {
namespace {

constexpr const char* kParallel = "starpu_omp_parallel_region";

// Reserves the region's threads from those of its contention group; returns how many.
int ReserveThreads(const starpu_omp_parallel_region_attr& attr, const Task& encountering) {
  const Icvs& icvs = encountering.icvs;
  int wanted = attr.num_threads > 0 ? attr.num_threads : icvs.num_threads.value;
  if (!attr.if_clause || encountering.region->active_level >= icvs.max_active_levels) wanted = 1;
  if (icvs.dynamic) wanted = std::min(wanted, starpu_omp_get_num_procs());
  return encountering.region->contention->Reserve(wanted, icvs.thread_limit);
}

// Rejects accesses that would deadlock: each thread would wait for the data until the one before
// has left the region, while that one waits at the next barrier.
void CheckHandles(const starpu_omp_parallel_region_attr& attr, int threads) {
  const starpu_codelet& codelet = attr.cl;
  for (int i = 0; i < codelet.nbuffers && threads > 1; ++i) {
    const unsigned mode = STARPU_CODELET_GET_MODE(&codelet, i);
    if ((mode & STARPU_W) && !(mode & STARPU_SCRATCH))
      Fatal("%s(): %d threads cannot all have handle %d to write: give it to tasks of the region",
            kParallel, threads, i);
  }
}

// Runs a region, on behalf of the task that encountered it.
class Parallel {
 public:
  Parallel(State& state, Task& encountering, const starpu_omp_parallel_region_attr& attr,
           const Site& site)
      : state_(state),
        encountering_(encountering),
        attr_(attr),
        site_(site),
        region_(encountering.region, encountering.region->contention) {
    region_.threads = ReserveThreads(attr, encountering);
    CheckHandles(attr, region_.threads);
    region_.level = region_.parent->level + 1;
    region_.active_level = region_.parent->active_level + (region_.threads > 1);
    region_.parent_thread = state.ThreadOf(encountering);
  }

  // Called on a worker: the thread runs a task of the worker or is in its place.
  void Run(const Worker& worker, Waiter& end) {
    const bool is_outermost = encountering_.kind == Task::Kind::kInitial;
    region_.workers = state_.ChooseWorkers(worker.id, region_.threads);
    state_.NoteThreads(region_.workers, is_outermost, +1);
    const auto has = [&](int id) { return region_.ThreadOn(id) >= 0; };
    region_.has_all_workers =
        std::all_of(state_.cpu_workers().begin(), state_.cpu_workers().end(), has);
    region_.tasks = static_cast<size_t>(region_.threads);
    {
      MutexLock guard(region_.lock);
      region_.until_ended = &end;
    }
    // Make all tasks before one of them can end.
    std::vector<Job*> jobs;
    for (int rank = 0; rank < region_.threads; ++rank) jobs.push_back(MakeImplicit(rank));
    for (Job* const job : jobs) Submit(job, site_, kParallel);
    end.Wait();
    state_.NoteThreads(region_.workers, is_outermost, -1);
  }

  void End() {
    region_.contention->Release(region_.threads);
    region_.handles.End();
    if (attr_.cl_arg_free) free(attr_.cl_arg);
  }

 private:
  Job* MakeImplicit(int rank) {
    Icvs icvs = encountering_.icvs;
    icvs.num_threads = icvs.num_threads.Inner();
    icvs.proc_bind = icvs.proc_bind.Inner();
    auto* const task = new Task(Task::Kind::kImplicit, &region_, &encountering_, icvs);
    task->rank = rank;
    task->codelet = state_.codelets.Take(attr_.cl, &RunFunction, nullptr);
    Job* const job = MakeJob(*task, attr_.cl_arg, attr_.cl_arg_size, attr_.handles, "omp_parallel");
    job->task->execute_on_a_specific_worker = 1;
    job->task->workerid = static_cast<unsigned>(region_.workers[static_cast<size_t>(rank)]);
    return job;
  }

  State& state_;
  Task& encountering_;
  const starpu_omp_parallel_region_attr& attr_;
  const Site site_;
  Region region_;
};

void RunParallel(const starpu_omp_parallel_region_attr& attr, const Site& site) {
  State& state = State::Get(kParallel);
  if (!CpuFunction(attr.cl, 0)) Fatal("%s(): its codelet has no function for CPUs", kParallel);
  Task& encountering = state.Current();
  Worker* const worker = ThisThread().worker;
  Parallel parallel(state, encountering, attr, site);
  if (encountering.kind == Task::Kind::kInitial) {
    if (worker) Fatal("%s(): only tasks of OpenMP's own may wait, and this is another", kParallel);
    InPlaceOfFirstWorker(state, [&](Worker& place, Waiter& end) { parallel.Run(place, end); });
  } else {
    if (!Pausable::Current())
      Fatal("%s(): this task runs on a device, and cannot wait for a region", kParallel);
    Waiter end;
    parallel.Run(*worker, end);
  }
  parallel.End();
}

// Waits until all threads of the team have arrived and no explicit task is left.
void Barrier(const Task& task) {
  Region& region = *task.region;
  Waiter waiter;
  WaitList passing;
  bool waits;
  {
    MutexLock guard(region.lock);
    ++region.arrived;
    waits = !region.MayPassBarrier();
    if (waits) {
      region.at_barrier.Add(waiter);
    } else {
      region.arrived = 0;
      passing = region.at_barrier.TakeAll();
    }
  }
  if (waits) return waiter.Wait();
  passing.WakeAll();
}

// Whether the calling thread is the first to encounter this single construct.
bool TakeSingle(Task& task) {
  uint64_t number = task.share.singles++;
  return task.region->singles.compare_exchange_strong(number, number + 1);
}

// The other threads copy `data` of the single thread between the two barriers.
bool BeginCopyprivate(Task& task, void* data) {
  const bool is_mine = TakeSingle(task);
  if (is_mine) task.region->copyprivate = data;
  return is_mine;
}

}  // namespace
}  // namespace tasklens::runtime::openmp

using namespace tasklens::runtime;          // NOLINT: the definitions below are all of them short
using namespace tasklens::runtime::openmp;  // NOLINT

#undef starpu_omp_parallel_region

extern "C" {

void _starpu_omp_parallel_region_at(const char* file, int line, const char* function,
                                    const starpu_omp_parallel_region_attr* attr) {
  RunParallel(*attr, {file, function, static_cast<uint32_t>(line)});
}
void starpu_omp_parallel_region(const starpu_omp_parallel_region_attr* attr) {
  RunParallel(*attr, {});
}

void starpu_omp_barrier(void) { Barrier(State::Get(__func__).CurrentOfTeam(__func__)); }

int starpu_omp_master_inline(void) {
  State& state = State::Get(__func__);
  return state.ThreadOf(state.Current()) == 0;
}
void starpu_omp_master(void (*f)(void*), void* arg) {
  if (starpu_omp_master_inline()) f(arg);
}

int starpu_omp_single_inline(void) {
  return TakeSingle(State::Get(__func__).CurrentOfTeam(__func__));
}
void starpu_omp_single(void (*f)(void*), void* arg, int nowait) {
  Task& task = State::Get(__func__).CurrentOfTeam(__func__);
  if (TakeSingle(task)) f(arg);
  if (!nowait) Barrier(task);
}

void starpu_omp_single_copyprivate(void (*f)(void*, void*, unsigned long long), void* arg,
                                   void* data, unsigned long long data_size) {
  Task& task = State::Get(__func__).CurrentOfTeam(__func__);
  const bool is_mine = BeginCopyprivate(task, data);
  if (is_mine) f(arg, data, data_size);
  Barrier(task);
  if (!is_mine) memcpy(data, task.region->copyprivate, data_size);
  Barrier(task);
}
void* starpu_omp_single_copyprivate_inline_begin(void* data) {
  Task& task = State::Get(__func__).CurrentOfTeam(__func__);
  task.share.has_single = BeginCopyprivate(task, data);
  if (task.share.has_single) return nullptr;
  Barrier(task);
  return task.region->copyprivate;
}
void starpu_omp_single_copyprivate_inline_end(void) {
  Task& task = State::Get(__func__).CurrentOfTeam(__func__);
  if (task.share.has_single) Barrier(task);
  Barrier(task);
}

}  // extern "C"
