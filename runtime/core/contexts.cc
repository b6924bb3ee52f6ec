// SPDX-License-Identifier: Apache-2.0
// Contexts: membership of workers, scheduling, and waiting.
#include "runtime/core/contexts.h"

#include <algorithm>
#include <cerrno>

#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/core/watched_context.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

bool MayPop(const Context& context, int worker) {
  return (context.workers.Has(worker) || context.leaving.Has(worker)) && !context.gone.load();
}

}  // namespace

// Counts a thread as inside the policy for the time of a block.
class InsidePolicy {
 public:
  explicit InsidePolicy(std::atomic<int>& count) : count_(count), around_(ThisThread().inside) {
    count_.fetch_add(1);
    ThisThread().inside = this;
  }
  ~InsidePolicy() {
    ThisThread().inside = around_;
    count_.fetch_sub(1);
  }
  InsidePolicy(const InsidePolicy&) = delete;
  InsidePolicy& operator=(const InsidePolicy&) = delete;

  // How often this thread is counted in `count`.
  static int Own(const std::atomic<int>& count) {
    int own = 0;
    for (const InsidePolicy* at = ThisThread().inside; at; at = at->around_)
      own += &at->count_ == &count;
    return own;
  }

 private:
  std::atomic<int>& count_;
  InsidePolicy* const around_;
};

namespace {
// Waits until only this thread, if any, is counted.
void WaitForOthers(const std::atomic<int>& count) {
  const int own = InsidePolicy::Own(count);
  while (count.load() > own) LetOthersRun();
}

// Whether others may be waiting for this thread, so that it must not wait for them.
bool IsWaitedFor() {
  const ThreadState& thread = ThisThread();
  return thread.current || thread.worker || thread.inside;
}
}  // namespace

WorkerSet SetOfWorkers(Runtime& runtime, const int* ids, int count, const char* function) {
  WorkerSet set;
  for (int i = 0; i < count; ++i) {
    if (!runtime.worker(ids[i])) Fatal("%s(): there is no worker %d", function, ids[i]);
    set.Add(ids[i]);
  }
  return set;
}

int Context::Master(const Runtime& runtime) const {
  if (policy) return -1;
  for (const int id : workers.Load().Ids())
    if (runtime.workers()[static_cast<size_t>(id)]->kind == STARPU_CPU_WORKER) return id;
  return -1;
}

int Context::stream_worker() const {
  const std::vector<int> members = nsms > 0 ? workers.Load().Ids() : std::vector<int>();
  return members.empty() ? -1 : members.front();
}

Contexts::Contexts(int workers)
    : all_workers_(workers),
      all_(WorkerSet::First(workers)),
      window_us_(1e6 * EnvironmentFloat("STARPU_WINDOW_TIME_SIZE", 0)),
      order_(workers) {}

WorkerSet Contexts::WorkersOf(unsigned id) {
  if (id == 0) return all_;
  const Context* context = Find(id);
  return context ? context->workers.Load() : WorkerSet();
}

unsigned Contexts::Add(Runtime& runtime, std::unique_ptr<Context> context,
                       const WorkerSet& workers) {
  Context* added = context.get();
  unsigned id = 1;
  {
    MutexLock guard(lock_);
    while (id < contexts_.size() && contexts_[id].load()) ++id;
    if (id == contexts_.size()) return STARPU_NMAX_SCHED_CTXS;
    added->id = id;
    contexts_[id].store(added, std::memory_order_release);
    owned_.push_back(std::move(context));
    active_.fetch_add(1);
  }
  if (added->policy) added->policy->Begin(id);
  AddWorkers(runtime, id, workers);
  return id;
}

void Contexts::Delete(Runtime& runtime, unsigned id) {
  Context* context = Find(id);
  if (!context) Fatal("starpu_sched_ctx_delete(): there is no scheduling context %u", id);
  if (InsidePolicy::Own(context->pushing) + InsidePolicy::Own(context->popping) > 0)
    Fatal("starpu_sched_ctx_delete(): a function of context %u's own policy cannot delete it", id);
  Tell(*context, &ContextNews::notify_delete_context, id);
  bool stuck;
  {
    MutexLock guard(context->lock);
    stuck = context->outstanding > 0 && context->workers.empty();
  }
  if (stuck) {
    Warn("starpu_sched_ctx_delete(): context %u has tasks and no workers: all workers run them",
         id);
    AddWorkers(runtime, id, WorkersOf(0));
  }
  bookings_.ReleaseAll(id);
  LetGoOfHeld(runtime, *context, /*all=*/true);
  if (ThisThread().current) {
    MutexLock guard(context->lock);
    context->deleted = true;
    if (context->outstanding > 0) return;
  } else {
    WaitForLeft(runtime, id, 0);
  }
  Forget(runtime, id);
}

