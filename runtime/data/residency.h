// SPDX-License-Identifier: Apache-2.0
// Which data are where: in the main memory, on devices, or waiting on a disk. Each memory node has
// a copy that is the only one (owner), one of several (shared), or of no value (invalid).
//
// To read data on a node brings a copy there, from the node that takes least time; to write them
// makes all other copies invalid. On devices, what nobody uses and was not used for the longest
// time makes room for others; if it is the only copy it goes to the main memory first.
//
// A handle is *movable* when its home is not the main memory: its memory there is the runtime's,
// and may be taken away while nobody uses it. What is at home on a device always has its memory
// there, the program's, which is not evicted. Whoever uses data pins them; what is not pinned, and
// was not used for the longest time, is evicted when memory has to be found below
// STARPU_LIMIT_CPU_MEM. To pin data that are there costs one atomic addition; only what must be
// moved takes the lock.
//
// A disk that can do so reads and writes beside the tasks: a value that is prefetched is *under
// way* until the disk is done or somebody needs it, and what is likely to be evicted next is
// written ahead, so that its memory is free at once when that is wanted. Whoever then uses or frees
// the value waits for the disk; a reader of what is written does not.
//
// Nobody waits for a disk with the lock, nor for what leaves a device, so that other data can be
// used meanwhile. What is read or written at once, and what is put on its way from a device, is
// under way for that time, too. The exceptions: copies to devices of memory that is not pinned,
// and what makes room where others have just taken it.
//
// No code of a program runs with the lock: methods of interfaces, operations of disks and hooks of
// memory are called by Unlocked(), which gives up all levels of the lock for that time. What they
// are at is marked before: what a handle has where is changed by the one thread that has *claimed*
// the handle, and a claim outlasts such calls. Therefore, while a method runs,
//  - nobody else allocates, copies, evicts or frees anything of the same handle: a second one that
//    wants the same copy waits for the claim, and then finds it; a part is a handle of its own, and
//    its whole is pinned;
//  - the handle stays, as who ends it claims it first;
//  - others may read its value and its whereabouts, pin it in the main memory (where it is about to
//    leave, kLeaving sends them to the claim), unpin it anywhere, and end a transfer that began
//    before. On a device nobody pins what another thread has claimed, so that what was not pinned
//    stays so;
//  - all other handles come and go: no loop keeps a place in a list over a call, nor a handle that
//    it has not claimed;
//  - the account of memory is right at any time, as methods book memory before they have it, and
//    give it back after they had it.
// Who was granted the data, or ends the handle, waits for a claim. Who wants room, or fetches
// ahead, passes over what is claimed, also by itself. So nobody waits for a claim with another one,
// unless a method does: it may use other data, but waits in vain for who needs its own.
//
// Whether tasks may use data at the same time is decided elsewhere (core/arbitration.h): here a
// task that is ready, but not running, need not have its data in memory.
#pragma once

#include <starpu.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "runtime/data/carrier.h"
#include "runtime/data/residency_host.h"
#include "runtime/data/whereabouts.h"
#include "runtime/jobs/reentrant_mutex.h"
#include "runtime/support/memory_account.h"
#include "runtime/support/small_vector.h"
#include "runtime/support/sync.h"
#include "trace/events/events.h"

namespace tasklens::runtime {

class Devices;
struct Disk;
class Disks;
class MemoryStats;
struct ThreadState;

// What somebody has to wait for before using data.
using Arrivals = SmallVector<Arrival, 4>;

// One use of data.
struct Use {
  Handle* handle;
  bool reads, writes;
};

// Where data can be.
struct Memories {
  MemoryAccount& main;
  Devices& devices;
  Disks& disks;
  MemoryStats* stats = nullptr;  // nullptr: nobody wants them
};

class Residency {
 public:
  // What a handle has where is changed by this thread alone while this lives. Of the same handle a
  // thread may have several.
  class Claim {
   public:
    enum class If { kWait, kFree };
    // Takes the lock for a moment; while it waits, the lock is given up. kFree: or not at all.
    Claim(Residency& residency, Handle* handle, If when = If::kWait);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    explicit operator bool() const { return handle_; }

   private:
    Residency& residency_;
    Handle* handle_;  // nullptr: not claimed
  };

  // Calls code of the program, without the lock.
  template <class Function>
  auto Unlocked(Function&& function) NO_THREAD_SAFETY_ANALYSIS {
    struct Lock {
      explicit Lock(ReentrantMutex& of) : lock(of), levels(of.ReleaseAll()) {}
      ~Lock() { lock.Restore(levels); }
      ReentrantMutex& lock;
      const int levels;
    } const given_up(lock_);
    return function();
  }

