// SPDX-License-Identifier: Apache-2.0
// Scheduling contexts besides the first: workers of their own, with a policy or none. Context 0 is
// the runtime's own policy, with all workers; a worker looks at its other contexts first.
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

// Tasks that are ready and that no worker has yet.
struct ReadyTasks {
  std::atomic<int64_t> count{0};
  std::atomic<double> flops{0};
};

// Of the CUDA device that contexts may share; StarPU's number.
inline constexpr int kMultiprocessors = 13;

struct Context {
  // `all_workers`: of the runtime.
  explicit Context(int all_workers) : workers(all_workers), leaving(all_workers) {}

  // Of one without a policy: the CPU worker on which its tasks run; -1: there is none.
  int Master(const Runtime& runtime) const;
  // The worker of whose device it has a share (nsms); -1: none.
  int stream_worker() const;

  unsigned id = 0;
  std::string name;
  std::unique_ptr<Policy> policy;  // nullptr: its tasks have all of its workers to themselves
  ProgramPolicy* program_policy = nullptr;  // the same, when it is one
  PolicyContext policy_context;
  bool all_run = false;  // of those: the function runs on every worker
  // Of a nested one; it gets tasks that are possibly parallel.
  unsigned parent = STARPU_NMAX_SCHED_CTXS;
  unsigned hierarchy_level = 0;
  void* user_data = nullptr;
  // Its share of a CUDA device: so many multiprocessors, from the first to before the last.
  int nsms = 0, sms_begin = 0, sms_end = kMultiprocessors;
  int least_cpus = 0, least_gpus = 0;  // that it is to keep, when others want some
  // Who wants to know what happens here; nullptr: nobody.
  std::atomic<const starpu_sched_ctx_performance_counters*> news{nullptr};

  // Those that left go on taking what the policy keeps for them.
  SharedWorkerSet workers, leaving;
  std::atomic<int> pushing{0}, popping{0};  // threads inside the policy
  std::atomic<bool> gone{false};            // for good; nobody may enter the policy any more

  Mutex lock;  // guards the rest
  Condition changed;
  // Workers that come and go, and its end: see Contexts::Change().
  std::deque<std::function<void()>> changes GUARDED_BY(lock);
  uint64_t changes_wanted = 0, changes_made = 0;
  const ThreadState* changer = nullptr;  // the thread that makes them
  // While there are no workers. nullptr: those behind it wait until workers come once more.
  std::vector<Job*> held GUARDED_BY(lock);
  std::deque<Job*> beyond_window GUARDED_BY(lock);  // see FitsWindow()
  uint64_t outstanding GUARDED_BY(lock) = 0;        // tasks submitted and not ended
  uint64_t wait_limit GUARDED_BY(lock) = 0;  // the largest number of these that somebody waits for
  bool finished GUARDED_BY(lock) = false;    // nothing more will be submitted
  bool deleted GUARDED_BY(lock) = false;     // by one of its tasks: it goes when the last has ended
  unsigned inheritor = 0;                    // gets the workers, 0: nobody
  void (*close_callback)(unsigned, void*) = nullptr;
  void* close_argument = nullptr;
  unsigned round = 0;  // of nested ones
};

class Contexts {
 public:
  explicit Contexts(int workers);

  // Whether there are any.
  bool active() const { return active_.load(std::memory_order_relaxed) > 0; }
  bool IsThere(unsigned id) { return Find(id) != nullptr; }
  // nullptr when there is none of that number.
  Context* Find(unsigned id) {
    return id < contexts_.size() ? contexts_[id].load(std::memory_order_acquire) : nullptr;
  }
  // The workers of one, 0 included.
  WorkerSet WorkersOf(unsigned id);
  // The number of a new one, or STARPU_NMAX_SCHED_CTXS when they are too many.
  unsigned Add(Runtime& runtime, std::unique_ptr<Context> context, const WorkerSet& workers);
  // Waits for its tasks, gives its workers to its inheritor. Inside a task it does not wait: it
  // goes when its last task has ended. Not for functions of its own policy.
  void Delete(Runtime& runtime, unsigned id);
  // Ends the policies of those that the program did not delete. REQUIRES: no task, no worker runs.
  void EndPolicies();

  // Done on return, unless another thread is at such a change and this one is in a task, a callback
  // or a policy, for which that may wait: then it is done after that one.
  void AddWorkers(Runtime& runtime, unsigned id, const WorkerSet& workers);
  void RemoveWorkers(Runtime& runtime, unsigned id, const WorkerSet& workers);
  void Finish(Runtime& runtime, unsigned id);

  void Submitted(unsigned id);
  void Ended(Runtime& runtime, unsigned id);
  // Until at most `left` of its tasks have not ended. 0, or -EINVAL when there is none.
  int WaitForLeft(Runtime& runtime, unsigned id, uint64_t left);

  // A job is ready, and a worker has it. Of the first context only flops are counted.
  void BecameReady(const Job* job) {
    if (job->context || job->task->flops != 0) CountReady(job->context, job->task->flops, 1);
  }
  void Taken(const Job* job, int worker);
  const ReadyTasks& ReadyIn(unsigned id) const { return ready_[id]; }
  // A ready job of a context; and one for a worker.
  void Schedule(Runtime& runtime, Job* job);
  Job* Pop(int worker, bool enabled);
  // Whether the worker might find one.
  bool HaveFor(int worker);
  // From now on workers that sleep say now and then that they do: whether, and of one.
  void BeginToWatch(Runtime& runtime);
  bool watched() const { return watched_.load(std::memory_order_relaxed); }
  void TellIdle(int worker);
  std::atomic<bool> has_hypervisor{false};  // as the program says
  // The program waits: policies give away what they held back.
  void DoSchedule(Runtime& runtime);

  int all_workers() const { return all_workers_; }

  // What is submitted to a context without workers from here on waits until it got workers twice.
  void StopSubmission(unsigned id);
  // Of a job that a policy has in its hands: it is one of another context's now, whose policy gets
  // it (`push`), or the caller keeps it. And one less of a context, which somebody moved away.
  void Move(Runtime& runtime, Job* job, unsigned id, bool push);
  void MovedAway(unsigned id, double flops);
  Bookings& bookings() { return bookings_; }
  // Each worker's order of its contexts.
  ContextOrder& order() { return order_; }
  std::array<std::atomic<double>, STARPU_NMAX_SCHED_CTXS> sample_start_us{};  // of a hypervisor

 private:
  // Makes changes of a context one after the other, with no lock: they call the program's policy,
  // which may do anything. A change that it makes meanwhile is part of the one under way.
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
  Mutex lock_;  // of adding and deleting
  std::array<std::atomic<Context*>, STARPU_NMAX_SCHED_CTXS> contexts_{};
  // Deleted ones stay: a worker may be looking at them.
  std::vector<std::unique_ptr<Context>> owned_ GUARDED_BY(lock_);
};

// The set of these workers; aborts with a line naming `function` for one that is not there.
WorkerSet SetOfWorkers(Runtime& runtime, const int* ids, int count, const char* function);

}  // namespace tasklens::runtime
