// SPDX-License-Identifier: Apache-2.0
#include "runtime/jobs/access_holders.h"

namespace tasklens::runtime {
namespace {

Access& NextAccess(Job* job) { return job->accesses[job->next_access]; }

}  // namespace

bool AccessHolders::TakeLocked(AccessKind kind) {
  const uint64_t word = word_.load(std::memory_order_acquire) & ~kSlow;
  if (word & kExclusive) return false;
  if (kind == AccessKind::kRedux) {
    if (!reducing_ && word != 0) return false;
    reducing_ = true;
  } else {
    if (reducing_) return false;
    if (kind != AccessKind::kRead && word != 0) return false;
  }
  word_.fetch_add(IsShared(kind) ? 1 : kExclusive, std::memory_order_acquire);
  return true;
}

// Clears kSlow if no job waits and no reduction is under way.
void AccessHolders::LeaveSlow() {
  if (!first_waiting_ && !reducing_) word_.fetch_and(~kSlow, std::memory_order_release);
}

bool AccessHolders::MustReduce() {
  if (!reducing_ || !first_waiting_) return false;
  if (NextAccess(first_waiting_).kind == AccessKind::kRedux) return false;
  if ((word_.load(std::memory_order_acquire) & ~kSlow) != 0) return false;
  word_.fetch_add(kExclusive, std::memory_order_acquire);
  return true;
}

Job* AccessHolders::Grant() {
  Job* granted = nullptr;
  Job** tail = &granted;
  while (Job* job = first_waiting_) {
    Access& access = NextAccess(job);
    if (!TakeLocked(access.kind)) break;
    access.held = true;
    ++job->next_access;
    first_waiting_ = job->next;
    if (!first_waiting_) last_waiting_ = nullptr;
    job->next = nullptr;
    *tail = job;
    tail = &job->next;
  }
  return granted;
}

AccessHolders::Turn AccessHolders::HandOver() {
  MutexLock guard(lock);
  Turn turn;
  turn.granted = Grant();
  turn.reduces = MustReduce();
  LeaveSlow();
  return turn;
}

bool AccessHolders::TakeSlow(Job* job, Access& access, bool& reduces) {
  MutexLock guard(lock);
  word_.fetch_or(kSlow, std::memory_order_acquire);
  if (!first_waiting_ && TakeLocked(access.kind)) {
    access.held = true;
    LeaveSlow();
    return true;
  }
  job->next = nullptr;
  (last_waiting_ ? last_waiting_->next : first_waiting_) = job;
  last_waiting_ = job;
  reduces = MustReduce();
  return false;
}

bool AccessHolders::TryTakeSlow(Access& access) {
  MutexLock guard(lock);
  word_.fetch_or(kSlow, std::memory_order_acquire);
  access.held = !first_waiting_ && TakeLocked(access.kind);
  LeaveSlow();
  return access.held;
}

}  // namespace tasklens::runtime
