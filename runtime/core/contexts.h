// SPDX-License-Identifier: Apache-2.0
// Scheduling contexts besides context 0. Each has a set of workers and a policy, or none. Context 0
// is the runtime's own policy with all workers; a worker looks for tasks in its other contexts
// first.
#pragma once

#include <starpu.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/core/bookings.h"
#include "runtime/core/context_order.h"
#include "runtime/core/policy_context.h"
#include "runtime/core/program_policy.h"
#include "runtime/jobs/job.h"
#include "runtime/sched/policy.h"
#include "runtime/support/sync.h"
#include "runtime/support/worker_set.h"

namespace tasklens::runtime {

class Runtime;
struct ThreadState;

// The ready tasks of a context that no worker has taken yet.
struct ReadyTasks {
  std::atomic<int64_t> count{0};
  std::atomic<double> flops{0};
};

// The number of multiprocessors of a CUDA device that contexts may share, as in StarPU.
inline constexpr int kMultiprocessors = 13;

struct Context {
  // `all_workers`: the number of workers of the runtime.
  explicit Context(int all_workers) : workers(all_workers), leaving(all_workers) {}

  // For a context without a policy: the CPU worker on which its tasks run, or -1.
  int Master(const Runtime& runtime) const;
  // The worker of the device that the context has a share of (nsms); -1: none.
  int stream_worker() const;

  unsigned id = 0;
  std::string name;
  std::unique_ptr<Policy> policy;           // nullptr: each task runs on all workers of the context
  ProgramPolicy* program_policy = nullptr;  // `policy`, if it is a ProgramPolicy
  PolicyContext policy_context;
  bool all_run = false;  // without a policy: the function runs on every worker
  // The context that this one is nested in; a nested context gets the possibly parallel tasks of
  // its parent.
  unsigned parent = STARPU_NMAX_SCHED_CTXS;
  unsigned hierarchy_level = 0;
  void* user_data = nullptr;
  // The share of a CUDA device: nsms multiprocessors, from sms_begin to before sms_end.
  int nsms = 0, sms_begin = 0, sms_end = kMultiprocessors;
  int least_cpus = 0, least_gpus = 0;  // the context keeps these when others want workers
  // The hypervisor's functions to notify; nullptr: none.
  std::atomic<const starpu_sched_ctx_performance_counters*> news{nullptr};

  // Workers in `leaving` were removed, but still take the tasks that the policy keeps for them.
  SharedWorkerSet workers, leaving;
  std::atomic<int> pushing{0}, popping{0};  // threads inside the policy
  // The context is being deleted: no thread may enter the policy any more.
  std::atomic<bool> gone{false};

  Mutex lock;  // guards the rest
  Condition changed;
  // Pending additions and removals of workers and the deletion: see Contexts::Change().
  std::deque<std::function<void()>> changes GUARDED_BY(lock);
  uint64_t changes_wanted = 0, changes_made = 0;
  const ThreadState* changer = nullptr;  // the thread that makes the changes
  // Jobs that wait while the context has no workers. A nullptr separates: the jobs behind it wait
  // until workers are added once more.
  std::vector<Job*> held GUARDED_BY(lock);
  std::deque<Job*> beyond_window GUARDED_BY(lock);  // see FitsWindow()
  uint64_t outstanding GUARDED_BY(lock) = 0;        // tasks submitted and not ended
  // The largest `left` that a thread in WaitForLeft() waits for.
  uint64_t wait_limit GUARDED_BY(lock) = 0;
  bool finished GUARDED_BY(lock) = false;  // nothing more will be submitted
  // Deleted by one of its tasks: to be removed when the last task has ended.
  bool deleted GUARDED_BY(lock) = false;
  unsigned inheritor = 0;  // the context that gets the workers; 0: none
  void (*close_callback)(unsigned, void*) = nullptr;
  void* close_argument = nullptr;
  unsigned round = 0;  // counts tasks passed to nested contexts, to take turns
};

class Contexts {
 public:
  explicit Contexts(int workers);

  // Whether any context besides context 0 exists.
  bool active() const { return active_.load(std::memory_order_relaxed) > 0; }
  bool IsThere(unsigned id) { return Find(id) != nullptr; }
  // Returns nullptr if there is no such context, and for context 0.
  Context* Find(unsigned id) {
    return id < contexts_.size() ? contexts_[id].load(std::memory_order_acquire) : nullptr;
  }
  // The workers of a context; all workers for context 0.
  WorkerSet WorkersOf(unsigned id);
  // Adds a context and returns its id, or STARPU_NMAX_SCHED_CTXS if there are too many.
  unsigned Add(Runtime& runtime, std::unique_ptr<Context> context, const WorkerSet& workers);
  // Waits for the context's tasks, then gives its workers to its inheritor and removes it. Called
  // inside a task it does not wait: the context is removed when its last task has ended. REQUIRES:
  // not called by a function of the context's own policy.
  void Delete(Runtime& runtime, unsigned id);
  // Ends the policies of contexts that the program did not delete. REQUIRES: no task and no worker
  // runs.
  void EndPolicies();