void Contexts::EndPolicies() {
  for (const std::atomic<Context*>& there : contexts_) {
    const Context* const context = there.load();
    if (!context || !context->policy) continue;
    context->policy->RemoveWorkers(context->workers.Load().Ids());
    context->policy->End();
  }
}

// REQUIRES: its tasks have ended.
void Contexts::Forget(Runtime& runtime, unsigned id) {
  Context* context = Find(id);
  PassOn(runtime, *context);
  Change(*context, [this, context, id] {
    context->gone.store(true);
    // Threads that pushed the last task or looked for another one may still be inside the policy.
    WaitForOthers(context->pushing);
    WaitForOthers(context->popping);
    if (context->policy) context->policy->End();
    if (context->close_callback) context->close_callback(id, context->close_argument);
    contexts_[id].store(nullptr, std::memory_order_release);
    active_.fetch_sub(1);
  });
}

void Contexts::Change(Context& context, std::function<void()> change) {
  MutexLock guard(context.lock);
  const ThreadState* const self = &ThisThread();
  if (context.changer == self) {
    guard.unlock();
    return change();
  }
  context.changes.push_back(std::move(change));
  const uint64_t number = ++context.changes_wanted;
  if (context.changer) {
    if (!IsWaitedFor()) context.changed.wait(guard, [&] { return context.changes_made >= number; });
    return;
  }
  context.changer = self;
  while (!context.changes.empty()) {
    const std::function<void()> next = std::move(context.changes.front());
    context.changes.pop_front();
    guard.unlock();
    next();
    guard.lock();
    ++context.changes_made;
    context.changed.notify_all();
  }
  context.changer = nullptr;
}

// Gives the workers to the inheritor.
void Contexts::PassOn(Runtime& runtime, Context& context) {
  const WorkerSet workers = context.workers.Load();
  Remove(runtime, context, workers);
  unsigned inheritor;
  {
    MutexLock guard(context.lock);
    inheritor = context.inheritor;
  }
  if (inheritor && IsThere(inheritor)) AddWorkers(runtime, inheritor, workers);
}

void Contexts::AddWorkers(Runtime& runtime, unsigned id, const WorkerSet& workers) {
  Context* context = Find(id);
  Change(*context, [this, &runtime, context, workers] {
    const std::vector<int> added = (workers - context->workers.Load()).Ids();
    for (const int worker : added) {
      context->policy_context.workers.Add(worker);
      order_.Join(worker, context->id);
    }
    if (context->policy) context->policy->AddWorkers(added);
    {
      MutexLock guard(context->lock);
      context->workers.Add(workers);
    }
    LetGoOfHeld(runtime, *context, /*all=*/false);
    // The policy may hold tasks for the new workers.
    if (context->policy && context->policy->Size() > 0) runtime.sleepers().WakeThoseAsleep(workers);
  });
}

void Contexts::RemoveWorkers(Runtime& runtime, unsigned id, const WorkerSet& workers) {
  Remove(runtime, *Find(id), workers);
}

void Contexts::Remove(Runtime& runtime, Context& context, const WorkerSet& workers) {
  Change(context, [&runtime, &context, workers] {
    const WorkerSet removed = context.workers.Remove(workers);
    const std::vector<int> members = removed.Ids();
    for (const int worker : members) context.policy_context.workers.Remove(worker);
    if (!context.policy) return;
    context.policy->RemoveWorkers(members);
    // Pushes under way may still choose a removed worker; after them it is known what the policy
    // keeps for these workers.
    WaitForOthers(context.pushing);
    context.leaving.Add(removed);
    runtime.sleepers().WakeThoseAsleep(removed);
  });
}

void Contexts::Finish(Runtime& runtime, unsigned id) {
  Context* context = Find(id);
  bool over;
  {
    MutexLock guard(context->lock);
    context->finished = true;
    over = context->outstanding == 0;
  }
  if (over) PassOn(runtime, *context);
}

void Contexts::Submitted(unsigned id) {
  Context* context = Find(id);
  MutexLock guard(context->lock);
  ++context->outstanding;
}

