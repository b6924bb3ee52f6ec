// SPDX-License-Identifier: Apache-2.0
// Regions and tasks of OpenMP, and the one instance of its runtime, from starpu_omp_init() to
// starpu_omp_shutdown().
//
// An OpenMP thread is a place in a team: a worker, on which its implicit task runs as a job that
// may pause (core/pausable.h). Explicit tasks are such jobs as well, and go through the scheduler;
// they run on workers of their team only, so that the number of their thread is that of nobody else
// at that moment. Each thread of the program outside of all regions has an initial task, in a
// region of its own, of one thread.
#pragma once

#include <starpu.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/jobs/job.h"
#include "runtime/openmp/codelets.h"
#include "runtime/openmp/environment.h"
#include "runtime/openmp/handles.h"
#include "runtime/openmp/icvs.h"
#include "runtime/openmp/locks.h"
#include "runtime/openmp/waiter.h"
#include "runtime/openmp/worksharing.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime::openmp {

struct Region;
struct Task;

// Tasks that are waited for together: those made while it is the innermost, and all made by them.
// Guarded by the leader's lock.
struct TaskGroup {
  TaskGroup* outer;
  Task* leader;  // who waits; an ancestor of all of them
  size_t tasks = 0;
  Waiter* waiter = nullptr;
};

// Lives until it has ended, and those that it made.
struct Task {
  enum class Kind : uint8_t {
    kInitial,
    kImplicit,
    kExplicit,
    kIncluded,  // an explicit one that its parent runs itself, within its own function
  };
  Task(Kind kind, Region* region, Task* parent, const Icvs& icvs);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const Kind kind;
  Region* const region;
  Task* const parent;  // nullptr of an initial one
  Icvs icvs;
  int rank = 0;  // of an implicit one: its thread
  bool is_final = false;
  Codelet* codelet = nullptr;
  Task* innermost = this;            // the included task that it is in
  TaskGroup* group = nullptr;        // the innermost of its own, or the one that it belongs to
  TaskGroup* born_in = nullptr;      // the one that it belongs to
  Waiter* until_ended = nullptr;     // of the parent, which does not go on before
  HandleScope handles;               // of an explicit or included one
  Share share;                       // of an implicit or initial one
  std::atomic<uint32_t> holders{1};  // itself, and those that it made

  Mutex lock;                            // guards the next two, and task groups that it leads
  size_t children GUARDED_BY(lock) = 0;  // that have not ended
  Waiter* until_children GUARDED_BY(lock) = nullptr;
};

// Threads that share a limit of their number: those of one initial task.
struct Contention {
  std::atomic<int> threads{1};
  // Takes up to so many threads, one of which is there already.
  int Reserve(int wanted, int limit);
  void Release(int threads_of_team) { threads.fetch_sub(threads_of_team - 1); }
};

struct Region {
  Region(Region* parent, Contention* contention) : parent(parent), contention(contention) {}

  Region* const parent;  // nullptr: an initial one
  Contention* const contention;
  int level = 0, active_level = 0;
  int parent_thread = 0;  // who made it: its number in the parent
  int threads = 1;
  std::vector<int> workers;     // by thread; those of an initial one are known while it has tasks
  bool has_all_workers = true;  // CPU workers, so that explicit tasks may run on any

  // The lowest thread on a worker, -1: there is none.
  int ThreadOn(int worker) const;
  // One task less; the last ends the region.
  void Ended(Task::Kind kind);
  // Whether all threads are at the barrier and no explicit task is left.
  bool MayPassBarrier() const REQUIRES(lock) { return arrived == threads && explicit_tasks == 0; }

  Mutex lock;  // guards what follows
  size_t tasks = 0, explicit_tasks = 0;
  Waiter* until_ended GUARDED_BY(lock) = nullptr;
  int arrived GUARDED_BY(lock) = 0;
  WaitList at_barrier GUARDED_BY(lock);
  Sharings sharings GUARDED_BY(lock);
  HandleScope handles;

  std::atomic<uint64_t> singles{0};  // so many were given to a thread
  void* copyprivate = nullptr;       // of the latest, between two barriers
};

// What a thread of the program has that is in no region.
struct Initial {
  explicit Initial(const Icvs& icvs)
      : region(nullptr, &contention), task(Task::Kind::kInitial, &region, nullptr, icvs) {}
  Contention contention;
  Region region;
  Task task;
};

// Threads: any, unless it says otherwise.
class State {
 public:
  // The running instance; aborts with a line when there is none, naming `function`.
  static State& Get(const char* function);
  static State* Instance();
  // As starpu_omp_init() returns. One at a time, as Stop().
  static int Start();
  static void Stop();

  // That of the calling thread.
  Task& Current();
  // The same, of a construct that binds to the threads of a team: aborts with a line in an explicit
  // task.
  Task& CurrentOfTeam(const char* function);
  // The number of the calling thread in the task's team.
  int ThreadOf(const Task& task) const;

  const Environment& environment() const { return environment_; }
  const std::vector<int>& cpu_workers() const { return cpu_workers_; }
  // The one in whose place threads of the program come.
  Worker& first_worker() const;
  // Workers for a team whose first thread is on `first`: those with the fewest threads, and each
  // once before any twice.
  std::vector<int> ChooseWorkers(int first, int threads);
  // Before and after the team is there. `is_outermost`: its first thread is of no other team.
  void NoteThreads(const std::vector<int>& workers, bool is_outermost, int change);
  uint64_t NextHandleSerial() { return handle_serial_.fetch_add(1) + 1; }
  double start_seconds() const { return start_seconds_; }

  Codelets codelets;
  Lock turn;  // to take a worker's place
  Lock atomic;
  Lock unnamed_critical;
  Lock& Critical(const char* name);  // nullptr: the unnamed one
  starpu_arbiter* arbiter = nullptr;

 private:
  State();
  Environment environment_;
  std::vector<int> cpu_workers_;
  std::atomic<uint64_t> handle_serial_{0};
  double start_seconds_;
  uint64_t number_;  // of the instance in this process

  Mutex lock_;  // guards what follows
  std::unordered_map<std::string, std::unique_ptr<Lock>> criticals_ GUARDED_BY(lock_);
  std::map<int, int> threads_on_ GUARDED_BY(lock_);  // workers
};

// From here on the task is over: called by its job.
void OnEnd(Job* job);
// What runs instead of the program's functions of implicit and explicit tasks.
void RunFunction(void** buffers, void* argument);
// The job of a new task, made and not submitted.
Job* MakeJob(Task& task, void* argument, size_t argument_bytes, starpu_data_handle_t* handles,
             const char* name);
// Submits it; aborts with a line when it cannot run.
void Submit(Job* job, const Site& site, const char* function);
void Hold(Task& task);
void LetGo(Task& task);

}  // namespace tasklens::runtime::openmp
