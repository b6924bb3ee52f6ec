// SPDX-License-Identifier: Apache-2.0
// Residency: tracks which memory nodes (main memory, devices, disks) have a copy of each handle's
// value, moves values, and makes room. A copy is the only one (owner), one of several (shared), or
// has no value (invalid).
//
// A read on a node copies the value there, from the node with the fastest transfer; a write makes
// all other copies invalid. On devices, copies that are not in use are evicted to make room, the
// least recently used first; an only copy is first written to the main memory.
//
// A handle is *movable* when its home is not the main memory: the runtime then owns its main
// memory, and may free it while nobody uses it. Data whose home is a device keep the program's
// memory there, which is never evicted. Users pin their data; when memory must be found below
// STARPU_LIMIT_CPU_MEM, the least recently used handles that are not pinned are evicted. To pin
// data that are present costs one atomic addition; only data that must be moved take the lock.
//
// Disks with asynchronous operations read and write while tasks run. A prefetched value is *under
// way* until the disk has finished or a user needs the value. Handles that are likely to be evicted
// next are written ahead, so that their memory can be freed at once when room is needed. A thread
// that uses or frees a value under way waits for the disk; a reader of a value being written does
// not.
//
// No thread holds the lock while it waits for a disk or for a transfer off a device, so other data
// stay usable. Synchronous reads and writes, and transfers off a device, mark the handle as under
// way, too. Two exceptions hold the lock: copies to devices from memory that is not pinned, and
// evictions when other threads have just taken the room that was made.
//
// No code of the program runs under the lock: methods of interfaces, operations of disks and hooks
// of memory are called through Unlocked(), which releases all levels of the lock for the call.
// Before the call, a thread *claims* the handle: only that thread changes the handle's copies, and
// the claim outlasts such calls. Therefore, while a method runs,
//  - no other thread allocates, copies, evicts or frees memory of the same handle: a second thread
//    that wants the same copy waits for the claim, and then finds the copy. A part is a handle of
//    its own, and its whole is pinned;
//  - the handle stays alive, because a thread that deletes it claims it first;
//  - other threads may read its value and its copies, pin it in the main memory (if it is about to
//    be evicted, kLeaving makes them wait for the claim), unpin it anywhere, and end a transfer
//    that began before. On a device no thread pins a handle that another has claimed, so an
//    unpinned copy stays unpinned;
//  - all other handles may appear and disappear: no loop keeps an iterator, or a handle that it has
//    not claimed, across a call;
//  - the account of memory is exact at any time: methods book memory before they allocate it, and
//    give it back after they freed it.
//
// Threads that were granted the data, or that delete the handle, wait for a claim. Threads that
// look for room, or prefetch, skip claimed handles, including their own. So no thread waits for a
// claim while it holds one, unless a method does so: a method may use other data, but deadlocks
// with a thread that needs the method's own data.
//
// Which tasks may use data at the same time is decided elsewhere (core/arbitration.h). A task that
// is ready but not running need not have its data in memory.
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

// Arrivals that must be reached before data are used.
using Arrivals = SmallVector<Arrival, 4>;

// One access of a task to data.
struct Use {
  Handle* handle;
  bool reads, writes;
};
// One on a node of its own, the main memory or a device.
struct PlacedUse {
  Use use;
  unsigned node;
};

// The memories of a run.
struct Memories {
  MemoryAccount& main;
  Devices& devices;
  Disks& disks;
  MemoryStats* stats = nullptr;  // nullptr: STARPU_MEMORY_STATS is not set
};

class Residency {
 public:
  // Makes this thread the only one that changes the handle's copies, while the claim lives. A
  // thread may hold several claims on the same handle.
  class Claim {
   public:
    enum class If { kWait, kFree };
    // Takes the lock briefly, and releases it while waiting. kFree: returns without a claim if the
    // handle is claimed already.
    Claim(Residency& residency, Handle* handle, If when = If::kWait);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    explicit operator bool() const { return handle_; }