 private:
  // In a handle's `pins`: it is being looked at by somebody who may take its memory away.
  static constexpr uint32_t kLeaving = uint32_t{1} << 31;

 public:
  Residency(const Memories& memories, ResidencyHost& host);
  ~Residency();
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;

  // Gives each its memory, and its value where that is read and lies on a disk; waits for others to
  // end where there is no room. Ends the program with a line when waiting cannot help. The caller
  // has been granted the data, and has nothing pinned (but what it acquired).
  void Pin(std::span<const Use> uses);
  void Pin(const Use& use) { Pin({&use, 1}); }
  void Unpin(Handle* handle);
  // The same on any node but a disk's. `arrivals`: what has to be there before the data are used.
  void PinOn(unsigned node, std::span<const Use> uses, Arrivals& arrivals);
  // Unless it had to wait for room; then nothing is pinned.
  bool TryPinOn(unsigned node, std::span<const Use> uses, Arrivals& arrivals);
  void UnpinOn(unsigned node, Handle* handle);

  // Calls allocate() until it returns true, making room and waiting as Pin() does; false when
  // waiting cannot help.
  template <class Allocate>
  bool MakeRoomFor(Allocate&& allocate) {
    if (allocate()) return true;
    const Stuck stuck(*this);
    const Turn turn(*this);
    const Waiting waiting(*this);
    bool was_alone = false;
    for (;;) {
      const uint32_t freed = freed_.load();
      if (allocate()) return true;
      MutexLock guard(lock_);
      const bool others = AnybodyElse();
      if (freed_.load() != freed) continue;  // somebody ended meanwhile
      if (!others) {
        // Who gives something up says so a moment after: it may be there now.
        if (was_alone) return false;
        was_alone = true;
        continue;
      }
      was_alone = false;
      while (freed_.load() == freed) changed_.wait(guard);
    }
  }
  // The same for the program's own memory, which anybody may free: waits until it is there.
  template <class Allocate>
  void WaitForRoom(Allocate&& allocate) {
    const Waiting waiting(*this);
    for (;;) {
      const uint32_t freed = freed_.load();
      if (allocate()) return;
      MutexLock guard(lock_);
      while (freed_.load() == freed) changed_.wait(guard);
    }
  }
  // Memory was given back by somebody, or can be now; or somebody who might have done so will not.
  void NoteFreed() {
    fence_.Frequent();
    // Who waits need not be told of what it gives up itself.
    if (waiters_.load(std::memory_order_relaxed) == 0 || waiting_) return;
    freed_.fetch_add(1);
    MutexLock guard(lock_);
    changed_.notify_all();
  }

  // Evicts data until so much more can be taken; whether that worked. Without the lock, so that
  // others use other data while disks write.
  bool Reclaim(size_t bytes);
  // The same on a device; who calls this with the lock does not wait for values on their way.
  bool ReclaimOnDevice(unsigned node, size_t bytes);
  // Whether this thread is moving data right now: what it allocates for that is not held up.
  static bool IsMoving();
  // Whether this thread is inside a method that moves data: it does not wait for room there.
  static bool IsInMethod();

  // The memory was made or is about to be freed. EnsureAllocated() and ReleaseMemory() say so.
  void Came(Handle* handle);
  void Goes(Handle* handle);
  // Workers have scratch buffers of it, which go when room is needed, before anything is evicted.
  void ScratchComes(Handle* handle);
  void ScratchGoes(Handle* handle);
  ReentrantMutex& lock() { return lock_; }
  Devices& devices() { return devices_; }
  Disks& disks() { return disks_; }
  MemoryStats* stats() { return stats_; }
  ResidencyHost& host() { return host_; }
  std::atomic<uint64_t> data_bytes{0};  // of memory that the runtime allocated for data

