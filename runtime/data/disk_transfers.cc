// SPDX-License-Identifier: Apache-2.0
// Residency with disks that read and write beside us: what is under way, and what is written ahead.
#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/disk/disks.h"
#include "runtime/data/handle.h"
#include "runtime/data/movement.h"
#include "runtime/data/residency.h"

namespace tasklens::runtime {

// A value between the main memory and a disk, which is one of the two nodes.
struct Residency::Transfer {
  Transfer(Handle* of, unsigned from, unsigned to, uint64_t number)
      : handle(of), source(from), target(to), copying(std::in_place, of, from, to, number) {}

  Handle* const handle;
  const unsigned source, target;
  std::optional<Copying> copying;  // until it is over, in the trace
  void* piece = nullptr;           // of what is packed
  size_t piece_bytes = 0;
  DiskRequests requests;  // last: it ends before the memory it needs
};

namespace {

Disk* DiskAt(unsigned node) { return Runtime::Instance()->disks().At(node); }

bool HasAnyToAny(const Handle* handle) {
  const starpu_data_copy_methods* methods = handle->ops->copy_methods;
  return methods && methods->any_to_any;
}

// Whether a disk can be asked for this at all.
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

Residency::Residency() = default;

Residency::~Residency() {
  // Handles may outlive a run of the runtime.
  for (Handle* handle : resident_) handle->whereabouts.listed = false;
}

std::unique_ptr<Residency::Transfer> Residency::NewTransfer(Handle* handle, unsigned source,
                                                            unsigned target) {
  return std::make_unique<Transfer>(handle, source, target, next_copy_++);
}

void Residency::Took(std::unique_ptr<Transfer> transfer) {
  transfer->handle->whereabouts.under_way = true;
  transfers_.push_back(std::move(transfer));
  under_way_.fetch_add(1, std::memory_order_relaxed);
}

// Begins to write the value of the main memory. Readers may use it meanwhile; who wants to write it
// finds that there are copies, and comes to Bring(). The caller has been granted it, or knows that
// nobody uses it.
bool Residency::StartOut(Handle* handle, unsigned node) {
  Disk* const disk = DiskAt(node);
  if (!disk || handle->away || !handle->allocated || handle->arrives ||
      Runtime::Instance()->simulation() || !MayWrite(*disk->ops, handle)) {
    return false;
  }
  const Moving now;
  if (!AllocateOnDisk(handle, node)) return false;
  const Whereabouts::Copy copy = *CopyOn(handle, node);
  const bool had_copies = handle->has_copies.exchange(true);
  std::unique_ptr<Transfer> transfer = NewTransfer(handle, STARPU_MAIN_RAM, node);
  bool worked;
  if (HasAnyToAny(handle)) {
    const int error = handle->ops->copy_methods->any_to_any(
        handle->interface, STARPU_MAIN_RAM, copy.interface, node, &transfer->requests);
    worked = error == 0 || error == -EAGAIN;
  } else {
    starpu_ssize_t bytes = 0;
    worked = handle->ops->pack_data(handle, STARPU_MAIN_RAM, &transfer->piece, &bytes) == 0;
    transfer->piece_bytes = worked ? static_cast<size_t>(bytes) : 0;
    void* const request = worked
                              ? disk->ops->async_full_write(disk->base, ObjectOf(handle, copy),
                                                            transfer->piece, transfer->piece_bytes)
                              : nullptr;
    worked = request != nullptr;
    if (worked) transfer->requests.Add(disk->ops, request);
  }
  if (worked) {
    Took(std::move(transfer));
    return true;
  }
  transfer->requests.Wait();
  if (transfer->piece) FreePiece(transfer->piece, transfer->piece_bytes);
  handle->has_copies = had_copies;
  return false;
}

// Begins to read the value into the main memory, unless there is no room. It stays away until then,
// so that whoever wants it comes to Bring().
bool Residency::StartIn(Handle* handle) {
  const auto& copies = handle->whereabouts.copies;
  const auto on_disk = std::find_if(copies.begin(), copies.end(), [&](const auto& copy) {
    Disk* const disk = DiskAt(copy.node);
    return copy.valid && disk && MayRead(*disk->ops, handle);
  });
  if (!handle->away || CopyOnDevice(handle) || on_disk == copies.end() ||
      Runtime::Instance()->simulation()) {
    return false;
  }
  if (!handle->allocated && !TryAllocate(handle)) return false;
  const Moving now;
  const Whereabouts::Copy copy = *on_disk;
  const Disk& disk = *DiskAt(copy.node);
  std::unique_ptr<Transfer> transfer = NewTransfer(handle, copy.node, STARPU_MAIN_RAM);
  bool worked;
  if (HasAnyToAny(handle)) {
    const int error = handle->ops->copy_methods->any_to_any(
        copy.interface, copy.node, handle->interface, STARPU_MAIN_RAM, &transfer->requests);
    worked = error == 0 || error == -EAGAIN;
  } else {
    void* const request =
        disk.ops->async_full_read(disk.base, ObjectOf(handle, copy), &transfer->piece,
                                  &transfer->piece_bytes, STARPU_MAIN_RAM);
    worked = request != nullptr;
    if (worked) transfer->requests.Add(disk.ops, request);
  }
  if (worked) {
    Took(std::move(transfer));
    return true;
  }
  transfer->requests.Wait();
  if (transfer->piece) FreePiece(transfer->piece, transfer->piece_bytes);
  return false;
}

// The disk is done: the value is where it was sent. Where that failed it is where it was, and
// whoever needs it elsewhere has it copied at once, and hears of the error.
void Residency::End(Transfer& transfer) {
  const Moving now;
  Handle* const handle = transfer.handle;
  const bool reads = transfer.target == STARPU_MAIN_RAM;
  bool worked = !transfer.requests.have_failed();
  if (transfer.piece) {
    if (reads && worked) {
      worked = TakePiece(handle, transfer.piece, transfer.piece_bytes) == 0;
    } else {
      FreePiece(transfer.piece, transfer.piece_bytes);
    }
  }
  handle->whereabouts.under_way = false;
  transfer.copying.reset();
  if (worked) {
    Runtime::Instance()->disks().buses().Carried({transfer.source, transfer.target},
                                                 handle->size_bytes);
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

void Residency::WaitFor(Handle* handle) {
  const auto at =
      std::find_if(transfers_.begin(), transfers_.end(),
                   [handle](const auto& transfer) { return transfer->handle == handle; });
  (*at)->requests.Wait();
  End(**at);
  transfers_.erase(at);
}

void Residency::WaitForAll() {
  while (!transfers_.empty()) WaitFor(transfers_.front()->handle);
}

void Residency::FinishLocked(Handle* handle) {
  if (handle->whereabouts.under_way) WaitFor(handle);
}

void Residency::Finish(Handle* handle) {
  std::lock_guard guard(lock_);
  FinishLocked(handle);
}

void Residency::Tend() {
  const std::unique_lock guard(lock_, std::try_to_lock);
  if (!guard.owns_lock()) return;
  std::erase_if(transfers_, [this](const auto& transfer) {
    const bool is_done = transfer->requests.AreDone();
    if (is_done) End(*transfer);
    return is_done;
  });
}

// Begins to write what may be evicted, if nobody uses it.
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

// Room was needed, and will be again: what goes next is written while the tasks run.
void Residency::WriteAhead(size_t bytes) {
  constexpr int kMostLooks = 64;
  int looks = kMostLooks;
  for (Handle* handle : resident_) {
    if (bytes == 0 || --looks == 0) return;
    if (handle->used_lately.load(std::memory_order_relaxed)) continue;
    const bool is_clean = handle->whereabouts.under_way || ValidCopy(handle);
    if (is_clean || WriteAheadOf(handle)) bytes -= std::min<size_t>(bytes, handle->size_bytes);
  }
}

}  // namespace tasklens::runtime