   private:
    Residency& residency_;
    Handle* handle_;  // nullptr: not claimed
  };

  // Calls `function`, code of the program, with all levels of the lock released.
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
  // Bit in a handle's `pins`: a thread may be about to free its main memory.
  static constexpr uint32_t kLeaving = uint32_t{1} << 31;

 public:
  Residency(const Memories& memories, ResidencyHost& host);
  ~Residency();
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;

  // Pins each handle in the main memory, allocates its memory, and reads its value from a device or
  // disk if `reads` is set. Waits for other threads to unpin if there is no room; ends the program
  // with a message if waiting cannot help. REQUIRES: the caller has been granted the data, and has
  // no other pins (except for data that it acquired).
  void Pin(std::span<const Use> uses);
  void Pin(const Use& use) { Pin({&use, 1}); }
  void Unpin(Handle* handle);
  // The same on the main memory or a device. `arrivals`: receives what must arrive before the data
  // are used.
  void PinOn(unsigned node, std::span<const Use> uses, Arrivals& arrivals);
  // The same, but returns false instead of waiting for room; nothing is pinned then.
  bool TryPinOn(unsigned node, std::span<const Use> uses, Arrivals& arrivals);
  // The same for data on several nodes: pins all of them or none.
  void PinPlaced(std::span<const PlacedUse> uses, Arrivals& arrivals);
  bool TryPinPlaced(std::span<const PlacedUse> uses, Arrivals& arrivals);
  void UnpinOn(unsigned node, Handle* handle);

