// SPDX-License-Identifier: Apache-2.0
// Tracks which jobs hold one value: one exclusive holder, or any number of readers, or of
// contributors to a reduction. Waiting jobs are served in the order of arrival.
//
// Usually one atomic word; a queue under a lock while jobs wait or a reduction is under way. All
// functions may be called from any thread.
#pragma once

#include <atomic>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

class AccessHolders {
 public:
  // What the caller must do after an access was released.
  struct Turn {
    // Chained by `next`. These jobs now hold the access that they waited for (`next_access` is
    // incremented) and must be passed to Ready().
    Job* granted = nullptr;
    bool reduces = false;  // start the reduction: the value is held exclusively for it
  };

  // Acquires the job's next access. Returns false if the job is queued and a later Turn will grant
  // the access: then the caller must not touch the job any more, and must start the reduction if
  // `reduces`, as for Turn.
  bool Take(Job* job, Access& access, bool& reduces) {
    return TakeFast(access) || TakeSlow(job, access, reduces);
  }
  // Acquires the access only if that is possible at once, without queueing.
  bool TryTake(Access& access) { return TakeFast(access) || TryTakeSlow(access); }
  // Releases the access. The value may be freed afterwards, unless the Turn `reduces`.
  Turn GiveBack(Access& access) {
    access.held = false;
    return Subtract(IsShared(access.kind) ? 1 : kExclusive);
  }
  // Turns the exclusive access `from` into the read access `to`; other jobs may read as well.
  Turn Downgrade(Access& from, Access& to) {
    from.held = false;
    to.held = true;
    return Subtract(kExclusive - 1);
  }
  // Ends the reduction; the value is still held exclusively.
  void EndReduction() {
    MutexLock guard(lock);
    reducing_ = false;
  }

  // Guards the queue, and the lists of users that the handle keeps.
  Mutex lock;

 private:
  // Bits of word_: the number of jobs that share the value, kExclusive if one holds it exclusively,
  // and kSlow if callers must take the slow path, with `lock`.
  static constexpr uint64_t kExclusive = uint64_t{1} << 32;
  static constexpr uint64_t kSlow = uint64_t{1} << 33;

  static bool IsShared(AccessKind kind) {
    return kind == AccessKind::kRead || kind == AccessKind::kRedux;
  }
  // Returns false also if the slow path must decide.
  bool TakeFast(Access& access);
  bool TakeSlow(Job* job, Access& access, bool& reduces);
  bool TryTakeSlow(Access& access);
  Turn Subtract(uint64_t part) {
    const uint64_t before = word_.fetch_sub(part, std::memory_order_acq_rel);
    return before & kSlow ? HandOver() : Turn();
  }
  Turn HandOver();
  // REQUIRES: kSlow is set, so that only releases change the word meanwhile.
  bool TakeLocked(AccessKind kind) REQUIRES(lock);
  // Removes the jobs that can hold the value now from the queue and returns them, chained by
  // `next`.
  Job* Grant() REQUIRES(lock);
  // If the first waiting job waits only for the reduction, acquires the value exclusively for that
  // and returns true.
  bool MustReduce() REQUIRES(lock);
  void LeaveSlow() REQUIRES(lock);

  std::atomic<uint64_t> word_{0};
  bool reducing_ GUARDED_BY(lock) = false;  // workers' copies hold contributions
  Job* first_waiting_ GUARDED_BY(lock) = nullptr;
  Job* last_waiting_ GUARDED_BY(lock) = nullptr;
};

inline bool AccessHolders::TakeFast(Access& access) {
  const AccessKind kind = access.kind;
  if (kind == AccessKind::kScratch) {  // each worker has its own
    access.held = false;
    return true;
  }
  uint64_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    if (kind == AccessKind::kRedux || (word & (kExclusive | kSlow))) return false;
    if (kind != AccessKind::kRead && word != 0) return false;
    const uint64_t wanted = kind == AccessKind::kRead ? word + 1 : kExclusive;
    if (word_.compare_exchange_weak(word, wanted, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      access.held = true;
      return true;
    }
  }
}

}  // namespace tasklens::runtime
