// SPDX-License-Identifier: Apache-2.0
// Who has one value now: one exclusive holder, or any number of readers, or of contributors to a
// reduction. First come, first served.
//
// One atomic word in the usual case; a queue under a lock when somebody must wait or a reduction is
// going on. Any thread.
#pragma once

#include <atomic>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

class AccessHolders {
 public:
  // What follows from an access that was given back.
  struct Turn {
    Job* granted = nullptr;  // chained by `next`: these have the access that they waited for, which
                             // `next_access` has passed, and go on
    bool reduces = false;  // contributions are to be combined: the value is held exclusively for it
  };

  // Takes the job's next access. False: the job is queued, and a Turn will grant it; the caller
  // must not touch it any more, and combines the contributions if `reduces`, as of Turn.
  bool Take(Job* job, Access& access, bool& reduces) {
    return TakeFast(access) || TakeSlow(job, access, reduces);
  }
  // Takes the access only if that is possible at once, without queueing.
  bool TryTake(Access& access) { return TakeFast(access) || TryTakeSlow(access); }
  // Gives it back. The value may be gone afterwards, unless the Turn `reduces`.
  Turn GiveBack(Access& access) {
    access.held = false;
    return Subtract(IsShared(access.kind) ? 1 : kExclusive);
  }
  // Turns exclusive access into reading, held by `to` from now on; others may read as well.
  Turn Downgrade(Access& from, Access& to) {
    from.held = false;
    to.held = true;
    return Subtract(kExclusive - 1);
  }
  // The contributions are combined. The value is still held exclusively.
  void EndReduction() {
    MutexLock guard(lock);
    reducing_ = false;
  }

  // Guards the queue, and the lists that a handle keeps of those who use it.
  Mutex lock;

 private:
  // The word: how many share the value, whether one has it exclusively, and whether the slow path
  // is to be taken, with `lock`.
  static constexpr uint64_t kExclusive = uint64_t{1} << 32;
  static constexpr uint64_t kSlow = uint64_t{1} << 33;

  static bool IsShared(AccessKind kind) {
    return kind == AccessKind::kRead || kind == AccessKind::kRedux;
  }
  // False also when only the slow path can tell.
  bool TakeFast(Access& access);
  bool TakeSlow(Job* job, Access& access, bool& reduces);
  bool TryTakeSlow(Access& access);
  Turn Subtract(uint64_t part) {
    const uint64_t before = word_.fetch_sub(part, std::memory_order_acq_rel);
    return before & kSlow ? HandOver() : Turn();
  }
  Turn HandOver();
  // With kSlow set, so that only those that give back change the word.
  bool TakeLocked(AccessKind kind) REQUIRES(lock);
  // Takes the jobs that can have the value off the queue, chained by `next`.
  Job* Grant() REQUIRES(lock);
  // When the first of the queue waits only for contributions to be combined, takes the value
  // exclusively for that.
  bool MustReduce() REQUIRES(lock);
  void LeaveSlow() REQUIRES(lock);

  std::atomic<uint64_t> word_{0};
  bool reducing_ GUARDED_BY(lock) = false;  // workers' copies hold contributions
  Job* first_waiting_ GUARDED_BY(lock) = nullptr;
  Job* last_waiting_ GUARDED_BY(lock) = nullptr;
};

inline bool AccessHolders::TakeFast(Access& access) {
  const AccessKind kind = access.kind;
  if (kind == AccessKind::kScratch) {  // nobody shares it
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
