// SPDX-License-Identifier: Apache-2.0
// Job: the runtime's data about a task, from its first use to its end.
//
// The memory of jobs is only recycled, never returned to the system. So a JobRef may be used at any
// time: it tells whether its job is still the one at that address.
//
// Life: NewJob() -> (dependencies declared) -> SubmitJob() -> `pending` reaches 0 -> data acquired,
// one handle after the other -> pushed to the scheduler and run (a job without a function is not)
// -> data released -> `end_pending` reaches 0 -> successors released, callback -> recycled or kept
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
struct Placement;  // core/specific_nodes.h
class Team;
enum class Counted : uint8_t;  // see PerfCounters

// The kind of an access, which determines the order of tasks on a handle.
enum class AccessKind : uint8_t { kRead, kWrite, kCommute, kRedux, kScratch };
// (Inline: a task asks for each of its data eight times.)
inline AccessKind KindOf(unsigned mode) {
  if (mode & STARPU_SCRATCH) return AccessKind::kScratch;
  if (mode & STARPU_REDUX) return AccessKind::kRedux;
  if (mode & STARPU_W) return mode & STARPU_COMMUTE ? AccessKind::kCommute : AccessKind::kWrite;
  return AccessKind::kRead;
}

// An access of a job to a handle. A handle that a task uses twice is one access of the stronger
// kind.
struct Access {
  Handle* handle;
  AccessKind kind;
  bool ordered;  // sequentially consistent
  bool held;     // granted and not yet released
};

// A reference to a job; `id` tells whether the job is still the same.
struct JobRef {
  Job* job;
  uint64_t id;
  // Whether the job has ended. A result of false is only reliable while the job's lock is held.
  bool HasEnded() const;
};

enum class JobState : uint32_t {
  kNew,        // not submitted
  kSubmitted,  // accepted, not yet ended
  kEnding,     // successors are released, the callback runs: may be submitted again
  kEnded,      // callback done
};
// Flags or-ed to the state: a thread sleeps on it; the owner wants the job destroyed when it has
// ended.
inline constexpr uint32_t kJobWaited = 0x80000000, kJobGivenUp = 0x40000000;
inline constexpr uint32_t kJobFlags = kJobWaited | kJobGivenUp;

struct LastingSuccessor {
  Job* job;
  uint64_t key;
  // Whether the job was freed (and perhaps reused). A result of false is only reliable while its
  // lock is held.
  bool IsGone() const;
};
// The lasting dependencies of a job, on both sides. Dependencies between two tasks that the program
// owns (`destroy` 0) stay: each submission of the successor consumes one end of the predecessor, be
// it before or after the submission.
struct LastingDependencies {
  struct Edge {
    uint64_t predecessor_key;
    uint32_t ends;  // ends of the predecessor not consumed yet
  };
  std::vector<LastingSuccessor> successors;
  std::vector<Edge> edges;  // predecessors that are not freed
  bool waiting = false;     // counted as one condition in the job's `pending`
  // Consumes one end of each predecessor if each has one; else returns false.
  bool TakeAll();
};

// The fields that a worker reads of each job lie in few cache lines, since another thread has
// written them.
struct alignas(kCacheLine) Job {
  // 0 while the job is in the pool.
  std::atomic<uint64_t> id{0};
  starpu_task* task = nullptr;
  uint64_t submit_order = 0;

  // The number of conditions not met for the start and for the end. `pending` includes 1 until
  // SubmitJob() is done, `end_pending` 1 until the function has returned.
  std::atomic<int32_t> pending{1};
  std::atomic<int32_t> end_pending{1};
  std::atomic<bool> done{false};   // successors are being or were released; set under `lock`
  std::atomic<uint32_t> state{0};  // JobState, kJobFlags; a futex

  // `successors` are Job*, with the lowest bit set if only the successor's end waits. Guarded by
  // `lock` until `done`; then only read by the thread that ends the job.
  Mutex lock;
  uint32_t next_access = 0;  // index of the first access that is not acquired yet
  SmallVector<uintptr_t, 2> successors;

  // Sorted by the handles' addresses, the order in which they are acquired.
  SmallVector<Access, 3> accesses;

  // Used by few jobs.
  Team* team = nullptr;                         // the team that runs it, while `together`
  std::atomic<const void*> ending_on{nullptr};  // while kEnding: the thread that ends it
  // `lasting_key` identifies this job in other jobs' lasting dependencies: unique for ever, 0 if
  // there are none. Both are guarded by `lock`, the key only for writing.
  LastingDependencies* lasting = nullptr;
  std::atomic<uint64_t> lasting_key{0};
  void* control = nullptr;  // for `on_ready` and `on_end`

