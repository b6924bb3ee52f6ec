// SPDX-License-Identifier: Apache-2.0
// Residency with asynchronous disks: transfers in progress, and writing ahead of evictions.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/data/conversion.h"
#include "runtime/data/disk/disks.h"
#include "runtime/data/handle.h"
#include "runtime/data/movement.h"
#include "runtime/data/records.h"
#include "runtime/data/residency.h"
#include "runtime/support/virtual_time.h"

namespace tasklens::runtime {

// A transfer between the main memory and a disk, between two disks, or from a device.
struct Residency::Transfer {
  Transfer(Handle* of, unsigned from, unsigned to) : handle(of), source(from), target(to) {}

  // Waits until the disk has finished, or until the copy from a device is enqueued. `is_first`: the
  // only thread that waits for the requests; all others wait for it.
  void Wait(bool is_first) {
    if (!is_first) {
      while (is_done.load(std::memory_order_acquire) == 0) FutexWait(is_done, 0);
      return;
    }
    if (at_once) has_failed = !at_once();
    requests.Wait();
    is_done.store(1, std::memory_order_release);
    FutexWakeAll(is_done);
  }

  Handle* const handle;
  const unsigned source, target;
  std::optional<Copying> copying;  // records a disk transfer in the trace until it ends
  Arrival arrives = 0;             // of a transfer from a device
  void* piece = nullptr;           // the packed value
  size_t piece_bytes = 0;
  std::function<bool()> at_once;     // the synchronous copy, if there are no requests
  bool has_failed = false;           // at_once() failed
  std::atomic<uint32_t> is_done{0};  // a futex, for all waiting threads but the first
  // Guarded by the lock of Residency:
  bool is_waited_for = false;             // the first waiting thread owns requests and at_once
  bool is_asked = false;                  // a thread that polls the requests owns them
  const ThreadState* ended_by = nullptr;  // the thread that ends or ended the transfer
  DiskRequests requests;                  // last: destroyed before the memory it uses
};

unsigned Residency::TargetOf(const Transfer& transfer) { return transfer.target; }

namespace {

bool HasAnyToAny(const Handle* handle) {
  const starpu_data_copy_methods* methods = handle->ops->copy_methods;
  return methods && methods->any_to_any;
}

// Whether the disk has asynchronous operations for this handle.
bool MayWrite(const starpu_disk_ops& ops, const Handle* handle) {
  return DiskRequests::CanBeAsked(ops) &&
         (HasAnyToAny(handle) ? ops.async_write != nullptr : ops.async_full_write != nullptr);
}
bool MayRead(const starpu_disk_ops& ops, const Handle* handle) {
  return DiskRequests::CanBeAsked(ops) &&
         (HasAnyToAny(handle) ? ops.async_read != nullptr : ops.async_full_read != nullptr);
}

void FreePiece(void* piece, size_t bytes) {
  starpu_free_on_node(STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(piece), bytes);
}

}  // namespace

Residency::Residency(const Memories& memories, ResidencyHost& host)
    : memory_(memories.main),
      devices_(memories.devices),
      disks_(memories.disks),
      stats_(memories.stats),
      host_(host) {}

Residency::~Residency() {
  // Handles may outlive a run of the runtime.
  for (Handle* handle : resident_) handle->whereabouts.listed = false;
}

Disk* Residency::DiskAt(unsigned node) { return disks_.At(node); }

// Whether the value in the main memory may be written to disks: it is valid and has arrived.
bool Residency::MayBeWritten(Handle* handle) {
  return !handle->away && handle->allocated && HasArrived(handle->arrives) &&
         !IsForeign(handle, STARPU_MAIN_RAM);
}

Residency::TransferRef Residency::NewTransfer(Handle* handle, unsigned source, unsigned target) {
  auto transfer = std::make_shared<Transfer>(handle, source, target);
  transfer->copying.emplace(*this, handle, source, target, next_copy_++);
  return transfer;
}

void Residency::Took(TransferRef transfer) {
  transfer->handle->whereabouts.under_way = true;
  transfers_.push_back(std::move(transfer));
  under_way_.fetch_add(1, std::memory_order_relaxed);
}

// Returns nullptr if no transfer of the handle is in progress.
Residency::TransferRef Residency::TransferOf(Handle* handle) {
  if (!handle->whereabouts.under_way) return nullptr;
  return *std::find_if(transfers_.begin(), transfers_.end(),
                       [handle](const auto& transfer) { return transfer->handle == handle; });
}

// Starts to write the value in the main memory to a disk. Tasks may read it meanwhile; a task that
// wants to write it sees `has_copies`, and so calls Bring(), which waits. REQUIRES: the caller has
// been granted the handle, or knows that nobody uses it.
bool Residency::StartOut(Handle* handle, unsigned node) {
  Disk* const disk = DiskAt(node);
  if (!disk || !MayBeWritten(handle) || VirtualTime::On() || !MayWrite(*disk->ops, handle)) {
    return false;
  }
  const Moving now;
  if (!AllocateOnDisk(handle, node)) return false;
  const Whereabouts::Copy copy = *CopyOn(handle, node);
  const bool had_copies = handle->has_copies.exchange(true);
  const TransferRef transfer = NewTransfer(handle, STARPU_MAIN_RAM, node);
  bool worked;
  if (HasAnyToAny(handle)) {
    const int error = Unlocked([&] {
      return handle->ops->copy_methods->any_to_any(handle->interface, STARPU_MAIN_RAM,
                                                   copy.interface, node, &transfer->requests);
    });
    worked = error == 0 || error == -EAGAIN;
  } else {
    void* const request = Unlocked([&]() -> void* {
      starpu_ssize_t bytes = 0;
      if (handle->ops->pack_data(handle, STARPU_MAIN_RAM, &transfer->piece, &bytes) != 0)
        return nullptr;
      transfer->piece_bytes = static_cast<size_t>(bytes);
      return disk->ops->async_full_write(disk->base, ObjectOf(*this, handle, copy), transfer->piece,
                                         transfer->piece_bytes);
    });
    worked = request != nullptr;
    if (worked) transfer->requests.Add(disk->ops, request);
  }
  if (Began(transfer, worked)) return true;
  handle->has_copies = had_copies;
  return false;
}

// Starts to read the value into the main memory, unless there is no room. The handle stays `away`
// until the end, so that users call Bring(), which waits.
bool Residency::StartIn(Handle* handle) {
  const auto& copies = handle->whereabouts.copies;
  const auto on_disk = std::find_if(copies.begin(), copies.end(), [&](const auto& copy) {
    Disk* const disk = DiskAt(copy.node);
    return copy.valid && disk && MayRead(*disk->ops, handle);
  });
  if (!handle->away || CopyOnDevice(handle) || on_disk == copies.end() || VirtualTime::On()) {
    return false;
  }
  if (!handle->allocated && !TryAllocate(*this, handle)) return false;
  const Moving now;
  const Whereabouts::Copy copy = *on_disk;
  const Disk& disk = *DiskAt(copy.node);
  const TransferRef transfer = NewTransfer(handle, copy.node, STARPU_MAIN_RAM);
  bool worked;
  if (HasAnyToAny(handle)) {
    const int error = Unlocked([&] {
      return handle->ops->copy_methods->any_to_any(copy.interface, copy.node, handle->interface,
                                                   STARPU_MAIN_RAM, &transfer->requests);
    });
    worked = error == 0 || error == -EAGAIN;
  } else {
    void* const request = Unlocked([&] {
      return disk.ops->async_full_read(disk.base, ObjectOf(*this, handle, copy), &transfer->piece,
                                       &transfer->piece_bytes, STARPU_MAIN_RAM);
    });
    worked = request != nullptr;
    if (worked) transfer->requests.Add(disk.ops, request);
  }
  return Began(transfer, worked);
}

// Notes a transfer that has begun. Of one that could not start completely (not `worked`) waits for
// the requests, and frees its piece.
bool Residency::Began(const TransferRef& transfer, bool worked) {
  if (worked) {
    Took(transfer);
    return true;
  }
  Unlocked([&] {
    transfer->requests.Wait();
    if (transfer->piece) FreePiece(transfer->piece, transfer->piece_bytes);
  });
  return false;
}

// Creates a transfer that writes the value in the main memory (or on another disk) synchronously,
// when a thread waits for it. Returns nullptr if the value must be written under the lock.
Residency::TransferRef Residency::OutAtOnce(Handle* handle, unsigned node) {
  Disk* const disk = DiskAt(node);
  const bool from_disk = handle->away && HasAnyToAny(handle) && !CopyOnDevice(handle) &&
                         ValidCopy(handle) && !IsForeign(handle, STARPU_MAIN_RAM);
  if (!disk || !(from_disk || MayBeWritten(handle)) || !CanTravel(handle)) return nullptr;
  const unsigned source = from_disk ? ValidCopy(handle)->node : STARPU_MAIN_RAM;
  void* const source_interface = from_disk ? ValidCopy(handle)->interface : handle->interface;
  const Moving now;
  if (!AllocateOnDisk(handle, node)) return nullptr;
  const Whereabouts::Copy copy = *CopyOn(handle, node);
  const TransferRef transfer = NewTransfer(handle, source, node);
  Transfer* const of = transfer.get();
  if (!HasAnyToAny(handle)) {
    starpu_ssize_t bytes = 0;
    const int error = Unlocked(
        [&] { return handle->ops->pack_data(handle, STARPU_MAIN_RAM, &of->piece, &bytes); });
    if (error) return nullptr;
    of->piece_bytes = static_cast<size_t>(bytes);
  }
  handle->has_copies = true;
  of->at_once = [this, of, disk, source_interface, copy] {
    const Moving now;
    const trace::Memory write_back(this, MemoryOp::kWriteBack, of->handle, of->target);
    if (!of->piece) {
      return of->handle->ops->copy_methods->any_to_any(source_interface, of->source, copy.interface,
                                                       of->target, nullptr) == 0;
    }
    return disk->ops->full_write(disk->base, ObjectOf(*this, of->handle, copy), of->piece,
                                 of->piece_bytes) == 0;
  };
  Took(transfer);
  return transfer;
}

// The same for a read from a disk. Returns nullptr also if no disk read is needed.
Residency::TransferRef Residency::InAtOnce(Handle* handle) {
  if (!handle->away || handle->whereabouts.under_way || CopyOnDevice(handle)) return nullptr;
  const Whereabouts::Copy* const valid = ValidCopy(handle);
  if (!valid || !(handle->allocated || TryAllocate(*this, handle))) return nullptr;
  const TransferRef transfer = NewTransfer(handle, valid->node, STARPU_MAIN_RAM);
  Transfer* const of = transfer.get();
  of->at_once = [this, of, copy = *valid] {
    const Moving now;
    if (HasAnyToAny(of->handle)) {
      return of->handle->ops->copy_methods->any_to_any(
                 copy.interface, of->source, of->handle->interface, of->target, nullptr) == 0;
    }
    const Disk& disk = *DiskAt(of->source);
    return disk.ops->full_read(disk.base, ObjectOf(*this, of->handle, copy), &of->piece,
                               &of->piece_bytes, STARPU_MAIN_RAM) == 0;
  };
  Took(transfer);
  return transfer;
}

// The same for a copy from a device, which blocks the calling thread if the memory is not pinned.
Residency::TransferRef Residency::FromDeviceAtOnce(Handle* handle) {
  if (!handle->away || handle->whereabouts.under_way || !CopyOnDevice(handle)) return nullptr;
  if (IsMultiformat(handle) || VirtualTime::On()) return nullptr;
  if (!handle->allocated && !TryAllocate(*this, handle)) return nullptr;
  Whereabouts::Copy& copy = *CopyOnDevice(handle);
  const auto transfer = std::make_shared<Transfer>(handle, copy.node, STARPU_MAIN_RAM);
  transfer->arrives = handle->arrives;
  transfer->at_once = [&arrives = transfer->arrives, carry = WayHome(handle, copy)] {
    const Moving now;
    return carry(arrives);
  };
  ++copy.pins;
  Took(transfer);
  return transfer;
}

// Called when the copy from a device is enqueued, or has failed.
void Residency::LeftDevice(const Transfer& transfer, bool worked) {
  Handle* const handle = transfer.handle;
  Whereabouts::Copy& copy = *CopyOn(handle, transfer.source);
  --copy.pins;
  if (worked) {
    handle->arrives = transfer.arrives;
    copy.leaves = carrier().Both(copy.leaves, transfer.arrives);
    trace::DataState(handle, DataCopyState::kShared, transfer.source);
  }
  NoteFreed();
}

// Ends a transfer whose disk has finished: marks the target as valid. After a failure the value
// stays where it was; the next user copies it synchronously, and reports the error.
void Residency::End(Transfer& transfer) {
  const Moving now;
  Handle* const handle = transfer.handle;
  const bool reads = transfer.target == STARPU_MAIN_RAM;
  bool worked = !transfer.has_failed && !transfer.requests.have_failed();
  if (transfer.piece) {
    const bool takes = reads && worked;
    const bool took = Unlocked([&] {
      if (takes) return TakePiece(handle, transfer.piece, transfer.piece_bytes) == 0;
      FreePiece(transfer.piece, transfer.piece_bytes);
      return false;
    });
    worked = takes ? took : worked;
  }
  transfer.copying.reset();
  handle->whereabouts.under_way = false;
  if (!DiskAt(transfer.source) && reads) LeftDevice(transfer, worked);
  if (worked) {
    disks_.buses().Carried({transfer.source, transfer.target}, handle->size_bytes);
    if (reads) {
      handle->away = false;
    } else {
      CopyOn(handle, transfer.target)->valid = true;
    }
    trace::DataState(handle, DataCopyState::kShared, transfer.target);
  }
  if (!reads) handle->has_copies = ValidCopy(handle) != nullptr;
  under_way_.fetch_sub(1, std::memory_order_relaxed);
}

// Ends the transfer, unless a thread has done so or is doing so. Returns whether this call ended
// it; if not, its handle may be deleted already.
bool Residency::EndOnce(const TransferRef& transfer) {
  if (transfer->ended_by) return false;
  transfer->ended_by = &ThisThread();
  End(*transfer);
  std::erase(transfers_, transfer);
  marks_changed_.notify_all();
  return true;
}

bool Residency::Await(const TransferRef& transfer) {
  while (transfer->is_asked) WaitUnlocked(marks_changed_);
  const bool is_first = !std::exchange(transfer->is_waited_for, true);
  Unlocked([&] { transfer->Wait(is_first); });
  return EndOnce(transfer);
}

void Residency::WaitForAll() {
  while (!transfers_.empty()) FinishLocked(transfers_.front()->handle);
}

// Waits without the lock.
void Residency::FinishLocked(Handle* handle) {
  while (const TransferRef transfer = TransferOf(handle)) {
    if (transfer->ended_by == &ThisThread()) return;  // in a method that End() calls
    if (transfer->ended_by)
      WaitUnlocked(marks_changed_);
    else
      Await(transfer);
  }
}

void Residency::Finish(Handle* handle) {
  MutexLock guard(lock_);
  FinishLocked(handle);
}

// Copies the value from a disk (kAnywhere: or from a device) to the main memory, if there is room.
// REQUIRES: the caller has been granted the handle.
void Residency::ReadAhead(Handle* handle, From from) {
  if (!handle->away) return;
  MutexLock guard(lock_);
  if (from == From::kDisks && CopyOnDevice(handle)) return;
  FinishLocked(handle);
  if (!handle->allocated) (void)Unlocked([&] { return Reclaim(handle->size_bytes); });
  TransferRef transfer;
  {
    const Claim claim(*this, handle);
    transfer = InAtOnce(handle);
    if (!transfer && from == From::kAnywhere) transfer = FromDeviceAtOnce(handle);
    if (!transfer) return;
    handle->pins.fetch_add(1);
  }
  Await(transfer);
  Unpin(handle);
}

// Reads ahead the data that are read, and ends the transfers of data that are written.
void Residency::ReadAhead(std::span<const Use> uses, From from) {
  for (const Use& use : uses) {
    if (use.writes) Finish(use.handle);
    if (use.reads) ReadAhead(use.handle, from);
  }
}

// Copies a value that must pass through the main memory on its way to a disk there, if there is
// room: values on devices, and values to be packed. The caller has pinned the handle.
void Residency::BringOnItsWay(Handle* handle) {
  {
    MutexLock guard(lock_);
    if (CopyOnDevice(handle) ? !CanTravel(handle) : HasAnyToAny(handle)) return;
  }
  ReadAhead(handle, From::kAnywhere);
}

// Writes the value to a disk, unless the disk has it. REQUIRES: the caller has been granted the
// handle.
void Residency::WriteTo(Handle* handle, unsigned node) {
  Finish(handle);
  MutexLock guard(lock_);
  if (const Whereabouts::Copy* copy = CopyOn(handle, node); copy && copy->valid) return;
  handle->pins.fetch_add(1);
  Unlocked([&] {
    if (handle->away) BringOnItsWay(handle);
    if (!handle->away && !VirtualTime::On()) WaitFor(handle->arrives);
  });
  TransferRef transfer;
  {
    const Claim claim(*this, handle);
    FinishLocked(handle);  // (another thread may have started the same transfer)
    const Whereabouts::Copy* const copy = CopyOn(handle, node);
    if (!copy || !copy->valid) transfer = OutAtOnce(handle, node);
  }
  if (transfer) Await(transfer);
  Unpin(handle);
}

void Residency::Tend() {
  if (!lock_.try_lock()) return;
  // Polls each transfer once. During a poll, others may be added and removed.
  const std::vector<TransferRef> all(transfers_.begin(), transfers_.end());
  for (const TransferRef& transfer : all) {
    if (transfer->ended_by || transfer->is_waited_for || transfer->is_asked) continue;
    transfer->is_asked = true;
    const bool is_done = Unlocked([&] { return transfer->requests.AreDone(); });
    transfer->is_asked = false;
    if (is_done) EndOnce(transfer);
    marks_changed_.notify_all();
  }
  lock_.unlock();
}

// Starts to write a handle that may be evicted, if nobody uses it. The caller has claimed it.
bool Residency::WriteAheadOf(Handle* handle) {
  if (!handle->allocated || !handle->owns_memory || !handle->out_of_core || !handle->initialized ||
      !CanTravel(handle)) {
    return false;
  }
  uint32_t unused = 0;
  if (!handle->pins.compare_exchange_strong(unused, kLeaving)) return false;
  const std::vector<unsigned> nodes = DisksFor(handle);
  const bool starts = !nodes.empty() && StartOut(handle, nodes.front());
  handle->pins.fetch_and(~kLeaving);
  return starts;
}

// Writes the handles that would be evicted next, while tasks run: room was needed, so it will be
// needed again.
void Residency::WriteAhead(size_t bytes) {
  constexpr int kMostLooks = 64;
  std::vector<const Handle*> tried;
  // Starts from the front after each write, as the list may have changed meanwhile.
  const auto next = [&]() NO_THREAD_SAFETY_ANALYSIS -> Handle* {  // under the lock
    size_t missing = bytes;
    int looks = kMostLooks;
    for (Handle* handle : resident_) {
      if (missing == 0 || --looks == 0) return nullptr;
      if (handle->used_lately.load(std::memory_order_relaxed)) continue;
      const Whereabouts& at = handle->whereabouts;
      if (at.under_way || ValidCopy(handle))
        missing -= std::min<size_t>(missing, handle->size_bytes);
      else if (!at.claimed_by && !IsIn(tried, handle))
        return handle;
    }
    return nullptr;
  };
  while (Handle* const handle = next()) {
    const Claim claim(*this, handle);
    (void)WriteAheadOf(handle);
    tried.push_back(handle);
  }
}

}  // namespace tasklens::runtime
