// SPDX-License-Identifier: Apache-2.0
// One atomic word a handle in the usual case; a queue under a lock when somebody must wait or a
// reduction is going on.
#include "runtime/core/arbitration.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/core/lifecycle.h"
#include "runtime/core/reduction.h"
#include "runtime/data/handle.h"
#include "runtime/support/message.h"
#include "runtime/support/sync.h"

// Who waits for data of several handles at once. A release and a failed attempt both take the lock,
// so that no release is missed.
struct starpu_arbiter {
  using Job = tasklens::runtime::Job;

  // Takes what the job wants of this arbiter; otherwise nothing, and the job waits here.
  bool TakeAll(Job* job) {
    tasklens::runtime::MutexLock guard(lock);
    for (tasklens::runtime::Access& access : job->accesses) {
      if (!tasklens::runtime::IsArbitered(access) || access.handle->arbiter != this) continue;
      if (tasklens::runtime::TryAcquireAccess(job, access)) continue;
      GiveBackFirst(job, access);
      waiting.push_back(job);
      return false;
    }
    return true;
  }
  // Around the release of something that somebody may wait for here. From then on the arbiter may
  // be destroyed, which waits for TryAgain().
  void WillTryAgain() { releasing.fetch_add(1, std::memory_order_relaxed); }
  // Lets those that wait try again, in the order in which they came.
  void TryAgain() {
    std::vector<Job*> jobs;
    {
      tasklens::runtime::MutexLock guard(lock);
      jobs.swap(waiting);
    }
    releasing.fetch_sub(1, std::memory_order_release);
    for (Job* job : jobs) tasklens::runtime::Ready(job);
  }
  bool is_used() const { return releasing.load(std::memory_order_acquire) != 0; }

 private:
  // What the attempt took before it met `failed`.
  void GiveBackFirst(Job* job, const tasklens::runtime::Access& failed);

  tasklens::runtime::Mutex lock;
  std::vector<Job*> waiting GUARDED_BY(lock);
  std::atomic<int> releasing{0};
};