  uint64_t size_bytes = 0;  // of its data; for traces, as `footprint`, see trace::NoteData()
  Job* next = nullptr;      // link of the list that the job is in
  const starpu_task* next_task = nullptr;  // the task of `next`, in a FifoQueue
  // For a control job: called instead of scheduling it. For a ticket: called by the worker that
  // took it.
  void (*on_ready)(Job*) = nullptr;
  void (*on_end)(Job*) = nullptr;  // for internal jobs: called when the job has ended
  uint32_t footprint = 0;
  int16_t pinned_worker = -1;  // execute_on_a_specific_worker
  uint16_t parallel = 0;       // run by a team: the combined worker's index plus 1
  uint8_t implementation = 0;
  uint8_t type = 0;               // TaskTypeBits
  bool restricted = false;        // not every worker can run it
  bool counted = false;           // starpu_task_wait_for_all() waits for it
  bool data_granted = false;      // its accesses are held on its behalf (reductions, tries)
  bool submit_again = false;      // its callback submitted it: submit it once it has ended
  bool is_ticket = false;         // has no task: a worker calls on_ready, see `control`
  bool pausable = false;          // its function may pause, see pausable.h
  bool in_epoch = false;          // belongs to an epoch of a transaction, see transaction.h
  uint8_t context = 0;            // the scheduling context
  bool together = false;          // `team` runs it
  int8_t pinned_node = -1;        // for an acquisition: the node where its data are pinned
  bool has_arbitered = false;     // some of its accesses have an arbiter
  bool site_of_call = false;      // task->line is that of the call, not set by the program
  Counted counted_as{};           // how the performance counters count it
  bool owns_consistency = false;  // task->handles_sequential_consistency is from malloc()
  // By worker: the implementations that it may run, as bits; the last answers of can_execute() and
  // of the models of a simulation, stored so that they are never called under a lock. nullptr: no
  // restriction by them.
  std::unique_ptr<uint8_t[]> runners;

  // The memory of a task made by starpu_task_create(), kept for the job's next use, until
  // starpu_task_clean() leaves it to the program, which may free() it. nullptr before the first.
  starpu_task* storage = nullptr;
  bool OwnsTask() const { return task && task == storage; }
  // Where its data are put while a worker runs it, if its codelet has specific_nodes.
  Placement* placement = nullptr;

  // Buffer for the arguments that starpu_task_insert() packs, if they fit.
  static constexpr size_t kInlineArgs = 48;
  alignas(16) char inline_args[kInlineArgs];
};

// Where the job was submitted. REQUIRES: it has its task.
inline Site SiteOfJob(const Job& job) {
  const starpu_task& task = *job.task;
  return {task.file, task.function, static_cast<uint32_t>(task.line)};
}
// Sets the line of the submission, unless the program has set one in the task.
inline void SubmittedAt(Job* job, const Site& site) {
  starpu_task& task = *job->task;
  if (task.file && !job->site_of_call) return;
  job->site_of_call = true;
  task.file = site.file;
  task.function = site.function;
  task.line = static_cast<int>(site.line);
}

inline bool JobRef::HasEnded() const {
  // In this order: FreeJob() clears the id before `done`.
  return job->done.load(std::memory_order_acquire) || job->id.load(std::memory_order_acquire) != id;
}

inline bool LastingSuccessor::IsGone() const {
  return job->lasting_key.load(std::memory_order_relaxed) != key;
}

// A million tasks may wait at once, each with a job. Rarely used parts go to the heap and are kept
// for the job's next use.
static_assert(sizeof(Job) <= 5 * kCacheLine);

// Prefetches a job or its task, which another thread used last, into this processor's cache.
template <class JobOrTask>
inline void FetchSoon(const JobOrTask* soon) {
  const char* const at = reinterpret_cast<const char*>(soon);
  for (size_t line = 0; line < sizeof(JobOrTask); line += kCacheLine) FetchToWrite(at + line);
}

inline JobState StateOf(const Job* job) {
  return static_cast<JobState>(job->state.load(std::memory_order_acquire) & ~kJobFlags);
}
// Sets the state and wakes the threads that sleep on it. Returns the flags set before.
uint32_t ChangeState(Job* job, JobState next);

// Returns a job from the pool, with or without its own task (which has the defaults of
// starpu_task_init()).
Job* NewJob(bool with_task);
// The same, but returns nullptr (with a warning) if memory is exhausted.
Job* TryNewJob(bool with_task);
// Returns the job of a task, made if it has none yet, and gives it an id.
Job* JobOf(starpu_task* task);
// The same, but returns nullptr as TryNewJob().
Job* TryJobOf(starpu_task* task);
inline Job* ExistingJob(const starpu_task* task) { return static_cast<Job*>(task->starpu_private); }
// Puts the job back into the pool; references to it become stale. REQUIRES: it is in no list.
void FreeJob(Job* job);
// Gives the job an id if it has none. Ids are unique in the process, also across runs of the
// runtime, as handles outlive runs and keep JobRefs.
uint64_t EnsureId(Job* job);
// Frees what a task owns: arguments that the runtime must free, dynamic arrays that the runtime
// allocated, profiling information. `job`: ExistingJob(task).
void FreeTaskBelongings(starpu_task* task, const Job* job);
// The same, and frees the task and its job.
void DestroyTask(starpu_task* task, Job* job);
// Frees the task's belongings and its job. The program owns the task from now on, even if
// starpu_task_create() made it.
void LeaveTaskToProgram(starpu_task* task, Job* job);
void InitTask(starpu_task* task);

// Returns the jobs cached by this thread to the shared pool: at thread exit, and for tests.
void FlushThreadJobCache();
// Held around fork().
void LockJobPool();
void UnlockJobPool();

}  // namespace tasklens::runtime