void Contexts::Ended(Runtime& runtime, unsigned id) {
  Context* context = Find(id);
  bool finished, deleted;
  {
    MutexLock guard(context->lock);
    const bool last = --context->outstanding == 0;
    finished = last && context->finished;
    deleted = last && context->deleted;
    if (context->outstanding <= context->wait_limit) context->changed.notify_all();
  }
  if (deleted) return Forget(runtime, id);
  if (finished) PassOn(runtime, *context);
}

int Contexts::WaitForLeft(Runtime& runtime, unsigned id, uint64_t left) {
  Context* context = Find(id);
  if (!context) return -EINVAL;
  runtime.DoSchedule();
  MutexLock guard(context->lock);
  context->wait_limit = std::max(context->wait_limit, left);
  while (context->outstanding > left) context->changed.wait(guard);
  return 0;
}

void Contexts::LetGoOfHeld(Runtime& runtime, Context& context, bool all) {
  std::vector<Job*> jobs;
  {
    MutexLock guard(context.lock);
    std::vector<Job*>& held = context.held;
    const auto stop = all ? held.end() : std::ranges::find(held, nullptr);
    jobs.assign(held.begin(), stop);
    held.erase(held.begin(), stop == held.end() ? stop : stop + 1);
  }
  for (Job* job : jobs)
    if (job) Schedule(runtime, job);
}

void Contexts::StopSubmission(unsigned id) {
  Context* context = Find(id);
  if (!context) return;
  MutexLock guard(context->lock);
  if (context->workers.empty()) context->held.push_back(nullptr);
}

void Contexts::Move(Runtime& runtime, Job* job, unsigned id, bool push) {
  if (push) {
    if (ProgramPolicy* policy = runtime.program_policy(job->context)) policy->GaveAway();
  }
  job->task->sched_ctx = id;
  job->context = static_cast<uint8_t>(id);
  if (id) Submitted(id);
  BecameReady(job);
  if (push) runtime.ScheduleAgain(job);
}

// (If this was the last task, the context is neither removed nor does it pass its workers on: the
// caller is inside its policy, and that would wait for the caller.)
void Contexts::MovedAway(unsigned id, double flops) {
  CountReady(id, flops, -1);
  Context* context = Find(id);
  if (!context) return;
  MutexLock guard(context->lock);
  --context->outstanding;
  if (context->outstanding <= context->wait_limit) context->changed.notify_all();
}

void Contexts::CountReady(unsigned id, double flops, int change) {
  ReadyTasks& ready = ready_[id];
  if (id) ready.count.fetch_add(change, std::memory_order_relaxed);
  if (flops != 0) ready.flops.fetch_add(change * flops, std::memory_order_relaxed);
}

void Contexts::Taken(const Job* job, int worker) {
  if (!job->context && job->task->flops == 0) return;
  CountReady(job->context, job->task->flops, -1);
  if (!job->context) return;
  Context& context = *Find(job->context);
  Tell(context, &ContextNews::notify_poped_task, unsigned{job->context}, worker);
  if (window_us_ > 0) LetThroughWindow(context);
}

void Contexts::BeginToWatch(Runtime& runtime) {
  watched_.store(true);
  runtime.sleepers().WakeThoseAsleep(WorkersOf(0));
}

void Contexts::TellIdle(int worker) {
  for (unsigned id = 1; id < contexts_.size(); ++id) {
    Context* context = Find(id);
    if (!context || !MayPop(*context, worker)) continue;
    const InsidePolicy inside(context->popping);
    if (MayPop(*context, worker)) Tell(*context, &ContextNews::notify_idle_cycle, id, worker, 1.0);
  }
}

// Returns the next nested context, in turn, or nullptr if there is none.
Context* Contexts::NestedIn(unsigned id) {
  std::vector<Context*> nested;
  for (unsigned other = 1; other < contexts_.size(); ++other) {
    Context* context = Find(other);
    if (context && context->parent == id && !context->workers.empty()) nested.push_back(context);
  }
  if (nested.empty()) return nullptr;
  Context* parent = Find(id);
  MutexLock guard(parent->lock);
  return nested[parent->round++ % nested.size()];
}

void Contexts::Schedule(Runtime& runtime, Job* job) {
  Context* context = Find(job->context);
  if (job->task->possibly_parallel) {
    if (Context* nested = NestedIn(job->context)) context = nested;
  }
  // The hypervisor may add workers now.
  if (context->workers.empty()) {
    Tell(*context, &ContextNews::notify_empty_ctx, context->id, job->task);
  }
  const InsidePolicy inside(context->pushing);
  WorkerSet workers;
  {
    MutexLock guard(context->lock);
    workers = context->workers.Load();
    if (workers.empty()) {
      context->held.push_back(job);
      return;
    }
  }
  if (!context->policy) {
    const auto roles = context->all_run ? Team::Roles::kAllRun : Team::Roles::kFirstRuns;
    return Team::Start(runtime, job, workers.Ids(), roles, -1);
  }
  if (window_us_ > 0 && !FitsWindow(*context, job)) {
    {
      MutexLock guard(context->lock);
      context->beyond_window.push_back(job);
    }
    // Earlier tasks may have been taken meanwhile, and then no later event would let this job
    // through.
    return LetThroughWindow(*context);
  }
  PushTo(runtime, *context, job);
}