  // Out of the main memory or off a device if nobody uses it; or off a disk, if it is elsewhere as
  // well.
  bool Evict(Handle* handle, unsigned node);
  bool CanEvict(Handle* handle, unsigned node);
  // The first to be evicted from now on.
  void WontUse(Handle* handle);
  // The value onto a disk, for somebody who may write it there. The caller has been granted it.
  void MoveTo(Handle* handle, unsigned node, bool writes);
  // The same without writing, or into the main memory or onto a device if there is room; nobody
  // waits for it. `when`: or only if nobody is at the handle.
  void Prefetch(Handle* handle, unsigned node, CopyReason reason = CopyReason::kPrefetch,
                Claim::If when = Claim::If::kWait);
  // Returns when no disk is at it any more.
  void Finish(Handle* handle);
  // Whether disks are at something; notes what they have done, unless another thread is busy here.
  bool is_under_way() const { return under_way_.load(std::memory_order_relaxed) > 0; }
  void Tend();
  // Whether a device or disk has the value (a device also when it is on its way there, where the
  // device's streams wait for it); whether it has memory for it.
  bool IsOn(Handle* handle, unsigned node);
  // Whether the value is on its way there.
  bool IsComing(Handle* handle, unsigned node);
  bool HasMemoryOn(Handle* handle, unsigned node);
  // Of what was sent there.
  Arrival ArrivalOf(Handle* handle, unsigned node);
  // It is not there before this, too.
  void ArrivesNotBefore(Handle* handle, unsigned node, Arrival arrival);
  // What it would take to bring the value to a node, in microseconds: 0 where it is or is coming.
  double TransferUs(Handle* handle, unsigned node);
  // The value into the main memory, which parts share with their whole. `writes`: others than its
  // own tasks may write it there.
  void Gather(Handle* handle, bool writes);
  // The value is given up, wherever it is.
  void Invalidate(Handle* handle);
  // Before the end of a handle: its value goes home, when that is wanted and it is elsewhere; what
  // it has on disks is freed.
  void SendHome(Handle* handle);
  void FreeCopies(Handle* handle);
  // Returns when it is there.
  void WaitFor(Arrival arrival) {
    Carrier* const by = arrival ? host_.carrier() : nullptr;
    if (by) by->WaitFor(arrival);
  }
  // Before its main memory is used for others: nothing is on the way to devices or from them.
  void Settle(Handle* handle);
  Arrival LastArrivalOf(Handle* handle);  // of what is
  // The program's memory on a device, or its object on a disk, is the home of a new handle and has
  // its value.
  void LivesOn(Handle* handle, unsigned node, void* interface);
  // Somebody wrote the data on a node: other nodes get the value as well, as
  // starpu_data_set_wt_mask() asked.
  void WriteThrough(Handle* handle, unsigned written_on);
  // At the end of a run: what is left on devices is lost, and nothing is under way.
  void LeaveDevices();

 private:
  static thread_local bool waiting_;  // this thread does
  struct Waiting {
    explicit Waiting(Residency& residency) : count(residency.waiters_), before(waiting_) {
      count.fetch_add(1);
      waiting_ = true;
      residency.fence_.Rare();
    }
    ~Waiting() {
      count.fetch_sub(1);
      waiting_ = before;
    }
    std::atomic<int>& count;
    const bool before;
  };
  // A worker that waits for room, or for its turn to do so, frees nothing until it has it; nor does
  // what is claimed by a thread that waits.
  struct Stuck {
    explicit Stuck(Residency& residency);
    ~Stuck();
    Residency& residency;
    std::atomic<bool>* const mark;  // of a worker
    const bool was_stuck;           // as a method does
    const int claims;
  };
  // One at a time looks for room where there is none: not a lock, as methods are called meanwhile,
  // which may look for room themselves.
  struct Turn {
    explicit Turn(Residency& residency);
    ~Turn();
    Residency& residency;
    const bool is_new;
  };

