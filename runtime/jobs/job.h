// SPDX-License-Identifier: Apache-2.0
// Job: the runtime's side of a task, from its first mention to its end.
//
// A job's memory is never returned to the system while the process lives, only recycled. A JobRef
// therefore stays safe to look at for ever: it says whether the job it meant is still the one
// there.
//
// Life: NewJob() -> (dependencies declared) -> Submit() -> `pending` reaches 0 -> data acquired one
// handle after the other -> pushed to the scheduler (or ended at once, without a function) -> run
// -> `end_pending` reaches 0 -> data released, successors released, callback -> recycled or kept
// for its owner.
#pragma once

#include <starpu.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/jobs/site.h"
#include "runtime/support/small_vector.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

using Handle = _starpu_data_state;
struct Job;
class Team;
enum class Counted : uint8_t;  // of PerfCounters

// What an access does to the order of tasks on a handle.
enum class AccessKind : uint8_t { kRead, kWrite, kCommute, kRedux, kScratch };
AccessKind KindOf(unsigned mode);

// One handle of a job; a handle named twice is one access with the stronger kind.
struct Access {
  Handle* handle;
  AccessKind kind;
  bool ordered;  // sequentially consistent
  bool held;     // granted and not yet released
};

// A job as it was when the reference was taken. `id` outlives the job.
struct JobRef {
  Job* job;
  uint64_t id;
  // Whether there is nothing to wait for any more; when not, only while the job's lock is held.
  bool HasEnded() const;
};

enum class JobState : uint32_t {
  kNew,        // not submitted
  kSubmitted,  // accepted, not yet ended
  kEnding,     // its successors are released, its callback runs: it may be submitted again
  kEnded,      // callback done
};
// Or-ed to the state: somebody sleeps on it; and its owner wants it destroyed when it has ended.
inline constexpr uint32_t kJobWaited = 0x80000000, kJobGivenUp = 0x40000000;
inline constexpr uint32_t kJobFlags = kJobWaited | kJobGivenUp;

struct LastingSuccessor {
  Job* job;
  uint64_t key;
  // Whether the job has been freed, and perhaps used anew; when not, only while its lock is held.
  bool IsGone() const;
};
// Dependencies between two tasks of the program's own (`destroy` 0) stay: each submission of the
// successor takes one end of the predecessor, whether that end comes before or after it. Those of a
// job, on both sides.
struct LastingDependencies {
  struct Edge {
    uint64_t predecessor_key;
    uint32_t ends;  // of the predecessor, not yet taken
  };
  std::vector<LastingSuccessor> successors;
  std::vector<Edge> edges;  // of predecessors that are not gone
  bool waiting = false;     // one of the job's `pending` is for them
  // Takes an end of each when there is one of each.
  bool TakeAll();
};

// What a worker reads of each job it runs lies in few cache lines, as another thread filled them.
struct alignas(kCacheLine) Job {
  // Identity. 0 while in the pool.
  std::atomic<uint64_t> id{0};
  starpu_task* task = nullptr;
  uint64_t submit_order = 0;

  // Start and end conditions. `pending` is 1 more than what is missing until Submit() has looked at
  // everything; `end_pending` is 1 more until the function has returned.
  std::atomic<int32_t> pending{1};
  std::atomic<int32_t> end_pending{1};
  std::atomic<bool> done{false};   // its successors are or were released; set under `lock`
  std::atomic<uint32_t> state{0};  // JobState, kJobFlags; a futex

  // Successors: Job* with the lowest bit set when only the successor's end waits. Guarded by `lock`
  // until `done` (below); then only read by the thread that ended the job.
  Mutex lock;
  uint32_t next_access = 0;  // of `accesses`: the first that is not yet acquired
  SmallVector<uintptr_t, 2> successors;

  // Data, in order of handle addresses: the order in which they are acquired.
  SmallVector<Access, 3> accesses;

  // Of few jobs.
  Team* team = nullptr;                         // that runs it; while `together`
  std::atomic<const void*> ending_on{nullptr};  // the thread that is at its end, while kEnding
  // By `lasting_key`, which no other job ever has, the others know this job, 0 while none does.
  // Guarded by `lock`, the key for writing.
  LastingDependencies* lasting = nullptr;
  std::atomic<uint64_t> lasting_key{0};
  void* control = nullptr;  // for `on_ready` and `on_end`

