// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/residency.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/data/conversion.h"
#include "runtime/data/devices.h"
#include "runtime/data/disk/disks.h"
#include "runtime/data/handle.h"
#include "runtime/data/movement.h"
#include "runtime/data/records.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"
#include "runtime/support/virtual_time.h"

namespace tasklens::runtime {

thread_local bool Residency::waiting_ = false;
thread_local bool Moving::now_ = false;

bool Residency::IsMoving() { return Moving::Now(); }

bool Residency::IsInMethod() { return ThisThread().claims > 0 || waiting_; }

Residency::Stuck::Stuck(Residency& of)
    : residency(of),
      mark(of.host_.StuckMark()),
      was_stuck(mark && mark->load()),
      claims(static_cast<int>(std::exchange(ThisThread().claims, 0))) {
  residency.claims_.fetch_sub(claims);
  if (mark) mark->store(true);
  // Another thread may be waiting for this worker, or for the end of this method.
  if (mark || claims > 0) residency.NoteFreed();
}
Residency::Stuck::~Stuck() {
  if (mark) mark->store(was_stuck);
  residency.claims_.fetch_add(claims);
  ThisThread().claims += static_cast<uint32_t>(claims);
}

Residency::Turn::Turn(Residency& of)
    : residency(of), is_new([&of] {
        MutexLock guard(of.lock_);
        const ThreadState* const self = &ThisThread();
        if (of.turn_of_ == self) return false;
        while (of.turn_of_) of.WaitUnlocked(of.marks_changed_);
        of.turn_of_ = self;
        return true;
      }()) {}
Residency::Turn::~Turn() {
  if (!is_new) return;
  MutexLock guard(residency.lock_);
  residency.turn_of_ = nullptr;
  residency.marks_changed_.notify_all();
}

Residency::Claim::Claim(Residency& residency, Handle* handle, If when)
    : residency_(residency), handle_(handle) {
  ThreadState& thread = ThisThread();
  MutexLock guard(residency.lock_);
  Whereabouts& at = handle->whereabouts;
  if (when == If::kFree && at.claimed_by) {
    handle_ = nullptr;
    return;
  }
  while (at.claimed_by && at.claimed_by != &thread)
    residency.WaitUnlocked(residency.marks_changed_);
  if (at.claims++ > 0) return;
  at.claimed_by = &thread;
  ++thread.claims;
  residency.claims_.fetch_add(1);
}

Residency::Claim::~Claim() {
  if (!handle_) return;
  {
    MutexLock guard(residency_.lock_);
    Whereabouts& at = handle_->whereabouts;
    if (--at.claims > 0) return;
    at.claimed_by = nullptr;
    --ThisThread().claims;
    residency_.claims_.fetch_sub(1);
    residency_.marks_changed_.notify_all();
  }
  residency_.NoteFreed();
}

void Residency::WaitUnlocked(Condition& condition) {
  struct {
    void unlock() { levels = held.ReleaseAll(); }
    void lock() { held.Restore(levels); }
    ReentrantMutex& held;
    int levels;
  } all{lock_, 0};
  condition.wait(all);
}

void Residency::Came(Handle* handle) {
  if (!handle->movable || handle->internal) return;
  MutexLock guard(lock_);
  Whereabouts& at = handle->whereabouts;
  if (at.listed) return;
  at.place = resident_.insert(resident_.end(), handle);
  at.listed = true;
}

void Residency::Goes(Handle* handle) {
  if (!handle->movable) return;
  MutexLock guard(lock_);
  Whereabouts& at = handle->whereabouts;
  if (!at.listed) return;
  resident_.erase(at.place);
  at.listed = false;
}

void Residency::SetCopiesInvalid(Handle* handle, unsigned but_of) {
  FinishLocked(handle);
  for (Whereabouts::Copy& copy : handle->whereabouts.copies) {
    if (!copy.valid || copy.node == but_of) continue;
    trace::DataState(handle, DataCopyState::kInvalid, copy.node);
    copy.valid = false;
    // Invalid copies are evicted first.
    if (DeviceMemory* device = devices_.At(copy.node))
      device->resident.splice(device->resident.begin(), device->resident, copy.place);
  }
}

// --- Using ---------------------------------------------------------------------------------------

bool Residency::TryPin(const Use& use) {
  Handle* handle = use.handle;
  const uint32_t before = handle->pins.fetch_add(1);
  if (!(before & kLeaving) && handle->allocated && !handle->away &&
      !(use.writes && handle->has_copies)) {
    handle->used_lately.store(true, std::memory_order_relaxed);
    return true;
  }
  Unpin(handle);
  return false;
}

void Residency::Unpin(Handle* handle) {
  if (handle->pins.fetch_sub(1) == 1) NoteFreed();
}

void Residency::Pin(std::span<const Use> uses) {
  size_t pinned = 0;
  while (pinned < uses.size() && TryPin(uses[pinned])) ++pinned;
  if (pinned == uses.size()) return;
  while (pinned > 0) Unpin(uses[--pinned].handle);
  if (MakeRoomFor([&] { return TryPinAhead(uses); })) return;
  const Handle* handle = uses.front().handle;
  Fatal(
      "no memory for %s, %s: %zu of the %zu bytes of STARPU_LIMIT_CPU_MEM are in use, and nothing "
      "can be evicted%s",
      Describe(handle).c_str(), DescribeShape(handle).c_str(), memory_.used_bytes(),
      memory_.limit_bytes(),
      disks_.count() ? "" : ": a disk (STARPU_DISK_SWAP) would take what is not in use");
}

// As TryPinAll(), but makes room and reads from disks without the lock, as far as possible.
bool Residency::TryPinAhead(std::span<const Use> uses) {
  size_t missing_bytes = 0;
  {
    // Data that are present must not be evicted to make room for the rest.
    MutexLock guard(lock_);
    for (const Use& use : uses) {
      use.handle->pins.fetch_add(1);
      if (!use.handle->allocated) missing_bytes += use.handle->size_bytes;
    }
  }
  if (missing_bytes > 0) (void)Reclaim(missing_bytes);
  ReadAhead(uses, From::kAnywhere);
  const bool worked = TryPinAll(uses);
  for (const Use& use : uses) Unpin(use.handle);
  return worked;
}

bool Residency::TryPinAll(std::span<const Use> uses) {
  MutexLock guard(lock_);
  for (size_t i = 0; i < uses.size(); ++i) {
    uses[i].handle->pins.fetch_add(1);
    if (Bring(uses[i])) continue;
    for (size_t j = 0; j <= i; ++j) Unpin(uses[j].handle);
    return false;
  }
  return true;
}

bool Residency::Bring(const Use& use) {
  Handle* handle = use.handle;
  const Claim claim(*this, handle);
  if (handle->away) FinishLocked(handle);
  if (!handle->allocated && !TryAllocate(*this, handle)) return false;
  if (handle->away && use.reads && !CopyIn(handle)) {
    Fatal("%s cannot be read from its disk", Describe(handle).c_str());
  }
  handle->away = false;
  if (use.writes) {
    SetCopiesInvalid(handle);
    handle->has_copies = false;
  }
  handle->used_lately.store(true, std::memory_order_relaxed);
  return true;
}

bool Residency::AnybodyElse() {
  // This thread has nothing pinned, and its own worker's task waits for this call.
  if (SomebodyUsesDevices() || claims_.load() > 0) return true;
  return std::any_of(resident_.begin(), resident_.end(),
                     [](const Handle* handle) { return handle->pins.load() != 0; }) ||
         host_.IsAnyOtherBusy();
}

// --- Making room ---------------------------------------------------------------------------------

bool Residency::Reclaim(size_t bytes) {
  if (Moving::Now() || bytes > memory_.limit_bytes()) return false;
  MutexLock guard(lock_);
  if (memory_.available_bytes() >= bytes) return true;
  Record<EventKind::kMemoryOpStart>(0u, static_cast<uint32_t>(MemoryOp::kReclaim), uint64_t{bytes},
                                    uint64_t{0}, 0u);
  FreeScratch(STARPU_MAIN_RAM, [&] { return memory_.available_bytes() >= bytes; });
  // Visits each handle at most twice, as recently used ones get a second chance; and once more
  // after waiting for its transfer from or to a device.
  size_t waits = resident_.size();
  for (size_t looks = 2 * resident_.size();
       looks > 0 && !resident_.empty() && memory_.available_bytes() < bytes; --looks) {
    Handle* handle = resident_.front();
    resident_.splice(resident_.end(), resident_, resident_.begin());
    if (handle->used_lately.exchange(false, std::memory_order_relaxed)) continue;
    const Claim claim(*this, handle, Claim::If::kFree);
    if (!claim) continue;
    bool again = false;
    (void)Leave(handle, again);
    if (again && waits > 0) --waits, ++looks;
  }
  Record<EventKind::kMemoryOpEnd>(0u, static_cast<uint32_t>(MemoryOp::kReclaim), uint64_t{bytes},
                                  uint64_t{0});
  const bool enough = memory_.available_bytes() >= bytes;
  if (!enough) Record<EventKind::kMemoryFull>(uint64_t{bytes});
  if (enough) WriteAhead(bytes);
  return enough;
}

void Residency::ScratchComes(Handle* handle) {
  MutexLock guard(lock_);
  with_scratch_.push_back(handle);
}
void Residency::ScratchGoes(Handle* handle) {
  MutexLock guard(lock_);
  const Claim claim(*this, handle);
  std::erase(with_scratch_, handle);
}

// Frees the unused scratch buffers of all handles that are not claimed, until is_enough().
void Residency::FreeScratch(unsigned node, const std::function<bool()>& is_enough) {
  std::vector<const Handle*> seen;
  for (size_t i = 0; i < with_scratch_.size() && !is_enough();) {
    Handle* const handle = with_scratch_[i++];
    if (IsIn(seen, handle)) continue;
    const Claim claim(*this, handle, Claim::If::kFree);
    if (!claim) continue;
    seen.push_back(handle);
    // Other handles may have been added and removed meanwhile.
    if (FreeUnusedScratch(*this, handle, node)) i = 0;
  }
}

// Evicts the handle from the main memory if nobody uses it. The caller has claimed it. `again`: the
// handle stays, because a transfer from or to a device had to be waited for. It is worth a second
// try, and is the first in the list.
bool Residency::Leave(Handle* handle, bool& again) {
  if (!handle->allocated || !handle->owns_memory || !handle->out_of_core) return false;
  if (handle->pins.load() != 0) return false;
  if (handle->whereabouts.under_way) {
    if (!Await(TransferOf(handle))) return false;
  } else if (handle->initialized && !ValidCopy(handle)) {
    uint32_t unused = 0;
    if (!handle->pins.compare_exchange_strong(unused, kLeaving)) return false;
    const std::vector<unsigned> nodes = DisksFor(handle);
    const bool is_at_home_on_device = devices_.At(static_cast<unsigned>(handle->home_node));
    if (is_at_home_on_device) (void)WriteOut(handle);
    const TransferRef transfer =
        nodes.empty() || is_at_home_on_device ? nullptr : OutAtOnce(handle, nodes.front());
    handle->pins.fetch_and(~kLeaving);
    if (transfer && !Await(transfer)) return false;
  }
  const Arrival last = LastArrivalOf(handle);
  if (!VirtualTime::On() && !HasArrived(last)) {
    again = true;
    Whereabouts& at = handle->whereabouts;
    if (at.listed) resident_.splice(resident_.begin(), resident_, at.place);
    Unlocked([&] { WaitFor(last); });
    return false;
  }
  FinishLocked(handle);
  uint32_t unused = 0;
  if (!handle->allocated || !handle->pins.compare_exchange_strong(unused, kLeaving)) return false;
  const bool leaves = !handle->initialized || ValidCopy(handle) || WriteOut(handle);
  if (leaves) {
    if (handle->initialized) handle->away = true;
    ReleaseMemory(this, handle);
  }
  handle->pins.fetch_and(~kLeaving);
  return leaves;
}

bool Residency::WriteOut(Handle* handle) {
  if (!CanTravel(handle)) return false;
  const unsigned home = static_cast<unsigned>(handle->home_node);
  if (devices_.At(home))
    return BringToDevice(home, {handle, /*reads=*/true, /*writes=*/false}, CopyReason::kFetch);
  const std::vector<unsigned> nodes = DisksFor(handle);
  for (const unsigned node : nodes)
    if (CopyOut(handle, node)) return true;
  return false;
}

// Disks to try, in this order: the home, disks with a copy, the swap disk, all disks.
std::vector<unsigned> Residency::DisksFor(Handle* handle) {
  std::vector<unsigned> nodes;
  if (disks_.At(static_cast<unsigned>(handle->home_node))) {
    nodes.push_back(static_cast<unsigned>(handle->home_node));
  }
  for (const Whereabouts::Copy& copy : handle->whereabouts.copies)
    if (disks_.At(copy.node)) nodes.push_back(copy.node);
  if (starpu_disk_swap_node > 0) nodes.push_back(static_cast<unsigned>(starpu_disk_swap_node));
  const unsigned first = 1 + devices_.count();
  for (unsigned i = 0; i < disks_.count(); ++i) nodes.push_back(first + i);
  return nodes;
}

// Returns the handle's copy on the disk, allocated if needed; nullptr if there is no room.
Whereabouts::Copy* Residency::AllocateOnDisk(Handle* handle, unsigned node) {
  if (Whereabouts::Copy* copy = CopyOn(handle, node)) return copy;
  void* interface = InterfaceOn(handle, node);
  memcpy(interface, handle->interface, handle->ops->interface_size);
  const trace::Memory allocation(this, MemoryOp::kAllocate, handle, node);
  const auto allocate = handle->ops->allocate_data_on_node;
  if (!allocate || Unlocked([&] { return allocate(interface, node); }) < 0) return nullptr;
  handle->whereabouts.copies.push_back({node, interface, /*own=*/true, /*valid=*/false});
  return &handle->whereabouts.copies.back();
}

// Copies the value to a disk, from the main memory or, if the handle is away, from another disk.
// Refuses a value in the layout of devices.
bool Residency::CopyOut(Handle* handle, unsigned node) {
  if (CopyOnDevice(handle) ? IsMultiformat(handle) : IsForeign(handle, STARPU_MAIN_RAM))
    return false;
  const Moving now;
  FinishLocked(handle);
  if (!AllocateOnDisk(handle, node)) return false;
  Whereabouts::Copy& copy = *CopyOn(handle, node);
  // A value on a device passes through the main memory.
  if (handle->away && CopyOnDevice(handle)) {
    if (!(handle->allocated || TryAllocate(*this, handle)) || !CopyIn(handle)) return false;
    handle->away = false;
  }
  // Disks do not wait for transfers to the main memory. (Simulated transfers copy at once.)
  if (!handle->away && !VirtualTime::On()) WaitFor(handle->arrives);
  const Whereabouts::Copy* source = handle->away ? ValidCopy(handle) : nullptr;
  const unsigned source_node = source ? source->node : STARPU_MAIN_RAM;
  void* source_interface = source ? source->interface : handle->interface;
  const trace::Memory write_back(this, MemoryOp::kWriteBack, handle, node);
  const Copying copying(*this, handle, source_node, node, next_copy_++);
  const starpu_data_copy_methods* methods = handle->ops->copy_methods;
  if (methods && methods->any_to_any) {
    const int error = Unlocked([&] {
      return methods->any_to_any(source_interface, source_node, copy.interface, node, nullptr);
    });
    if (error) return false;
  } else {
    // Packed values pass through the main memory.
    if (source && !(handle->allocated || TryAllocate(*this, handle))) return false;
    if (source && !CopyIn(handle)) return false;
    void* piece = nullptr;
    starpu_ssize_t bytes = 0;
    const bool worked = Unlocked([&] {
      if (handle->ops->pack_data(handle, STARPU_MAIN_RAM, &piece, &bytes) != 0) return false;
      const Disk* disk = disks_.At(node);
      const int error = disk->ops->full_write(disk->base, ObjectOf(*this, handle, copy), piece,
                                              static_cast<size_t>(bytes));
      starpu_free_on_node(STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(piece),
                          static_cast<size_t>(bytes));
      return error == 0;
    });
    if (!worked) return false;
  }
  disks_.buses().Carried({source_node, node}, handle->size_bytes);
  copy.valid = true;
  handle->has_copies = true;
  trace::DataState(handle, DataCopyState::kShared, node);
  return true;
}

// Copies the value from a device or disk to the main memory, which is allocated.
bool Residency::CopyIn(Handle* handle) {
  const Moving now;
  if (Whereabouts::Copy* copy = CopyOnDevice(handle)) return SendToMainMemory(handle, *copy);
  Whereabouts::Copy* copy = ValidCopy(handle);
  if (!copy) return false;
  const Copying copying(*this, handle, copy->node, STARPU_MAIN_RAM, next_copy_++);
  const starpu_data_copy_methods* methods = handle->ops->copy_methods;
  if (methods && methods->any_to_any) {
    const int error = Unlocked([&] {
      return methods->any_to_any(copy->interface, copy->node, handle->interface, STARPU_MAIN_RAM,
                                 nullptr);
    });
    if (error) return false;
  } else {
    const bool worked = Unlocked([&] {
      const Disk* disk = disks_.At(copy->node);
      void* piece = nullptr;
      size_t bytes = 0;
      return disk->ops->full_read(disk->base, ObjectOf(*this, handle, *copy), &piece, &bytes,
                                  STARPU_MAIN_RAM) == 0 &&
             TakePiece(handle, piece, bytes) == 0;
    });
    if (!worked) return false;
  }
  disks_.buses().Carried({copy->node, STARPU_MAIN_RAM}, handle->size_bytes);
  trace::DataState(handle, DataCopyState::kShared);
  return true;
}

// --- What the program asks for -------------------------------------------------------------------

bool Residency::Evict(Handle* handle, unsigned node) {
  Finish(handle);
  if (devices_.At(node)) return EvictFromDevice(handle, node);
  MutexLock guard(lock_);
  const Claim claim(*this, handle);
  FinishLocked(handle);
  if (node == STARPU_MAIN_RAM) {
    bool leaves = false, again = handle->movable;
    while (again && !leaves) {
      again = false;
      leaves = Leave(handle, again);
    }
    return leaves;
  }
  Whereabouts::Copy* copy = CopyOn(handle, node);
  if (!copy || !copy->valid || handle->away) return false;
  copy->valid = false;
  trace::DataState(handle, DataCopyState::kInvalid, node);
  return true;
}

bool Residency::CanEvict(Handle* handle, unsigned node) {
  MutexLock guard(lock_);
  if (devices_.At(node)) {
    const Whereabouts::Copy* copy = CopyOn(handle, node);
    return copy && copy->own && copy->pins == 0;
  }
  if (node != STARPU_MAIN_RAM) return false;
  return handle->movable && handle->allocated && handle->owns_memory && handle->out_of_core &&
         handle->pins.load() == 0 &&
         (!handle->initialized || ValidCopy(handle) || (disks_.count() && CanTravel(handle)));
}

void Residency::WontUse(Handle* handle) {
  MutexLock guard(lock_);
  const trace::Memory told(this, MemoryOp::kWontUse, handle, STARPU_MAIN_RAM);
  handle->used_lately = false;
  Whereabouts& at = handle->whereabouts;
  if (at.listed) resident_.splice(resident_.begin(), resident_, at.place);
  for (Whereabouts::Copy& copy : at.copies) {
    if (DeviceMemory* device = devices_.At(copy.node))
      device->resident.splice(device->resident.begin(), device->resident, copy.place);
  }
  const Claim claim(*this, handle, Claim::If::kFree);
  const bool is_clean = at.under_way || ValidCopy(handle);
  if (claim && handle->movable && !is_clean && memory_.limit_bytes() > 0)
    (void)WriteAheadOf(handle);
}

void Residency::MoveTo(Handle* handle, unsigned node, bool writes) {
  WriteTo(handle, node);
  MutexLock guard(lock_);
  const Claim claim(*this, handle);
  FinishLocked(handle);
  if (!CopyOn(handle, node) || !CopyOn(handle, node)->valid) {
    if (!CanTravel(handle) || !CopyOut(handle, node)) {
      Fatal("%s cannot be moved to memory node %u: no room there", Describe(handle).c_str(), node);
    }
  }
  if (!writes) return;
  // From now on only that disk has the value.
  SetCopiesInvalid(handle, node);
  handle->away = true;
  if (handle->owns_memory && handle->pins.load() == 0) ReleaseMemory(this, handle);
}

void Residency::Prefetch(Handle* handle, unsigned node, CopyReason reason, Claim::If when) {
  if (disks_.At(node)) Finish(handle);
  MutexLock guard(lock_);
  const Claim claim(*this, handle, when);
  if (!claim) return;
  if (DeviceMemory* device = devices_.At(node)) {
    if (!handle->initialized || !CanTravelToDevices(handle)) return;
    const bool has_room =
        CopyOn(handle, node) || device->available_bytes() >= BytesOnDevice(handle);
    if (!has_room) return;
    ReadAhead(handle, From::kDisks);
    (void)BringToDevice(node, {handle, /*reads=*/true, /*writes=*/false}, reason);
    return;
  }
  if (node != STARPU_MAIN_RAM) {
    FinishLocked(handle);
    const Whereabouts::Copy* copy = CopyOn(handle, node);
    if (!handle->initialized || !CanTravel(handle) || (copy && copy->valid)) return;
    if (StartOut(handle, node)) return;
    WriteTo(handle, node);
    if (!CopyOn(handle, node) || !CopyOn(handle, node)->valid) CopyOut(handle, node);
    return;
  }
  // A prefetch evicts nothing.
  if (!handle->away || handle->whereabouts.under_way) return;
  if (memory_.available_bytes() < handle->size_bytes) return;
  handle->used_lately = true;
  if (StartIn(handle)) return;
  ReadAhead(handle, From::kAnywhere);
  if (handle->away) (void)Bring({handle, /*reads=*/true, /*writes=*/false});
}

bool Residency::IsOn(Handle* handle, unsigned node) {
  if (is_under_way()) Tend();
  MutexLock guard(lock_);
  const Whereabouts::Copy* copy = CopyOn(handle, node);
  return copy && copy->valid;
}

bool Residency::IsComing(Handle* handle, unsigned node) {
  if (is_under_way()) Tend();
  MutexLock guard(lock_);
  if (const TransferRef transfer = TransferOf(handle); transfer && TargetOf(*transfer) == node)
    return true;
  if (node == STARPU_MAIN_RAM) return !handle->away && !HasArrived(handle->arrives);
  const Whereabouts::Copy* copy = CopyOn(handle, node);
  return copy && copy->valid && devices_.At(node) && !HasArrived(copy->arrives);
}

bool Residency::HasMemoryOn(Handle* handle, unsigned node) {
  MutexLock guard(lock_);
  return CopyOn(handle, node) != nullptr;
}

void Residency::Invalidate(Handle* handle) {
  Finish(handle);
  MutexLock guard(lock_);
  const Claim claim(*this, handle);
  SetCopiesInvalid(handle);
  handle->has_copies = false;
  handle->away = false;
}

void Residency::SendHome(Handle* handle) {
  if (!handle->movable && !handle->away) return;
  const unsigned home = static_cast<unsigned>(handle->home_node);
  if (handle->home_node == STARPU_MAIN_RAM)
    ReadAhead(handle, From::kAnywhere);
  else if (disks_.At(home) && handle->initialized)
    WriteTo(handle, home);
  MutexLock guard(lock_);
  const Claim claim(*this, handle);
  FinishLocked(handle);
  if (!handle->initialized) return;
  if (handle->home_node == STARPU_MAIN_RAM) {
    if (!Bring({handle, /*reads=*/true, /*writes=*/false})) {
      Fatal("no memory for %s", Describe(handle).c_str());
    }
  } else if (disks_.At(home) && !IsOn(handle, home) && !CopyOut(handle, home)) {
    Fatal("%s cannot be written to its home, memory node %u", Describe(handle).c_str(), home);
  } else if (devices_.At(home)) {
    (void)BringToDevice(home, {handle, /*reads=*/true, /*writes=*/false}, CopyReason::kFetch);
  }
}

void Residency::LivesOn(Handle* handle, unsigned node, void* interface) {
  MutexLock guard(lock_);
  Whereabouts::Copy home{node, interface, /*own=*/false, /*valid=*/true};
  if (DeviceMemory* device = devices_.At(node))
    home.place = device->resident.insert(device->resident.end(), handle);
  handle->whereabouts.copies.push_back(home);
  handle->initialized = handle->away = handle->has_copies = true;
}

void Residency::WriteThrough(Handle* handle, unsigned written_on) {
  for (unsigned node = 0; node <= devices_.count() + disks_.count(); ++node) {
    if (node != written_on && handle->written_through & (uint32_t{1} << node))
      Prefetch(handle, node, CopyReason::kFetch);
  }
}

void Residency::FreeCopies(Handle* handle) {
  Finish(handle);
  MutexLock guard(lock_);
  const Claim claim(*this, handle);
  Arrival gone = 0;
  for (const Whereabouts::Copy& copy : handle->whereabouts.copies) {
    if (devices_.At(copy.node)) {
      gone = carrier().Both(gone, carrier().Both(copy.arrives, copy.leaves));
    }
  }
  if (gone) Unlocked([&] { carrier().Vacated(gone); });
  FinishLocked(handle);
  Goes(handle);  // before a transfer could write it to a disk again
  const std::vector<Whereabouts::Copy> copies = std::exchange(handle->whereabouts.copies, {});
  for (const Whereabouts::Copy& copy : copies)
    if (DeviceMemory* device = devices_.At(copy.node)) device->resident.erase(copy.place);
  for (const Whereabouts::Copy& copy : copies) {
    const auto free_data = handle->ops->free_data_on_node;
    if (!copy.own || !free_data) continue;
    const trace::Memory end(this, MemoryOp::kFree, handle, copy.node);
    Unlocked([&] { free_data(copy.interface, copy.node); });
  }
}

}  // namespace tasklens::runtime
