// SPDX-License-Identifier: Apache-2.0
// Which data are in the main memory, and which wait on a disk.
//
// A handle is *movable* when its home is not the main memory: its memory is the runtime's, and may
// be taken away while nobody uses it. Whoever uses data pins them; what is not pinned, and was not
// used for the longest time, is evicted when memory has to be found below STARPU_LIMIT_CPU_MEM. To
// pin data that are there costs one atomic addition; only what must be moved takes the lock.
//
// Whether tasks may use data at the same time is decided elsewhere (arbitration.h): here a task
// that is ready, but not running, need not have its data in memory.
#pragma once

#include <starpu.h>

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <span>

#include "runtime/data/whereabouts.h"

namespace tasklens::runtime {

// One use of data.
struct Use {
  Handle* handle;
  bool reads, writes;
};

class Residency {
 public:
  ~Residency();

  // Gives each its memory, and its value where that is read and lies on a disk; waits for others to
  // end where there is no room. Ends the program with a line when waiting cannot help. The caller
  // has been granted the data, and has nothing pinned (but what it acquired).
  void Pin(std::span<const Use> uses);
  void Pin(const Use& use) { Pin({&use, 1}); }
  void Unpin(Handle* handle);

  // Calls allocate() until it returns true, making room and waiting as Pin() does; false when
  // waiting cannot help.
  template <class Allocate>
  bool MakeRoomFor(Allocate&& allocate) {
    if (allocate()) return true;
    std::lock_guard turn(turn_);
    std::unique_lock guard(lock_);
    const Waiting waiting(waiters_);
    for (;;) {
      const uint64_t freed = freed_.load();
      if (allocate()) return true;
      const bool others = AnybodyElse();
      if (freed_.load() != freed) continue;  // somebody ended meanwhile
      if (!others) return false;
      changed_.wait(guard);
    }
  }
  // Memory was given back by somebody.
  void NoteFreed() {
    // There is one who waits at most, which need not be told of what it gives up itself.
    if (waiters_.load() == 0 || waiting_) return;
    freed_.fetch_add(1);
    std::lock_guard guard(lock_);
    changed_.notify_all();
  }

  // Evicts data until so much more can be taken; whether that worked.
  bool Reclaim(size_t bytes);
  // Whether this thread is moving data right now: what it allocates for that is not held up.
  static bool IsMoving();

  // The memory was made or is about to be freed. EnsureAllocated() and ReleaseMemory() say so.
  void Came(Handle* handle);
  void Goes(Handle* handle);
  std::recursive_mutex& lock() { return lock_; }

  // Out of the main memory if nobody uses it; or off a disk, if it is elsewhere as well.
  bool Evict(Handle* handle, unsigned node);
  bool CanEvict(Handle* handle);
  // The first to be evicted from now on.
  void WontUse(Handle* handle);
  // The value onto a disk, for somebody who may write it there. The caller has been granted it.
  void MoveTo(Handle* handle, unsigned node, bool writes);
  // The same without writing, or into the main memory if there is room; nobody waits for it.
  void Prefetch(Handle* handle, unsigned node);
  // Whether a disk has the value.
  bool IsOn(Handle* handle, unsigned node);
  // The value is given up, wherever it is.
  void Invalidate(Handle* handle);
  // Before the end of a handle: its value goes home, when that is wanted and it is elsewhere; what
  // it has on disks is freed.
  void SendHome(Handle* handle);
  void FreeCopies(Handle* handle);

 private:
  static thread_local bool waiting_;  // this thread is the one
  struct Waiting {
    explicit Waiting(std::atomic<int>& count) : count(count) {
      count.fetch_add(1);
      waiting_ = true;
    }
    ~Waiting() {
      count.fetch_sub(1);
      waiting_ = false;
    }
    std::atomic<int>& count;
  };

  bool TryPin(const Use& use);                // without the lock
  bool TryPinAll(std::span<const Use> uses);  // under the lock; all or none
  bool Bring(const Use& use);                 // under the lock
  bool AnybodyElse();                         // who uses data or runs, and may free memory
  bool Leave(Handle* handle);
  bool WriteOut(Handle* handle);
  bool CopyOut(Handle* handle, unsigned node);
  bool CopyIn(Handle* handle);

  std::mutex turn_;  // whoever waits for room; has nothing pinned, so that all others can go on
  std::recursive_mutex lock_;
  std::condition_variable_any changed_;
  std::atomic<int> waiters_{0};
  std::atomic<uint64_t> freed_{
      0};                        // how often something was unpinned or freed while somebody waited
  std::list<Handle*> resident_;  // movable ones in memory, the next to be evicted first
  uint64_t next_copy_ = 1;
};

}  // namespace tasklens::runtime
