// SPDX-License-Identifier: Apache-2.0
// Groups of accesses: those of a group may run together, and each waits for the whole group before.
#include "runtime/core/ordering.h"

#include <algorithm>

#include "runtime/core/lifecycle.h"
#include "runtime/core/lifetime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/handle.h"

namespace tasklens::runtime {
namespace {

// From here on a new member of a group that many precede waits for one empty job instead.
constexpr size_t kJoinThreshold = 16;
// Forget readers that have ended when a group gets this large (and at each doubling).
constexpr size_t kPruneThreshold = 64;

bool Add(const JobRef& predecessor, uintptr_t successor, std::atomic<int32_t>& counter) {
  if (predecessor.HasEnded()) return false;
  Job* job = predecessor.job;
  MutexLock guard(job->lock);
  if (predecessor.HasEnded()) return false;
  counter.fetch_add(1, std::memory_order_relaxed);
  job->successors.push_back(successor);
  return true;
}

// The members of a group before `job` in what it does with the handle.
void WaitForAll(const Handle* handle, Job* job, trace::Dependencies& dependencies)
    REQUIRES(handle->order_lock) {
  for (const JobRef& ref : handle->previous) {
    if (ref.id == job->id.load(std::memory_order_relaxed)) continue;
    const bool alive = AddDependency(ref, job);
    dependencies.Add(ref.id, alive ? trace::kDepTask : trace::kDepGhost, handle->size_bytes);
  }
}

// A trace shows dependencies on tasks that have ended as well, and so does a bound; without them
// they need no memory.
void Prune(std::vector<JobRef>& refs) {
  if (refs.size() < kPruneThreshold || refs.size() != refs.capacity()) return;
  if (trace::On() || Bound::WithDependencies()) return;
  std::erase_if(refs, [](const JobRef& ref) { return ref.HasEnded(); });
  // A group that cannot shrink doubles its room, and is looked at again only when that is full.
}

// Puts an empty job between two large groups: n + m dependencies instead of n x m.
void InsertJoin(Handle* handle) REQUIRES(handle->order_lock) {
  Job* join = NewJob(/*with_task=*/true);
  join->type = kTypeInternal;
  join->on_ready = &EndControlJob;
  EnsureId(join);
  trace::Submit(join);
  {
    trace::Dependencies dependencies(join);
    WaitForAll(handle, join, dependencies);
  }
  handle->previous.assign(1, {join, join->id.load(std::memory_order_relaxed)});
  ReleaseStart(join);
}

void Enter(Handle* handle, AccessKind kind, Job* job, trace::Dependencies& dependencies)
    REQUIRES(handle->order_lock) {
  const bool joins = kind != AccessKind::kWrite && kind == handle->current_kind;
  if (!joins) {
    if (!handle->current.empty()) {
      handle->previous.swap(handle->current);
      handle->current.clear();
    }
    handle->current_kind = kind;
  } else if (handle->previous.size() > kJoinThreshold && !handle->current.empty()) {
    InsertJoin(handle);
  }
  WaitForAll(handle, job, dependencies);
  Prune(handle->current);
  handle->current.push_back({job, job->id.load(std::memory_order_relaxed)});
}

}  // namespace

bool AddDependency(const JobRef& predecessor, Job* successor) {
  return Add(predecessor, reinterpret_cast<uintptr_t>(successor), successor->pending);
}

namespace {
uint64_t LastingKey(Job* job) {
  static std::atomic<uint64_t> next_key{1};
  MutexLock guard(job->lock);
  if (!job->lasting_key) job->lasting_key = next_key.fetch_add(1, std::memory_order_relaxed);
  if (!job->lasting) job->lasting = new LastingDependencies;
  return job->lasting_key;
}
}  // namespace

bool AddLastingDependency(Job* predecessor, Job* successor) {
  const uint64_t key = LastingKey(predecessor);
  const LastingSuccessor entry{successor, LastingKey(successor)};
  const auto same = [&](const LastingSuccessor& other) { return other.key == entry.key; };
  {
    MutexLock guard(predecessor->lock);
    // Declared before, and still so.
    const auto& known = predecessor->lasting->successors;
    if (std::any_of(known.begin(), known.end(), same)) return !predecessor->done;
  }
  {
    // Before the predecessor knows of it, which may end at once and looks for this then.
    MutexLock guard(successor->lock);
    successor->lasting->edges.push_back({key, 0});
  }
  {
    MutexLock guard(predecessor->lock);
    auto& successors = predecessor->lasting->successors;
    if (successors.size() == successors.capacity())
      std::erase_if(successors, [](const LastingSuccessor& each) { return each.IsGone(); });
    successors.push_back(entry);
    if (!predecessor->done) return true;
  }
  // One that has ended is not waited for this time.
  MutexLock guard(successor->lock);
  for (auto& edge : successor->lasting->edges) {
    if (edge.predecessor_key == key) ++edge.ends;
  }
  return false;
}

bool AddEndDependency(const JobRef& predecessor, Job* successor) {
  return Add(predecessor, reinterpret_cast<uintptr_t>(successor) | 1, successor->end_pending);
}

void OrderAccesses(Job* job) NO_THREAD_SAFETY_ANALYSIS {
  const auto ordered = [](const Access& access) {
    return access.ordered && access.kind != AccessKind::kScratch;
  };
  for (Access& access : job->accesses) {
    if (ordered(access)) access.handle->order_lock.lock();
  }
  trace::Dependencies dependencies(job);
  for (Access& access : job->accesses) {
    if (ordered(access)) {
      Enter(access.handle, access.kind, job, dependencies);
    } else {
      KeepAlive(access.handle);
    }
  }
  for (Access& access : job->accesses) {
    if (ordered(access)) access.handle->order_lock.unlock();
  }
}

}  // namespace tasklens::runtime