// REQUIRES: the context has a policy, and the caller is counted in `pushing`.
void Contexts::PushTo(Runtime& runtime, Context& context, Job* job) {
  const WorkerSet workers = context.workers.Load();
  const Worker* self = ThisThread().worker;
  const bool member = self && workers.Has(self->id);
  const int target = context.policy->Push(job, member ? self->id : -1);
  if (!context.program_policy) TellPushed(context, target, workers);
  runtime.sleepers().WakeThoseAsleep(workers);
}

// Whether the policy expects the task to end within the window, by simulate_push_task. True if the
// policy cannot predict that or holds no task.
bool Contexts::FitsWindow(Context& context, Job* job) {
  ProgramPolicy* const policy = context.program_policy;
  if (!policy || policy->Size() == 0) return true;
  const std::optional<double> end_us = policy->SimulatePush(job->task);
  const double sample_us = sample_start_us[context.id].load();
  const double start_us = sample_us != 0 ? sample_us : starpu_timing_now();
  return !end_us || *end_us - start_us <= 1.2 * window_us_;
}

// Pushes the oldest job beyond the window if it fits now.
void Contexts::LetThroughWindow(Context& context) {
  const InsidePolicy inside(context.pushing);
  Job* job = nullptr;
  {
    MutexLock guard(context.lock);
    if (context.beyond_window.empty()) return;
    job = context.beyond_window.front();
    context.beyond_window.pop_front();
  }
  if (FitsWindow(context, job)) return PushTo(*Runtime::Instance(), context, job);
  MutexLock guard(context.lock);
  context.beyond_window.push_front(job);
}

Job* Contexts::PopFrom(Context& context, int worker, bool enabled) {
  if (!context.policy || !MayPop(context, worker)) return nullptr;
  const InsidePolicy inside(context.popping);
  // Either Forget() sees this thread in `popping`, or this thread sees `gone`.
  if (!MayPop(context, worker)) return nullptr;
  const bool member = context.workers.Has(worker);
  if ((!member || !enabled) && !context.policy->KeepsFor(worker)) {
    if (!member) context.leaving.Remove(worker);
    return nullptr;
  }
  if (Job* job = context.policy->Pop(worker)) return job;
  Tell(context, &ContextNews::notify_idle_cycle, context.id, worker, 1.0);
  return nullptr;
}

Job* Contexts::Pop(int worker, bool enabled) {
  if (order_.is_set()) return PopInOrder(worker, enabled);
  for (unsigned id = 1; id < contexts_.size(); ++id) {
    Context* context = Find(id);
    if (!context) continue;
    if (Job* job = PopFrom(*context, worker, enabled)) return job;
  }
  return nullptr;
}

Job* Contexts::PopInOrder(int worker, bool enabled) {
  Runtime& runtime = *Runtime::Instance();
  for (const unsigned id : order_.Of(worker)) {
    Job* job = nullptr;
    if (Context* context = Find(id)) {
      job = PopFrom(*context, worker, enabled);
    } else if (id == 0 && (enabled || runtime.policy(0)->KeepsFor(worker))) {
      job = runtime.policy(0)->Pop(worker);
    }
    if (job) return job;
  }
  return nullptr;
}

bool Contexts::HaveFor(int worker) {
  if (!active()) return false;
  for (unsigned id = 1; id < contexts_.size(); ++id) {
    const Context* context = Find(id);
    if (context && context->policy && MayPop(*context, worker) &&
        context->policy->SizeFor(worker) > 0) {
      return true;
    }
  }
  return false;
}

void Contexts::DoSchedule(Runtime& runtime) {
  for (unsigned id = 1; id < contexts_.size(); ++id) {
    Context* context = Find(id);
    if (!context || !context->policy) continue;
    const InsidePolicy inside(context->popping);
    if (!context->gone.load() && context->policy->DoSchedule()) {
      runtime.sleepers().WakeThoseAsleep(context->workers.Load());
    }
  }
}

}  // namespace tasklens::runtime
