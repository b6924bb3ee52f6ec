// SPDX-License-Identifier: Apache-2.0
// Which worker serves which context, and who waits for what.
#include "runtime/core/contexts.h"

#include <bit>
#include <cerrno>

#include "runtime/core/message.h"
#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/core/thread_state.h"

namespace tasklens::runtime {
namespace {

std::vector<int> Members(uint64_t workers) {
  std::vector<int> members;
  for (; workers; workers &= workers - 1) members.push_back(std::countr_zero(workers));
  return members;
}

}  // namespace

uint64_t WorkerBits(Runtime& runtime, const int* ids, int count, const char* function) {
  uint64_t bits = 0;
  for (int i = 0; i < count; ++i) {
    if (!runtime.worker(ids[i])) Fatal("%s(): there is no worker %d", function, ids[i]);
    bits |= uint64_t{1} << ids[i];
  }
  return bits;
}

unsigned Contexts::Add(std::unique_ptr<Context> context) {
  std::lock_guard guard(lock_);
  for (unsigned id = 1; id < contexts_.size(); ++id) {
    if (contexts_[id].load()) continue;
    contexts_[id].store(context.get(), std::memory_order_release);
    owned_.push_back(std::move(context));
    active_.fetch_add(1);
    return id;
  }
  return STARPU_NMAX_SCHED_CTXS;
}

void Contexts::Delete(Runtime& runtime, unsigned id) {
  Context* context = Find(id);
  if (!context) Fatal("starpu_sched_ctx_delete(): there is no scheduling context %u", id);
  bool stuck;
  {
    std::lock_guard guard(context->lock);
    stuck = context->outstanding > 0 && context->workers.load() == 0;
  }
  if (stuck) {
    Warn("starpu_sched_ctx_delete(): context %u has tasks and no workers: all workers run them",
         id);
    const uint64_t count = runtime.workers().size();
    AddWorkers(runtime, id, count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1);
  }
  if (!ThisThread().current) WaitForAll(id);
  {
    std::lock_guard guard(context->lock);
    context->finished = true;
  }
  PassOn(runtime, id);
  if (context->close_callback) context->close_callback(id, context->close_argument);
  contexts_[id].store(nullptr, std::memory_order_release);
  active_.fetch_sub(1);
}

// Its workers serve the inheritor from now on.
void Contexts::PassOn(Runtime& runtime, unsigned id) {
  Context* context = Find(id);
  uint64_t workers;
  unsigned inheritor;
  {
    std::lock_guard guard(context->lock);
    workers = context->workers.exchange(0);
    inheritor = context->inheritor;
  }
  if (inheritor && IsThere(inheritor)) AddWorkers(runtime, inheritor, workers);
}

void Contexts::AddWorkers(Runtime& runtime, unsigned id, uint64_t workers) {
  Context* context = Find(id);
  std::vector<Job*> held;
  {
    std::lock_guard guard(context->lock);
    context->workers.fetch_or(workers);
    held.swap(context->held);
  }
  for (Job* job : held) Schedule(runtime, job);
  // What waits in its policy may be for them.
  if (context->policy && context->policy->Size() > 0) runtime.WakeIfAsleep(workers);
}

void Contexts::RemoveWorkers(unsigned id, uint64_t workers) {
  Context* context = Find(id);
  std::lock_guard guard(context->lock);
  context->workers.fetch_and(~workers);
}

void Contexts::Finish(Runtime& runtime, unsigned id) {
  Context* context = Find(id);
  bool over;
  {
    std::lock_guard guard(context->lock);
    context->finished = true;
    over = context->outstanding == 0;
  }
  if (over) PassOn(runtime, id);
}

void Contexts::Submitted(unsigned id) {
  Context* context = Find(id);
  std::lock_guard guard(context->lock);
  ++context->outstanding;
}

void Contexts::Ended(Runtime& runtime, unsigned id) {
  Context* context = Find(id);
  bool over;
  {
    std::lock_guard guard(context->lock);
    const bool last = --context->outstanding == 0;
    over = last && context->finished;
    if (last) context->changed.notify_all();
  }
  if (over) PassOn(runtime, id);
}

int Contexts::WaitForAll(unsigned id) {
  Context* context = Find(id);
  if (!context) return -EINVAL;
  std::unique_lock guard(context->lock);
  context->changed.wait(guard, [context] { return context->outstanding == 0; });
  return 0;
}

// The nested context whose turn it is, or nullptr.
Context* Contexts::NestedIn(unsigned id) {
  std::vector<Context*> nested;
  for (unsigned other = 1; other < contexts_.size(); ++other) {
    Context* context = Find(other);
    if (context && context->parent == id && context->workers.load()) nested.push_back(context);
  }
  if (nested.empty()) return nullptr;
  Context* parent = Find(id);
  std::lock_guard guard(parent->lock);
  return nested[parent->round++ % nested.size()];
}

void Contexts::Schedule(Runtime& runtime, Job* job) {
  Context* context = Find(job->context);
  if (job->task->possibly_parallel) {
    if (Context* nested = NestedIn(job->context)) context = nested;
  }
  uint64_t workers;
  {
    std::lock_guard guard(context->lock);
    workers = context->workers.load();
    if (!workers) {
      context->held.push_back(job);
      return;
    }
  }
  if (!context->policy) {
    const auto roles = context->all_run ? Team::Roles::kAllRun : Team::Roles::kFirstRuns;
    return Team::Start(runtime, job, Members(workers), roles, -1);
  }
  const Worker* self = ThisThread().worker;
  const bool member = self && (workers >> self->id & 1);
  context->policy->Push(job, member ? self->id : -1);
  runtime.WakeIfAsleep(workers);
}

Job* Contexts::Pop(int worker) {
  for (unsigned id = 1; id < contexts_.size(); ++id) {
    Context* context = Find(id);
    if (!context || !context->policy || !(context->workers.load() >> worker & 1)) continue;
    if (Job* job = context->policy->Pop(worker)) return job;
  }
  return nullptr;
}

}  // namespace tasklens::runtime