  // Scheduling.
  uint64_t size_bytes = 0;
  Job* next = nullptr;                     // in whatever list the job is
  const starpu_task* next_task = nullptr;  // of `next`, in a FifoQueue
  // A control job: called instead of being scheduled. A ticket: by the worker that has it.
  void (*on_ready)(Job*) = nullptr;
  void (*on_end)(Job*) = nullptr;  // a job of the runtime's own: called when it has ended
  uint32_t footprint = 0;
  int16_t pinned_worker = -1;  // execute_on_a_specific_worker
  uint16_t parallel = 0;       // run by a team: the combined worker's index plus 1
  uint8_t implementation = 0;
  uint8_t type = 0;               // TaskTypeBits
  bool restricted = false;        // not every worker can run it
  bool counted = false;           // starpu_task_wait_for_all() waits for it
  bool data_granted = false;      // its accesses are held by somebody for it (reductions, tries)
  bool submit_again = false;      // its callback submitted it: as soon as it has ended
  bool is_ticket = false;         // a worker's turn at `control`, by `on_ready`; there is no task
  bool pausable = false;          // its function may pause, see pausable.h
  bool in_epoch = false;          // of a transaction, see transaction.h
  uint8_t context = 0;            // the scheduling context
  bool together = false;          // `team` runs it
  int8_t pinned_node = -1;        // an acquire that keeps its data there
  bool has_arbitered = false;     // some of its accesses are taken all together
  bool site_of_call = false;      // its task's line is that of the call, not one that it names
  Counted counted_as{};           // by performance counters
  bool owns_consistency = false;  // task->handles_sequential_consistency is from malloc()
  // By worker, the implementations that can_execute() and the models of a simulation let it run, as
  // bits: what they last said, so that nobody has to ask them under a lock. nullptr: nobody asked.
  std::unique_ptr<uint8_t[]> runners;

  // The task itself, when starpu_task_create() made it: kept for the job's next use, until
  // starpu_task_clean() leaves it to the program, which may free() it. nullptr before the first.
  starpu_task* storage = nullptr;
  bool OwnsTask() const { return task && task == storage; }

  // What starpu_task_insert() packs goes here when it fits.
  static constexpr size_t kInlineArgs = 48;
  alignas(16) char inline_args[kInlineArgs];
};

// Where it was submitted. REQUIRES: it has its task.
inline Site SiteOfJob(const Job& job) {
  const starpu_task& task = *job.task;
  return {task.file, task.function, static_cast<uint32_t>(task.line)};
}
// It was submitted there, unless its task names a line.
inline void SubmittedAt(Job* job, const Site& site) {
  starpu_task& task = *job->task;
  if (task.file && !job->site_of_call) return;
  job->site_of_call = true;
  task.file = site.file;
  task.function = site.function;
  task.line = static_cast<int>(site.line);
}

inline bool JobRef::HasEnded() const {
  // In this order: a job that is freed loses its id before it is no longer done.
  return job->done.load(std::memory_order_acquire) || job->id.load(std::memory_order_acquire) != id;
}

inline bool LastingSuccessor::IsGone() const {
  return job->lasting_key.load(std::memory_order_relaxed) != key;
}

// A million tasks may wait at once: each has a job and its task. What some need goes to the heap,
// where it stays for the job's next use.
static_assert(sizeof(Job) <= 5 * kCacheLine);

// This thread will soon use the job, or its task, which another one used last.
template <class JobOrTask>
inline void FetchSoon(const JobOrTask* soon) {
  const char* const at = reinterpret_cast<const char*>(soon);
  for (size_t line = 0; line < sizeof(JobOrTask); line += kCacheLine) FetchToWrite(at + line);
}

inline JobState StateOf(const Job* job) {
  return static_cast<JobState>(job->state.load(std::memory_order_acquire) & ~kJobFlags);
}
// A new state; wakes those who sleep on it. Returns the flags that it had before.
uint32_t ChangeState(Job* job, JobState next);

// A job from the pool, with or without a task of its own (with the defaults of starpu_task_init).
Job* NewJob(bool with_task);
// The same, or nullptr after a line that tells of it when there is no memory.
Job* TryNewJob(bool with_task);
// The job of a task, made when it has none yet. Gives it an id.
Job* JobOf(starpu_task* task);
// The same, or nullptr as of TryNewJob().
Job* TryJobOf(starpu_task* task);
inline Job* ExistingJob(const starpu_task* task) { return static_cast<Job*>(task->starpu_private); }
// Back into the pool. The job must not be in any list; references to it become stale.
void FreeJob(Job* job);
// Gives the job an id if it has none: one that no job of this process has ever had, also in an
// earlier run of the runtime, as handles outlive runs and remember who used them.
uint64_t EnsureId(Job* job);
// Frees everything that a task owns besides itself (arguments that the runtime must free, dynamic
// arrays that the runtime allocated, profiling information). `job`: ExistingJob(task).
void FreeTaskBelongings(starpu_task* task, const Job* job);
// And the task with its job.
void DestroyTask(starpu_task* task, Job* job);
// And the job. The task is the program's from now on, also where starpu_task_create() made it.
void LeaveTaskToProgram(starpu_task* task, Job* job);
void InitTask(starpu_task* task);

// For the thread's exit and for tests: jobs kept by this thread go back to the shared pool.
void FlushThreadJobCache();
// Around fork().
void LockJobPool();
void UnlockJobPool();

}  // namespace tasklens::runtime
