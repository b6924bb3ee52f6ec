// SPDX-License-Identifier: Apache-2.0
// OpenMP regions and tasks, and the one instance of the OpenMP runtime, from starpu_omp_init() to
// starpu_omp_shutdown().
//
// An OpenMP thread is a worker assigned to a team; its implicit task runs there as a pausable job
// (core/pausable.h). Explicit tasks are pausable jobs, too, and go through the scheduler, but run
// only on workers of their team, so that each thread number is used by one running task at a time.
// Each program thread outside of all regions has an initial task in its own region of one thread.
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

// A taskgroup: the tasks made while it is the innermost group, and all their descendants. Guarded
// by the leader's lock.
struct TaskGroup {
  TaskGroup* outer;
  Task* leader;  // the task that waits; an ancestor of all tasks of the group
  size_t tasks = 0;
  Waiter* waiter = nullptr;
};

// A task; freed when it and its children have ended.
struct Task {
  enum class Kind : uint8_t {
    kInitial,
    kImplicit,
    kExplicit,
    kIncluded,  // an explicit task that its parent runs as a plain call
  };
  Task(Kind kind, Region* region, Task* parent, const Icvs& icvs);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const Kind kind;
  Region* const region;
  Task* const parent;  // nullptr for an initial task
  Icvs icvs;
  int rank = 0;  // thread number of an implicit task
  bool is_final = false;
  Codelet* codelet = nullptr;
  Task* innermost = this;            // the included task that it is running, or itself
  TaskGroup* group = nullptr;        // its innermost open group, or else born_in
  TaskGroup* born_in = nullptr;      // the group that it belongs to
  Waiter* until_ended = nullptr;     // the parent's, if that waits for this task alone
  HandleScope handles;               // for an explicit or included task
  Share share;                       // for an implicit or initial task
  std::atomic<uint32_t> holders{1};  // itself and its children

  Mutex lock;  // guards the next two members, and the groups that this task leads
  size_t children GUARDED_BY(lock) = 0;  // children that have not ended
  Waiter* until_children GUARDED_BY(lock) = nullptr;
};

// A contention group: the threads below one initial task, which share thread_limit.
struct Contention {
  std::atomic<int> threads{1};
  // Reserves up to `wanted` threads, of which the calling thread is one; returns how many.
  int Reserve(int wanted, int limit);
  void Release(int threads_of_team) { threads.fetch_sub(threads_of_team - 1); }
};

struct Region {
  Region(Region* parent, Contention* contention) : parent(parent), contention(contention) {}

  Region* const parent;  // nullptr for the region of an initial task
  Contention* const contention;
  int level = 0, active_level = 0;
  int parent_thread = 0;  // number, in the parent, of the thread that created the region
  int threads = 1;
  std::vector<int> workers;     // by thread; for an initial region only set while it has tasks
  bool has_all_workers = true;  // contains all CPU workers, so that explicit tasks may run on any

  // The lowest thread number on a worker; -1: none.
  int ThreadOn(int worker) const;
  // A task has ended; the last one ends the region.
  void Ended(Task::Kind kind);
  // Whether all threads are at the barrier and no explicit task is left.
  bool MayPassBarrier() const REQUIRES(lock) { return arrived == threads && explicit_tasks == 0; }

  Mutex lock;  // guards the members below, as annotated
  size_t tasks = 0, explicit_tasks = 0;
  Waiter* until_ended GUARDED_BY(lock) = nullptr;
  int arrived GUARDED_BY(lock) = 0;
  WaitList at_barrier GUARDED_BY(lock);
  Sharings sharings GUARDED_BY(lock);
  HandleScope handles;

  std::atomic<uint64_t> singles{0};  // number of `single` constructs already taken by a thread
  void* copyprivate = nullptr;       // of the latest `single`, valid between its two barriers
};

// The initial task and region of a program thread.
struct Initial {
  explicit Initial(const Icvs& icvs)
      : region(nullptr, &contention), task(Task::Kind::kInitial, &region, nullptr, icvs) {}
  Contention contention;
  Region region;
  Task task;
};

// Functions may be called from any thread unless noted.
class State {
 public:
  // Returns the running instance; aborts with a message naming `function` if there is none.
  static State& Get(const char* function);
  static State* Instance();
  // Starts the instance; returns as starpu_omp_init(). A lock serialises Start() and Stop().
  static int Start();
  static void Stop();

  // The current task of the calling thread.
  Task& Current();
  // The same, for a construct that binds to the threads of a team: aborts with a message in an
  // explicit task.
  Task& CurrentOfTeam(const char* function);
  // The number of the calling thread in the task's team.
  int ThreadOf(const Task& task) const;

  const Environment& environment() const { return environment_; }
  const std::vector<int>& cpu_workers() const { return cpu_workers_; }
  // The worker that program threads replace, see place.h.
  Worker& first_worker() const;
  // Chooses workers for a team whose first thread is on `first`: those with the fewest threads
  // first, and none twice before all are used once.
  std::vector<int> ChooseWorkers(int first, int threads);
  // Counts the threads of a team on their workers: `change` is +1 before the team exists and -1
  // after it. `is_outermost`: the first thread belongs to no other team.
  void NoteThreads(const std::vector<int>& workers, bool is_outermost, int change);
  uint64_t NextHandleSerial() { return handle_serial_.fetch_add(1) + 1; }
  double start_seconds() const { return start_seconds_; }

  Codelets codelets;
  Lock turn;  // held by the thread in the first worker's place
  Lock atomic;
  Lock unnamed_critical;
  Lock& Critical(const char* name);  // nullptr: unnamed_critical
  starpu_arbiter* arbiter = nullptr;

 private:
  State();
  Environment environment_;
  std::vector<int> cpu_workers_;
  std::atomic<uint64_t> handle_serial_{0};
  double start_seconds_;
  uint64_t number_;  // number of this instance in the process

  Mutex lock_;  // guards the members below
  std::unordered_map<std::string, std::unique_ptr<Lock>> criticals_ GUARDED_BY(lock_);
  std::map<int, int> threads_on_ GUARDED_BY(lock_);  // number of threads by worker
};

// Ends the OpenMP task: called when its job has ended.
void OnEnd(Job* job);
// Runs the program's function of an implicit or explicit task; replaces it in the codelet.
void RunFunction(void** buffers, void* argument);
// Makes the job of a new task, not submitted.
Job* MakeJob(Task& task, void* argument, size_t argument_bytes, starpu_data_handle_t* handles,
             const char* name);
// Submits the job; aborts with a message if it cannot run.
void Submit(Job* job, const Site& site, const char* function);
void Hold(Task& task);
void LetGo(Task& task);

}  // namespace tasklens::runtime::openmp