  // Adds and removes workers. The change is done on return, with one exception: if another thread
  // is changing the context and this thread is in a task, a callback or a policy (which that change
  // may wait for), the change is queued behind it.
  void AddWorkers(Runtime& runtime, unsigned id, const WorkerSet& workers);
  void RemoveWorkers(Runtime& runtime, unsigned id, const WorkerSet& workers);
  void Finish(Runtime& runtime, unsigned id);

  void Submitted(unsigned id);
  void Ended(Runtime& runtime, unsigned id);
  // Waits until at most `left` tasks of the context have not ended. Returns 0, or -EINVAL if there
  // is no such context.
  int WaitForLeft(Runtime& runtime, unsigned id, uint64_t left);

  // Count a job that became ready, and one that a worker has taken. For context 0 only flops are
  // counted.
  void BecameReady(const Job* job) {
    if (job->context || job->task->flops != 0) CountReady(job->context, job->task->flops, 1);
  }
  void Taken(const Job* job, int worker);
  const ReadyTasks& ReadyIn(unsigned id) const { return ready_[id]; }
  // Gives a ready job to its context's policy; takes a job for a worker, or returns nullptr.
  void Schedule(Runtime& runtime, Job* job);
  Job* Pop(int worker, bool enabled);
  // Whether Pop() might find a job for the worker.
  bool HaveFor(int worker);
  // After BeginToWatch() a sleeping worker wakes now and then and calls TellIdle(), which notifies
  // the hypervisor.
  void BeginToWatch(Runtime& runtime);
  bool watched() const { return watched_.load(std::memory_order_relaxed); }
  void TellIdle(int worker);
  std::atomic<bool> has_hypervisor{false};  // set by the program
  // The program is about to wait: policies hand out the tasks that they held back.
  void DoSchedule(Runtime& runtime);

  int all_workers() const { return all_workers_; }

  // Tasks that are submitted from now on to a context without workers wait until workers have been
  // added twice.
  void StopSubmission(unsigned id);
  // Move() moves a job that a policy holds to another context: passes it to that context's policy
  // (`push`), or leaves it with the caller. MovedAway() counts one task less in the context that
  // the job came from.
  void Move(Runtime& runtime, Job* job, unsigned id, bool push);
  void MovedAway(unsigned id, double flops);
  Bookings& bookings() { return bookings_; }
  // The order in which each worker visits its contexts.
  ContextOrder& order() { return order_; }
  // When the hypervisor's sample of a context began, in microseconds; 0: none.
  std::array<std::atomic<double>, STARPU_NMAX_SCHED_CTXS> sample_start_us{};

 private:
  // Makes the changes of a context one after the other, holding no lock, because they call the
  // program's policy, which may do anything. A change that the policy makes meanwhile runs at once,
  // as part of the change under way.
  void Change(Context& context, std::function<void()> change);
  Context* NestedIn(unsigned id);
  void CountReady(unsigned id, double flops, int change);
  Job* PopFrom(Context& context, int worker, bool enabled);
  Job* PopInOrder(int worker, bool enabled);
  void PushTo(Runtime& runtime, Context& context, Job* job);
  bool FitsWindow(Context& context, Job* job);
  void LetThroughWindow(Context& context);
  void LetGoOfHeld(Runtime& runtime, Context& context, bool all);
  void Remove(Runtime& runtime, Context& context, const WorkerSet& workers);
  void PassOn(Runtime& runtime, Context& context);
  void Forget(Runtime& runtime, unsigned id);

  const int all_workers_;
  const WorkerSet all_;
  const double window_us_;  // STARPU_WINDOW_TIME_SIZE; 0: none
  Bookings bookings_;
  ContextOrder order_;
  std::atomic<int> active_{0};
  std::atomic<bool> watched_{false};
  std::array<ReadyTasks, STARPU_NMAX_SCHED_CTXS> ready_{};
  Mutex lock_;  // guards adding and deleting contexts
  std::array<std::atomic<Context*>, STARPU_NMAX_SCHED_CTXS> contexts_{};
  // Includes deleted contexts, since a worker may still be looking at them.
  std::vector<std::unique_ptr<Context>> owned_ GUARDED_BY(lock_);
};

// Returns the set of these workers; aborts with a message naming `function` if one does not exist.
WorkerSet SetOfWorkers(Runtime& runtime, const int* ids, int count, const char* function);

}  // namespace tasklens::runtime
