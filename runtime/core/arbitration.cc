// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/arbitration.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/core/lifecycle.h"
#include "runtime/core/reduction.h"
#include "runtime/data/handle.h"
#include "runtime/support/message.h"
#include "runtime/support/sync.h"

// The arbiter: jobs that wait to acquire several handles at once. A release and a failed attempt
// both take the lock, so that no release is missed.
struct starpu_arbiter {
  using Job = tasklens::runtime::Job;

  // Acquires all accesses of the job to this arbiter's data. If one fails, acquires none, queues
  // the job, and returns false.
  bool TakeAll(Job* job) {
    tasklens::runtime::MutexLock guard(lock);
    for (tasklens::runtime::Access& access : job->accesses) {
      if (!tasklens::runtime::IsArbitered(access) || access.handle->arbiter != this) continue;
      if (tasklens::runtime::TryAcquireAccess(access)) continue;
      GiveBackFirst(job, access);
      waiting.push_back(job);
      return false;
    }
    return true;
  }
  // WillTryAgain() and TryAgain() enclose the release of data that jobs may wait for here. Once the
  // data are released the program may destroy the arbiter; DestroyArbiter() waits for TryAgain().
  void WillTryAgain() { releasing.fetch_add(1, std::memory_order_relaxed); }
  // Lets the waiting jobs try again, in the order of their arrival.
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
  // Releases the accesses that the attempt acquired before `failed`.
  void GiveBackFirst(Job* job, const tasklens::runtime::Access& failed);

  tasklens::runtime::Mutex lock;
  std::vector<Job*> waiting GUARDED_BY(lock);
  std::atomic<int> releasing{0};
};

namespace tasklens::runtime {
namespace {

void GoOn(Handle* handle, const AccessHolders::Turn& turn) {
  for (Job* job = turn.granted; job;) {
    Job* const next = job->next;
    job->next = nullptr;
    Ready(job);
    job = next;
  }
  if (turn.reduces) StartReduction(handle);
}

void GiveBack(Access& access) {
  Handle* const handle = access.handle;
  GoOn(handle, handle->holders.GiveBack(access));
}

}  // namespace

bool AcquireAccess(Job* job, Access& access) {
  Handle* const handle = access.handle;
  bool reduces = false;
  if (handle->holders.Take(job, access, reduces)) return true;
  if (reduces) StartReduction(handle);
  return false;
}

bool TryAcquireAccess(Access& access) { return access.handle->holders.TryTake(access); }

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
  Handle* const handle = from.handle;
  GoOn(handle, handle->holders.Downgrade(from, to));
}

void ReleaseAccesses(Job* job) {
  for (Access& access : job->accesses) ReleaseAccess(access);
}

}  // namespace tasklens::runtime

// Jobs that wait at this arbiter need not be woken: the data were acquired and released under its
// lock.
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
  // The thread that released the data may still be in TryAgain().
  while (arbiter && arbiter->is_used()) LetOthersRun();
  delete arbiter;
}

}  // namespace tasklens::runtime