  bool TryPin(const Use& use);  // without the lock
  bool TryPinAhead(std::span<const Use> uses);
  bool TryPinAll(std::span<const Use> uses);   // all or none
  bool Bring(const Use& use) REQUIRES(lock_);  // under the lock
  bool AnybodyElse() REQUIRES(lock_);          // who uses data or runs, and may free memory
  bool SomebodyUsesDevices();
  void SetCopiesInvalid(Handle* handle, unsigned but_of = STARPU_MAXNODES) REQUIRES(lock_);
  // On devices; under the lock.
  Whereabouts::Copy* CopyOnDevice(Handle* handle);  // one that has the value
  static bool CanTravelToDevices(const Handle* handle);
  bool TryPinOnDevice(unsigned node, std::span<const Use> uses, Arrivals& arrivals);
  bool BringToDevice(unsigned node, const Use& use, CopyReason reason) REQUIRES(lock_);
  Whereabouts::Copy* AllocateOnDevice(Handle* handle, unsigned node) REQUIRES(lock_);
  bool SendToMainMemory(Handle* handle, Whereabouts::Copy& copy) REQUIRES(lock_);
  void WriteAheadOfDevice(unsigned node, size_t bytes) REQUIRES(lock_);
  bool CanLeaveBeside(const Handle* handle);
  bool LeaveDevice(Handle* handle, unsigned node) REQUIRES(lock_);
  static bool MayLeaveDevice(Handle* handle, unsigned node);
  enum class Step { kReady, kWaited, kStays };
  Step StepOffDevice(Handle* handle, unsigned node, bool& makes_room) REQUIRES(lock_);
  bool EvictFromDevice(Handle* handle, unsigned node);  // without the lock
  struct Source;
  Source BestSource(Handle* handle, unsigned node);
  bool Move(Handle* handle, const Source& source, unsigned node, void* target, CopyReason reason,
            Arrival& arrives) REQUIRES(lock_);
  bool Leave(Handle* handle, bool& again) REQUIRES(lock_);
  void FreeScratch(unsigned node, const std::function<bool()>& is_enough) REQUIRES(lock_);
  bool WriteOut(Handle* handle) REQUIRES(lock_);
  Whereabouts::Copy* AllocateOnDisk(Handle* handle, unsigned node) REQUIRES(lock_);
  bool CopyOut(Handle* handle, unsigned node) REQUIRES(lock_);
  bool CopyIn(Handle* handle) REQUIRES(lock_);
  // Disks beside us (disk_transfers.cc); under the lock. False: to be done at once.
  struct Transfer;
  using TransferRef = std::shared_ptr<Transfer>;
  bool StartOut(Handle* handle, unsigned node) REQUIRES(lock_);
  bool StartIn(Handle* handle) REQUIRES(lock_);
  TransferRef OutAtOnce(Handle* handle, unsigned node) REQUIRES(lock_);
  TransferRef InAtOnce(Handle* handle) REQUIRES(lock_);
  TransferRef FromDeviceAtOnce(Handle* handle) REQUIRES(lock_);
  void LeftDevice(const Transfer& transfer, bool worked) REQUIRES(lock_);
  // What carries it into the main memory, with the lock or without it, and says when it is there.
  std::function<bool(Arrival& arrives)> WayHome(Handle* handle, const Whereabouts::Copy& copy)
      REQUIRES(lock_);
  void GiveUp(Transfer& transfer) REQUIRES(lock_);
  TransferRef NewTransfer(Handle* handle, unsigned source, unsigned target) REQUIRES(lock_);
  void Took(TransferRef transfer) REQUIRES(lock_);
  TransferRef TransferOf(Handle* handle) REQUIRES(lock_);
  static unsigned TargetOf(const Transfer& transfer);
  void FinishLocked(Handle* handle) REQUIRES(lock_);
  void WaitForAll() REQUIRES(lock_);
  bool EndOnce(const TransferRef& transfer) REQUIRES(lock_);
  void End(Transfer& transfer) REQUIRES(lock_);
  // Without the lock while it waits for the disk; whether the transfer was still to be ended.
  bool Await(const TransferRef& transfer) REQUIRES(lock_);
  enum class From { kDisks, kAnywhere };
  void ReadAhead(Handle* handle, From from);
  void ReadAhead(std::span<const Use> uses, From from);
  void WriteTo(Handle* handle, unsigned node);
  void BringOnItsWay(Handle* handle);
  void WriteAhead(size_t bytes) REQUIRES(lock_);
  bool WriteAheadOf(Handle* handle) REQUIRES(lock_);
  std::vector<unsigned> DisksFor(Handle* handle) REQUIRES(lock_);

  // REQUIRES: there are devices.
  Carrier& carrier() { return *host_.carrier(); }
  bool HasArrived(Arrival arrival) {
    Carrier* const by = arrival ? host_.carrier() : nullptr;
    return !by || by->IsThere(arrival);
  }
  Disk* DiskAt(unsigned node);
  bool MayBeWritten(Handle* handle);
  bool CopyValue(const Handle* handle, const void* from, unsigned source, void* to, unsigned target,
                 void* async_data);

  // Until the condition is told of, without the lock.
  void WaitUnlocked(Condition& condition) REQUIRES(lock_);

  MemoryAccount& memory_;
  Devices& devices_;
  Disks& disks_;
  MemoryStats* const stats_;
  ResidencyHost& host_;
  ReentrantMutex lock_;
  Condition changed_;
  Condition marks_changed_;  // a claim, the turn, or the end of a transfer
  // Whoever looks for room; it has nothing pinned, so that all others can go on. nullptr: nobody.
  const ThreadState* turn_of_ GUARDED_BY(lock_) = nullptr;
  std::atomic<int> claims_{0};  // handles that are claimed by threads that are not stuck
  const UnevenFence fence_;     // between those who wait and those who free something
  std::atomic<int> waiters_{0};
  std::atomic<uint32_t> freed_{0};  // how often something was freed while somebody waited
  std::list<Handle*> resident_
      GUARDED_BY(lock_);  // movable ones in memory, the next to be evicted first
  std::vector<Handle*> with_scratch_ GUARDED_BY(lock_);
  uint64_t next_copy_ GUARDED_BY(lock_) = 1;
  Arrival evicted_until_ GUARDED_BY(lock_) = 0;  // when what was evicted last has gone
  std::list<TransferRef> transfers_ GUARDED_BY(lock_);
  std::atomic<int> under_way_{0};  // so many
};

}  // namespace tasklens::runtime