  // Calls allocate() until it returns true, making room and waiting as Pin() does. Returns false if
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
      if (freed_.load() != freed) continue;  // memory was freed meanwhile
      if (!others) {
        // Threads call NoteFreed() slightly after they free something, so try once more.
        if (was_alone) return false;
        was_alone = true;
        continue;
      }
      was_alone = false;
      while (freed_.load() == freed) changed_.wait(guard);
    }
  }
  // The same for the program's own memory, which any thread may free: waits until allocate()
  // succeeds.
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
  // Wakes the threads that wait for room. Called when memory was freed or became evictable, or when
  // a thread that might have freed memory will not.
  void NoteFreed() {
    fence_.Frequent();
    // A waiting thread need not wake itself.
    if (waiters_.load(std::memory_order_relaxed) == 0 || waiting_) return;
    freed_.fetch_add(1);
    MutexLock guard(lock_);
    changed_.notify_all();
  }

  // Evicts data until `bytes` are available; returns whether they are. Call without the lock, so
  // that other threads can use other data while disks write.
  bool Reclaim(size_t bytes);
  // The same on a device. With the lock held, does not wait for transfers.
  bool ReclaimOnDevice(unsigned node, size_t bytes);
  // Whether this thread is moving data: its allocations for the move do not wait.
  static bool IsMoving();
  // Whether this thread is inside a method that moves data: it does not wait for room there.
  static bool IsInMethod();

  // Add the handle after its memory was allocated, and remove it before its memory is freed.
  // EnsureAllocated() and ReleaseMemory() call them.
  void Came(Handle* handle);
  void Goes(Handle* handle);
  // Note that workers have scratch buffers of the handle, or no longer have. When room is needed,
  // unused scratch buffers are freed before any data are evicted.
  void ScratchComes(Handle* handle);
  void ScratchGoes(Handle* handle);
  ReentrantMutex& lock() { return lock_; }
  Devices& devices() { return devices_; }
  Disks& disks() { return disks_; }
  MemoryStats* stats() { return stats_; }
  ResidencyHost& host() { return host_; }
  std::atomic<uint64_t> data_bytes{0};  // bytes that the runtime allocated for data

  // Evicts the handle from the main memory or a device if nobody uses it there, or from a disk if
  // the main memory has the value as well. Returns whether it did.
  bool Evict(Handle* handle, unsigned node);
  bool CanEvict(Handle* handle, unsigned node);
  // Makes the handle the first to be evicted.
  void WontUse(Handle* handle);
  // Copies the value to a disk, where the caller may write it if `writes`. REQUIRES: the caller has
  // been granted the data.
  void MoveTo(Handle* handle, unsigned node, bool writes);
  // Prefetches the value to a disk, or to the main memory or a device if there is room;
  // asynchronously if the disk or device can. `when` kFree: does nothing if the handle is claimed.
  void Prefetch(Handle* handle, unsigned node, CopyReason reason = CopyReason::kPrefetch,
                Claim::If when = Claim::If::kWait);
  // Waits until no transfer of the handle is in progress.
  void Finish(Handle* handle);
  // is_under_way(): whether any transfer is in progress. Tend() ends the transfers that have
  // finished; it does nothing if another thread holds the lock.
  bool is_under_way() const { return under_way_.load(std::memory_order_relaxed) > 0; }
  void Tend();
  // IsOn(): whether a device or disk has the value. A device has it already when a transfer to it
  // is in progress, as its streams wait for the transfer.
  bool IsOn(Handle* handle, unsigned node);
  // Whether a transfer of the value to the node is in progress.
  bool IsComing(Handle* handle, unsigned node);
  bool HasMemoryOn(Handle* handle, unsigned node);
  // Returns the arrival of the last transfer to the node.
  Arrival ArrivalOf(Handle* handle, unsigned node);
  // Delays the arrival of the value on the node to `arrival` at least.
  void ArrivesNotBefore(Handle* handle, unsigned node, Arrival arrival);
  // Returns the expected microseconds of a transfer of the value to a node; 0 if the node has it or
  // a transfer is in progress.
  double TransferUs(Handle* handle, unsigned node);
  // Copies the value to the main memory, which parts share with their whole. `writes`: tasks that
  // use other handles may write the value there.
  void Gather(Handle* handle, bool writes);
  // Discards the value on all nodes.
  void Invalidate(Handle* handle);
  // Called before a handle is deleted. SendHome() copies the value to the home node if it is
  // elsewhere; FreeCopies() frees all copies on devices and disks.
  void SendHome(Handle* handle);
  void FreeCopies(Handle* handle);
  // Waits for `arrival`.
  void WaitFor(Arrival arrival) {
    Carrier* const by = arrival ? host_.carrier() : nullptr;
    if (by) by->WaitFor(arrival);
  }
  // Called before the handle's main memory is reused: waits until no transfer to or from devices
  // uses it.
  void Settle(Handle* handle);
  // Returns the arrival of the last transfer to the main memory or a device.
  Arrival LastArrivalOf(Handle* handle);
  // Registers `interface`, the program's memory on a device or its object on a disk, as the home of
  // a new handle; it holds the handle's value.
  void LivesOn(Handle* handle, unsigned node, void* interface);
  // Called after a task wrote the data on a node: copies the value to the nodes of
  // starpu_data_set_wt_mask().
  void WriteThrough(Handle* handle, unsigned written_on);
  // Called at the end of a run: waits for all transfers, and discards the copies on devices.
  void LeaveDevices();

 private:
  static thread_local bool waiting_;  // whether this thread waits for room
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
  // Marks this thread as stuck while it waits for room or for its turn: its worker, and the handles
  // that it has claimed, free nothing meanwhile.
  struct Stuck {
    explicit Stuck(Residency& residency);
    ~Stuck();
    Residency& residency;
    std::atomic<bool>* const mark;  // the worker's flag
    const bool was_stuck;           // already stuck: called from a method
    const int claims;
  };
  // The turn to look for room: one thread at a time. It is not a lock, as methods are called
  // meanwhile, and they may look for room themselves.
  struct Turn {
    explicit Turn(Residency& residency);
    ~Turn();
    Residency& residency;
    const bool is_new;
  };

  bool TryPin(const Use& use);  // called without the lock
  bool TryPinAhead(std::span<const Use> uses);
  bool TryPinAll(std::span<const Use> uses);  // all or none
  bool Bring(const Use& use) REQUIRES(lock_);
  bool AnybodyElse() REQUIRES(lock_);  // whether another thread may free memory
  bool SomebodyUsesDevices();
  void SetCopiesInvalid(Handle* handle, unsigned but_of = STARPU_MAXNODES) REQUIRES(lock_);
  // Devices.
  Whereabouts::Copy* CopyOnDevice(Handle* handle);  // a valid copy on a device
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
  // Asynchronous disk transfers (disk_transfers.cc). StartOut() and StartIn() return false if the
  // disk must be used synchronously.
  struct Transfer;
  using TransferRef = std::shared_ptr<Transfer>;
  bool StartOut(Handle* handle, unsigned node) REQUIRES(lock_);
  bool StartIn(Handle* handle) REQUIRES(lock_);
  TransferRef OutAtOnce(Handle* handle, unsigned node) REQUIRES(lock_);
  TransferRef InAtOnce(Handle* handle) REQUIRES(lock_);
  TransferRef FromDeviceAtOnce(Handle* handle) REQUIRES(lock_);
  void LeftDevice(const Transfer& transfer, bool worked) REQUIRES(lock_);
  // Returns a function that copies the value from the device to the main memory, callable with or
  // without the lock, and sets its arrival.
  std::function<bool(Arrival& arrives)> WayHome(Handle* handle, const Whereabouts::Copy& copy)
      REQUIRES(lock_);
  bool Began(const TransferRef& transfer, bool worked) REQUIRES(lock_);
  TransferRef NewTransfer(Handle* handle, unsigned source, unsigned target) REQUIRES(lock_);
  void Took(TransferRef transfer) REQUIRES(lock_);
  TransferRef TransferOf(Handle* handle) REQUIRES(lock_);
  static unsigned TargetOf(const Transfer& transfer);
  void FinishLocked(Handle* handle) REQUIRES(lock_);
  void WaitForAll() REQUIRES(lock_);
  bool EndOnce(const TransferRef& transfer) REQUIRES(lock_);
  void End(Transfer& transfer) REQUIRES(lock_);
  // Waits for the disk without the lock. Returns whether this call ended the transfer.
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

  // Waits for the condition with all levels of the lock released.
  void WaitUnlocked(Condition& condition) REQUIRES(lock_);

  MemoryAccount& memory_;
  Devices& devices_;
  Disks& disks_;
  MemoryStats* const stats_;
  ResidencyHost& host_;
  ReentrantMutex lock_;
  Condition changed_;
  Condition marks_changed_;  // signals the release of a claim or the turn, or the end of a transfer
  // The thread that has the turn to look for room (nullptr: none). It has nothing pinned, so all
  // other threads can go on.
  const ThreadState* turn_of_ GUARDED_BY(lock_) = nullptr;
  std::atomic<int> claims_{0};  // handles claimed by threads that are not stuck
  const UnevenFence fence_;     // between waiting threads and freeing threads
  std::atomic<int> waiters_{0};
  std::atomic<uint32_t> freed_{0};  // number of NoteFreed() calls while a thread waited
  // Movable handles in the main memory, the next to be evicted first.
  std::list<Handle*> resident_ GUARDED_BY(lock_);
  std::vector<Handle*> with_scratch_ GUARDED_BY(lock_);
  uint64_t next_copy_ GUARDED_BY(lock_) = 1;
  // Arrival of the last eviction: the room is free from then on.
  Arrival evicted_until_ GUARDED_BY(lock_) = 0;
  std::list<TransferRef> transfers_ GUARDED_BY(lock_);
  std::atomic<int> under_way_{0};  // size of transfers_
};

}  // namespace tasklens::runtime