namespace tasklens::runtime {
namespace {

using State = _starpu_data_state;

bool IsShared(AccessKind kind) { return kind == AccessKind::kRead || kind == AccessKind::kRedux; }

// Without the lock. False also when only the slow path can tell.
bool TakeFast(Handle* handle, AccessKind kind) {
  uint64_t holders = handle->holders.load(std::memory_order_relaxed);
  for (;;) {
    if (kind == AccessKind::kRedux || (holders & (State::kExclusive | State::kSlow))) return false;
    if (kind != AccessKind::kRead && holders != 0) return false;
    const uint64_t wanted = kind == AccessKind::kRead ? holders + 1 : State::kExclusive;
    if (handle->holders.compare_exchange_weak(holders, wanted, std::memory_order_acquire,
                                              std::memory_order_relaxed)) {
      return true;
    }
  }
}

// With wait_lock and kSlow set, so that only releases change the word.
bool TakeSlow(Handle* handle, AccessKind kind) {
  const uint64_t holders = handle->holders.load(std::memory_order_acquire) & ~State::kSlow;
  if (holders & State::kExclusive) return false;
  if (kind == AccessKind::kRedux) {
    if (!handle->reducing && holders != 0) return false;
    handle->reducing = true;
  } else {
    if (handle->reducing) return false;
    if (kind != AccessKind::kRead && holders != 0) return false;
  }
  handle->holders.fetch_add(IsShared(kind) ? 1 : State::kExclusive, std::memory_order_acquire);
  return true;
}

// With wait_lock: leaves the slow path when nothing needs it any more.
void LeaveSlow(Handle* handle) REQUIRES(handle->wait_lock) {
  if (!handle->first_waiting && !handle->reducing) {
    handle->holders.fetch_and(~State::kSlow, std::memory_order_release);
  }
}

Access& NextAccess(Job* job) { return job->accesses[job->next_access]; }

// With wait_lock: when the queue's head waits only for contributions to be combined, takes the
// data exclusively for that.
bool MustReduce(Handle* handle) REQUIRES(handle->wait_lock) {
  if (!handle->reducing || !handle->first_waiting) return false;
  if (NextAccess(handle->first_waiting).kind == AccessKind::kRedux) return false;
  if ((handle->holders.load(std::memory_order_acquire) & ~State::kSlow) != 0) return false;
  handle->holders.fetch_add(State::kExclusive, std::memory_order_acquire);
  return true;
}

// With wait_lock: takes the jobs that can have the data off the queue, chained by `next`.
Job* Grant(Handle* handle) REQUIRES(handle->wait_lock) {
  Job* granted = nullptr;
  Job** tail = &granted;
  while (Job* job = handle->first_waiting) {
    Access& access = NextAccess(job);
    if (!TakeSlow(handle, access.kind)) break;
    access.held = true;
    handle->first_waiting = job->next;
    if (!handle->first_waiting) handle->last_waiting = nullptr;
    job->next = nullptr;
    *tail = job;
    tail = &job->next;
  }
  return granted;
}

void HandOver(Handle* handle) {
  Job* granted;
  bool reduce;
  {
    tasklens::runtime::MutexLock guard(handle->wait_lock);
    granted = Grant(handle);
    reduce = MustReduce(handle);
    LeaveSlow(handle);
  }
  while (granted) {
    Job* next = granted->next;
    granted->next = nullptr;
    ++granted->next_access;
    Ready(granted);
    granted = next;
  }
  if (reduce) StartReduction(handle);
}

}  // namespace

namespace {
void GiveBack(Access& access) {
  access.held = false;
  Handle* handle = access.handle;
  const uint64_t unit = IsShared(access.kind) ? 1 : State::kExclusive;
  const uint64_t before = handle->holders.fetch_sub(unit, std::memory_order_acq_rel);
  if (before & State::kSlow) HandOver(handle);
}
}  // namespace

bool AcquireAccess(Job* job, Access& access) {
  Handle* handle = access.handle;
  if (access.kind == AccessKind::kScratch || TakeFast(handle, access.kind)) {
    access.held = access.kind != AccessKind::kScratch;
    return true;
  }
  bool reduce = false;
  {
    tasklens::runtime::MutexLock guard(handle->wait_lock);
    handle->holders.fetch_or(State::kSlow, std::memory_order_acquire);
    if (!handle->first_waiting && TakeSlow(handle, access.kind)) {
      access.held = true;
      LeaveSlow(handle);
      return true;
    }
    job->next = nullptr;
    (handle->last_waiting ? handle->last_waiting->next : handle->first_waiting) = job;
    handle->last_waiting = job;
    reduce = MustReduce(handle);
  }
  if (reduce) StartReduction(handle);
  return false;
}

bool TryAcquireAccess(Job*, Access& access) {
  Handle* handle = access.handle;
  if (access.kind == AccessKind::kScratch || TakeFast(handle, access.kind)) {
    access.held = access.kind != AccessKind::kScratch;
    return true;
  }
  tasklens::runtime::MutexLock guard(handle->wait_lock);
  handle->holders.fetch_or(State::kSlow, std::memory_order_acquire);
  access.held = !handle->first_waiting && TakeSlow(handle, access.kind);
  LeaveSlow(handle);
  return access.held;
}

bool IsArbitered(const Access& access) {
  return access.kind == AccessKind::kCommute && access.handle->arbiter;
}

bool AcquireArbitered(Job* job) {
  std::vector<starpu_arbiter*> arbiters;
  for (const Access& access : job->accesses) {
    if (IsArbitered(access) && !access.held) arbiters.push_back(access.handle->arbiter);
  }
  std::sort(arbiters.begin(), arbiters.end());
  arbiters.erase(std::unique(arbiters.begin(), arbiters.end()), arbiters.end());
  for (starpu_arbiter* arbiter : arbiters) {
    if (!arbiter->TakeAll(job)) return false;
  }
  return true;
}

void ReleaseAccess(Access& access) {
  if (!access.held) return;
  starpu_arbiter* const arbiter = access.handle->arbiter;  // the handle may be gone afterwards
  if (arbiter) arbiter->WillTryAgain();
  GiveBack(access);
  if (arbiter) arbiter->TryAgain();
}

void Downgrade(Access& from, Access& to) {
  Handle* handle = from.handle;
  from.held = false;
  to.held = true;
  const uint64_t before =
      handle->holders.fetch_sub(State::kExclusive - 1, std::memory_order_acq_rel);
  if (before & State::kSlow) HandOver(handle);
}

void ReleaseAccesses(Job* job) {
  for (Access& access : job->accesses) ReleaseAccess(access);
}

}  // namespace tasklens::runtime

// Nobody who waits at this arbiter is told: the data was taken and given back under its lock.
void starpu_arbiter::GiveBackFirst(Job* job, const tasklens::runtime::Access& failed) {
  for (tasklens::runtime::Access& access : job->accesses) {
    if (&access == &failed) return;
    if (tasklens::runtime::IsArbitered(access) && access.handle->arbiter == this) {
      tasklens::runtime::GiveBack(access);
    }
  }
}

namespace tasklens::runtime {

starpu_arbiter* NewArbiter() { return new starpu_arbiter; }

void DestroyArbiter(starpu_arbiter* arbiter) {
  // Whoever gave the data to the program may still be about to look who else waits.
  while (arbiter && arbiter->is_used()) LetOthersRun();
  delete arbiter;
}

}  // namespace tasklens::runtime
