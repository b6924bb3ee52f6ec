// SPDX-License-Identifier: Apache-2.0
// Residency on devices: copies to and from devices, evictions, arrivals.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/data/conversion.h"
#include "runtime/data/devices.h"
#include "runtime/data/disk/disks.h"
#include "runtime/data/handle.h"
#include "runtime/data/movement.h"
#include "runtime/data/records.h"
#include "runtime/data/residency.h"
#include "runtime/support/message.h"
#include "runtime/support/virtual_time.h"

namespace tasklens::runtime {

// The source of a transfer, and when the value arrives there.
struct Residency::Source {
  unsigned node = STARPU_MAIN_RAM;
  void* interface = nullptr;  // nullptr: no node has the value
  Arrival arrives = 0;
};

namespace {

// Returns the interface's method for a copy between two kinds of memory; nullptr if there is none.
using CopyMethod = int (*)(void*, unsigned, void*, unsigned);
CopyMethod MethodBetween(const starpu_data_copy_methods& methods, unsigned source,
                         unsigned target) {
  if (source == STARPU_MAIN_RAM) return methods.ram_to_cuda;
  return target == STARPU_MAIN_RAM ? methods.cuda_to_ram : methods.cuda_to_cuda;
}

// The same for a copy in a stream.
using AsyncMethod = int (*)(void*, unsigned, void*, unsigned, void*);
AsyncMethod AsyncMethodBetween(const starpu_data_copy_methods& methods, unsigned source,
                               unsigned target) {
  if (source == STARPU_MAIN_RAM) return methods.ram_to_cuda_async;
  return target == STARPU_MAIN_RAM ? methods.cuda_to_ram_async : methods.cuda_to_cuda_async;
}

void Add(Arrivals& arrivals, Arrival arrival) {
  if (arrival) arrivals.push_back(arrival);
}

// Whether no other node has the value.
bool IsOnlyOn(const Handle* handle, const Whereabouts::Copy& copy) {
  const auto& copies = handle->whereabouts.copies;
  return copy.valid && handle->away && handle->initialized &&
         std::none_of(copies.begin(), copies.end(), [&](const Whereabouts::Copy& other) {
           return other.valid && other.node != copy.node;
         });
}

}  // namespace

bool Residency::CopyValue(const Handle* handle, const void* from, unsigned source, void* to,
                          unsigned target, void* async_data) {
  CarryLayout(handle, from, source, to, target);
  // A simulation computes nothing, so only values that functions use for real are copied.
  if (VirtualTime::On() && !handle->is_computed) return true;
  const starpu_data_copy_methods& methods = *handle->ops->copy_methods;
  void* const source_interface = const_cast<void*>(from);
  const auto worked = [](int result) { return result == 0 || result == -EAGAIN; };
  if (methods.any_to_any)
    return worked(methods.any_to_any(source_interface, source, to, target, async_data));
  const AsyncMethod async = AsyncMethodBetween(methods, source, target);
  if (async && async_data)
    return worked(async(source_interface, source, to, target, carrier().NativeOf(async_data)));
  // The synchronous method does not know what the shipment waits for.
  if (async_data) carrier().Settle(async_data);
  const CopyMethod method = MethodBetween(methods, source, target);
  return method && method(source_interface, source, to, target) == 0;
}

bool Residency::CanTravelToDevices(const Handle* handle) {
  const starpu_data_copy_methods* methods = handle->ops->copy_methods;
  return methods && (methods->any_to_any || (methods->ram_to_cuda && methods->cuda_to_ram));
}

Whereabouts::Copy* Residency::CopyOnDevice(Handle* handle) {
  for (Whereabouts::Copy& copy : handle->whereabouts.copies) {
    if (copy.valid && devices_.At(copy.node)) return &copy;
  }
  return nullptr;
}

bool Residency::SomebodyUsesDevices() {
  for (unsigned node = 1; node <= devices_.count(); ++node) {
    for (Handle* handle : devices_.At(node)->resident) {
      if (CopyOn(handle, node)->pins != 0) return true;
    }
  }
  return false;
}

// --- Using ---------------------------------------------------------------------------------------

void Residency::PinOn(unsigned node, std::span<const Use> uses, Arrivals& arrivals) {
  if (node == STARPU_MAIN_RAM) {
    Pin(uses);
    for (const Use& use : uses) Add(arrivals, use.handle->arrives);
    return;
  }
  if (MakeRoomFor([&] { return TryPinOn(node, uses, arrivals); })) return;
  DeviceMemory& device = *devices_.At(node);
  Fatal("no memory for %s, %s, on %s: %zu bytes of its %zu are in use, and nothing can be evicted",
        Describe(uses.front().handle).c_str(), DescribeShape(uses.front().handle).c_str(),
        devices_.NameOf(node).c_str(), device.used_bytes(), device.limit_bytes());
}

// Reads from disks and makes room without the lock, as far as possible.
bool Residency::TryPinOn(unsigned node, std::span<const Use> uses, Arrivals& arrivals) {
  ReadAhead(uses, From::kDisks);
  DeviceMemory& device = *devices_.At(node);
  size_t missing_bytes = 0;
  SmallVector<Handle*, 4> pinned;  // present data, not to be evicted for the rest
  {
    MutexLock guard(lock_);
    for (const Use& use : uses)
      missing_bytes += CopyOn(use.handle, node) ? 0 : BytesOnDevice(use.handle);
    // (A simulation does not wait: a new copy arrives when the evicted one has left.)
    if (VirtualTime::On() || device.available_bytes() >= missing_bytes)
      return TryPinOnDevice(node, uses, arrivals);
    for (const Use& use : uses) {
      Whereabouts::Copy* const copy = CopyOn(use.handle, node);
      const ThreadState* const claimed_by = use.handle->whereabouts.claimed_by;
      if (!copy || (claimed_by && claimed_by != &ThisThread())) continue;
      ++copy->pins;
      pinned.push_back(use.handle);
    }
  }
  (void)ReclaimOnDevice(node, missing_bytes);
  const bool worked = TryPinOnDevice(node, uses, arrivals);
  for (Handle* handle : pinned) UnpinOn(node, handle);
  return worked;
}

void Residency::PinPlaced(std::span<const PlacedUse> uses, Arrivals& arrivals) {
  if (MakeRoomFor([&] { return TryPinPlaced(uses, arrivals); })) return;
  std::string list;
  for (const PlacedUse& placed : uses) {
    if (!list.empty()) list += ", ";
    list += Describe(placed.use.handle) + " on memory node " + std::to_string(placed.node);
  }
  Fatal("no memory for the data of a task, %s: nothing can be evicted", list.c_str());
}

// Waits for nothing that another thread pins, so it may hold the pins of one node while it makes
// room on the next.
bool Residency::TryPinPlaced(std::span<const PlacedUse> uses, Arrivals& arrivals) {
  const uint32_t before = arrivals.size();
  for (unsigned node = 0; node <= devices_.count(); ++node) {
    SmallVector<Use, 4> here;
    for (const PlacedUse& placed : uses)
      if (placed.node == node) here.push_back(placed.use);
    if (here.empty()) continue;
    const std::span<const Use> on_node(here.begin(), here.end());
    const bool is_main = node == STARPU_MAIN_RAM;
    if (!(is_main ? TryPinAhead(on_node) : TryPinOn(node, on_node, arrivals))) {
      for (const PlacedUse& placed : uses)
        if (placed.node < node) UnpinOn(placed.node, placed.use.handle);
      arrivals.resize(before);
      return false;
    }
    for (uint32_t i = 0; is_main && i < here.size(); ++i) Add(arrivals, here[i].handle->arrives);
  }
  return true;
}

void Residency::UnpinOn(unsigned node, Handle* handle) {
  if (node == STARPU_MAIN_RAM) return Unpin(handle);
  {
    MutexLock guard(lock_);
    --CopyOn(handle, node)->pins;
  }
  NoteFreed();
}

bool Residency::TryPinOnDevice(unsigned node, std::span<const Use> uses, Arrivals& arrivals) {
  for (const Use& use : uses) {
    if (!CanTravelToDevices(use.handle))
      Fatal("%s cannot be used on %s: its interface has no way to copy it there",
            Describe(use.handle).c_str(), devices_.NameOf(node).c_str());
  }
  MutexLock guard(lock_);
  const uint32_t before = arrivals.size();
  for (size_t i = 0; i < uses.size(); ++i) {
    if (!BringToDevice(node, uses[i], CopyReason::kFetch)) {
      for (size_t j = 0; j < i; ++j) UnpinOn(node, uses[j].handle);
      arrivals.resize(before);
      return false;
    }
    Whereabouts::Copy& copy = *CopyOn(uses[i].handle, node);
    ++copy.pins;
    Add(arrivals, copy.arrives);
  }
  size_t bytes = 0;
  for (const Use& use : uses) bytes += BytesOnDevice(use.handle);
  WriteAheadOfDevice(node, bytes);
  return true;
}

// Copies handles that would be evicted to make `bytes` of room to the main memory now, while tasks
// run: a device copy whose value is also in the main memory can be freed at once when the room is
// needed.
void Residency::WriteAheadOfDevice(unsigned node, size_t bytes) {
  DeviceMemory& device = *devices_.At(node);
  std::vector<const Handle*> tried;
  // Returns the next handle that would be evicted and is valid only here. Starts from the front
  // each time, as the list may have changed meanwhile.
  const auto next = [&]() NO_THREAD_SAFETY_ANALYSIS -> Handle* {  // under the lock
    size_t free_bytes = device.available_bytes();
    for (Handle* handle : device.resident) {
      if (free_bytes >= bytes) return nullptr;
      if (!MayLeaveDevice(handle, node)) continue;
      free_bytes += BytesOnDevice(handle);
      const bool is_only = IsOnlyOn(handle, *CopyOn(handle, node));
      if (is_only && !handle->whereabouts.claimed_by && !IsIn(tried, handle)) return handle;
    }
    return nullptr;
  };
  while (Handle* const handle = next()) {
    const Claim claim(*this, handle);
    tried.push_back(handle);
    // (CanLeaveBeside() may call a method of the interface.)
    if (!CanLeaveBeside(handle) || !IsOnlyOn(handle, *CopyOn(handle, node))) continue;
    const trace::Memory write_back(this, MemoryOp::kWriteBack, handle, node);
    if (!SendToMainMemory(handle, *CopyOn(handle, node))) return;
    handle->away = false;
  }
}

// Whether the value can be copied to the main memory asynchronously.
bool Residency::CanLeaveBeside(const Handle* handle) {
  if (!handle->allocated || handle->whereabouts.under_way || IsMultiformat(handle)) return false;
  if (VirtualTime::On()) return true;
  const auto to_pointer = handle->ops->to_pointer;
  if (!to_pointer) return false;
  const void* const memory =
      Unlocked([&] { return to_pointer(handle->interface, STARPU_MAIN_RAM); });
  return memory && host_.IsPinned(memory);
}

bool Residency::BringToDevice(unsigned node, const Use& use, CopyReason reason) {
  Handle* handle = use.handle;
  const Claim claim(*this, handle);
  Whereabouts::Copy* copy = CopyOn(handle, node);
  if (!copy) copy = AllocateOnDevice(handle, node);
  if (!copy) return false;
  if (use.reads && !copy->valid) {
    // A value that only a disk has passes through the main memory.
    if (handle->away && !CopyOnDevice(handle) && !Bring({handle, /*reads=*/true, false}))
      return false;
    const Source source = BestSource(handle, node);
    if (!source.interface || !Move(handle, source, node, copy->interface, reason, copy->arrives))
      Fatal("%s cannot be copied to %s", Describe(handle).c_str(), devices_.NameOf(node).c_str());
    copy->valid = handle->has_copies = true;
    if (Whereabouts::Copy* from = CopyOn(handle, source.node))
      from->leaves = carrier().Both(from->leaves, copy->arrives);
    trace::DataState(handle, DataCopyState::kShared, source.node);
    trace::DataState(handle, DataCopyState::kShared, node);
  }
  if (use.writes) {
    SetCopiesInvalid(handle, node);
    if (!handle->away) trace::DataState(handle, DataCopyState::kInvalid);
    copy->valid = handle->has_copies = handle->away = true;
    trace::DataState(handle, DataCopyState::kOwner, node);
  }
  std::list<Handle*>& resident = devices_.At(node)->resident;
  resident.splice(resident.end(), resident, copy->place);
  return true;
}

// Returns the node with the value from which a transfer ends soonest.
Residency::Source Residency::BestSource(Handle* handle, unsigned node) {
  Source best;
  double least_us = 0;
  const auto consider = [&](const Source& source) {
    const double us = carrier().SoonestUs(
        source.node, node, CarriedBytes(handle, source.interface, source.node), source.arrives);
    if (best.interface && us >= least_us) return;
    best = source;
    least_us = us;
  };
  if (!handle->away) consider({STARPU_MAIN_RAM, handle->interface, handle->arrives});
  for (const Whereabouts::Copy& copy : handle->whereabouts.copies) {
    if (copy.valid && copy.node != node && devices_.At(copy.node))
      consider({copy.node, copy.interface, copy.arrives});
  }
  return best;
}

bool Residency::Move(Handle* handle, const Source& source, unsigned node, void* target,
                     CopyReason reason, Arrival& arrives) {
  const uint64_t number = next_copy_++;
  const uint64_t bytes = CarriedBytes(handle, source.interface, source.node);
  disks_.buses().Carried({source.node, node}, bytes);
  if (reason != CopyReason::kFetch)
    Record<EventKind::kDataRequest>(handle, static_cast<int32_t>(source.node),
                                    static_cast<int32_t>(node), 0, static_cast<uint32_t>(reason),
                                    number);
  // The transfer must not overlap an earlier one to the same memory.
  const Arrival after[] = {source.arrives, arrives};
  const auto there = carrier().Carry(
      {handle, source.node, node, bytes, number, reason}, after, [&](void* async_data) {
        return Unlocked([&] {
          return CopyValue(handle, source.interface, source.node, target, node, async_data);
        });
      });
  if (there) arrives = *there;
  return there.has_value();
}

std::function<bool(Arrival&)> Residency::WayHome(Handle* handle, const Whereabouts::Copy& copy) {
  const Source source{copy.node, copy.interface, copy.arrives};
  const Shipment shipment{handle,       copy.node,         STARPU_MAIN_RAM, handle->size_bytes,
                          next_copy_++, CopyReason::kFetch};
  return [=, this](Arrival& arrives) {
    const Arrival after[] = {source.arrives, arrives};
    const auto there = carrier().Carry(shipment, after, [&](void* async_data) {
      return CopyValue(handle, source.interface, source.node, handle->interface, STARPU_MAIN_RAM,
                       async_data);
    });
    if (there) arrives = *there;
    return there.has_value();
  };
}

bool Residency::SendToMainMemory(Handle* handle, Whereabouts::Copy& copy) {
  Arrival arrives = handle->arrives;
  if (!Move(handle, {copy.node, copy.interface, copy.arrives}, STARPU_MAIN_RAM, handle->interface,
            CopyReason::kFetch, arrives))
    return false;
  handle->arrives = arrives;
  copy.leaves = carrier().Both(copy.leaves, arrives);
  trace::DataState(handle, DataCopyState::kShared, copy.node);
  trace::DataState(handle, DataCopyState::kShared);
  return true;
}

Arrival Residency::ArrivalOf(Handle* handle, unsigned node) {
  if (node == STARPU_MAIN_RAM) return handle->arrives;
  MutexLock guard(lock_);
  const Whereabouts::Copy* copy = CopyOn(handle, node);
  return copy ? copy->arrives : 0;
}

void Residency::ArrivesNotBefore(Handle* handle, unsigned node, Arrival arrival) {
  MutexLock guard(lock_);
  if (node == STARPU_MAIN_RAM) {
    handle->arrives = carrier().Both(handle->arrives, arrival);
  } else if (Whereabouts::Copy* copy = CopyOn(handle, node)) {
    copy->arrives = carrier().Both(copy->arrives, arrival);
  }
}

double Residency::TransferUs(Handle* handle, unsigned node) {
  if (!host_.carrier() || !handle->initialized) return 0;
  MutexLock guard(lock_);
  if (node == STARPU_MAIN_RAM ? !handle->away : IsOn(handle, node)) return 0;
  const Source source = BestSource(handle, node);
  return source.interface ? carrier().TransferUs(
                                source.node, node,
                                CarriedBytes(handle, source.interface, source.node))
                          : 0;
}

void Residency::Gather(Handle* handle, bool writes) {
  if (!Travels(handle) && !handle->away) return;
  if (handle->initialized) ReadAhead(handle, From::kAnywhere);
  MutexLock guard(lock_);
  const Claim claim(*this, handle);
  if (!Bring({handle, handle->initialized, writes}))
    Fatal("no memory for %s", Describe(handle).c_str());
}

Arrival Residency::LastArrivalOf(Handle* handle) {
  MutexLock guard(lock_);
  Arrival last = handle->arrives;
  for (const Whereabouts::Copy& copy : handle->whereabouts.copies) {
    if (devices_.At(copy.node)) last = carrier().Both(last, copy.arrives);
  }
  return last;
}

void Residency::Settle(Handle* handle) {
  if (host_.carrier()) carrier().Vacated(LastArrivalOf(handle));
}

void Residency::LeaveDevices() {
  MutexLock guard(lock_);
  WaitForAll();
  for (unsigned node = 1; node <= devices_.count(); ++node) {
    while (!devices_.At(node)->resident.empty()) {
      Handle* handle = devices_.At(node)->resident.front();
      FreeCopies(handle);
      handle->away = handle->has_copies = false;
      handle->arrives = 0;
    }
  }
}

// --- Making room ---------------------------------------------------------------------------------

Whereabouts::Copy* Residency::AllocateOnDevice(Handle* handle, unsigned node) {
  DeviceMemory& device = *devices_.At(node);
  void* interface = InterfaceOn(handle, node);
  memcpy(interface, handle->interface, handle->ops->interface_size);
  evicted_until_ = 0;
  const size_t bytes = BytesOnDevice(handle);
  if (!device.HasFreed(bytes) && device.available_bytes() < bytes && !ReclaimOnDevice(node, bytes))
    return nullptr;
  {
    const bool is_kept = device.HasFreed(bytes);
    const trace::Memory allocation(this, is_kept ? MemoryOp::kAllocateReuse : MemoryOp::kAllocate,
                                   handle, node);
    const auto allocate = handle->ops->allocate_data_on_node;
    if (allocate && Unlocked([&] { return allocate(interface, node); }) < 0) return nullptr;
  }
  device.resident.push_back(handle);
  handle->whereabouts.copies.push_back({.node = node,
                                        .interface = interface,
                                        .own = true,
                                        .valid = false,
                                        .arrives = evicted_until_,
                                        .place = std::prev(device.resident.end())});
  return &handle->whereabouts.copies.back();
}

bool Residency::ReclaimOnDevice(unsigned node, size_t bytes) {
  DeviceMemory& device = *devices_.At(node);
  if (bytes > device.limit_bytes()) return false;
  // Without the lock held by the caller, other threads may use other data while values leave.
  const bool has_lock = lock_.is_mine();
  MutexLock guard(lock_);
  // (At most three waits per handle: for room, for its transfer to start, and for its arrival.)
  size_t waits = has_lock || VirtualTime::On() ? 0 : 3 * device.resident.size();
  bool makes_room = true;
  Record<EventKind::kMemoryOpStart>(node, static_cast<uint32_t>(MemoryOp::kReclaim),
                                    uint64_t{bytes}, uint64_t{0}, 0u);
  FreeScratch(node, [&] { return device.available_bytes() >= bytes; });
  // Tries each handle once, and again after waiting for it, unless it was used meanwhile. Starts
  // from the front each time, as the list may have changed.
  std::vector<const Handle*> tried;
  const auto next = [&]() NO_THREAD_SAFETY_ANALYSIS -> Handle* {  // under the lock
    for (Handle* handle : device.resident) {
      if (!MayLeaveDevice(handle, node) || handle->whereabouts.claimed_by) continue;
      if (!IsIn(tried, handle)) return handle;
    }
    return nullptr;
  };
  while (device.available_bytes() < bytes) {
    Handle* const handle = next();
    if (!handle) break;
    const Claim claim(*this, handle);
    const Step step = waits > 0 ? StepOffDevice(handle, node, makes_room) : Step::kReady;
    if (step == Step::kWaited)
      --waits;
    else if (step == Step::kStays || !LeaveDevice(handle, node))
      tried.push_back(handle);
  }
  Record<EventKind::kMemoryOpEnd>(node, static_cast<uint32_t>(MemoryOp::kReclaim), uint64_t{bytes},
                                  uint64_t{0});
  const bool enough = device.available_bytes() >= bytes;
  if (!enough) Record<EventKind::kMemoryFull>(uint64_t{bytes});
  return enough;
}

bool Residency::MayLeaveDevice(Handle* handle, unsigned node) {
  const Whereabouts::Copy* const copy = CopyOn(handle, node);
  return copy && copy->pins == 0 && copy->own;
}

// Waits, without the lock, for one of the things that LeaveDevice() needs. Returns kWaited if it
// waited: the handle may have been used meanwhile. The caller has claimed the handle. `makes_room`:
// whether to evict from the main memory; cleared once that fails, as other handles may be smaller.
Residency::Step Residency::StepOffDevice(Handle* handle, unsigned node, bool& makes_room) {
  if (IsOnlyOn(handle, *CopyOn(handle, node))) {
    const size_t missing_bytes = handle->allocated ? 0 : handle->size_bytes;
    if (makes_room && memory_.available_bytes() < missing_bytes) {
      makes_room = Unlocked([&] { return Reclaim(missing_bytes); });
      return Step::kWaited;
    }
    if (const TransferRef transfer = FromDeviceAtOnce(handle)) {
      Await(transfer);
      return Step::kWaited;
    }
    if (!Bring({handle, /*reads=*/true, false})) return Step::kStays;
  }
  const Whereabouts::Copy& copy = *CopyOn(handle, node);
  const Arrival gone = carrier().Both(copy.arrives, copy.leaves);
  if (carrier().IsThere(gone)) return Step::kReady;
  Unlocked([&] { carrier().WaitFor(gone); });
  return Step::kWaited;
}

bool Residency::EvictFromDevice(Handle* handle, unsigned node) {
  MutexLock guard(lock_);
  const Claim claim(*this, handle);
  bool makes_room = true;
  // (One wait per step. A simulation does not wait.)
  for (int waits = VirtualTime::On() ? 0 : 3; waits > 0; --waits) {
    if (!MayLeaveDevice(handle, node)) return false;
    const Step step = StepOffDevice(handle, node, makes_room);
    if (step == Step::kStays) return false;
    if (step == Step::kReady) break;
  }
  return LeaveDevice(handle, node);
}

// Evicts the handle from the device. The caller has claimed it.
bool Residency::LeaveDevice(Handle* handle, unsigned node) {
  if (!MayLeaveDevice(handle, node)) return false;
  Whereabouts::Copy* copy = CopyOn(handle, node);
  Arrival gone = carrier().Both(copy->arrives, copy->leaves);
  if (IsOnlyOn(handle, *copy)) {
    if (!handle->allocated && !TryAllocate(*this, handle)) return false;
    const trace::Memory write_back(this, MemoryOp::kWriteBack, handle, node);
    if (!SendToMainMemory(handle, *CopyOn(handle, node))) return false;
    handle->away = false;
    gone = carrier().Both(gone, handle->arrives);
  }
  copy = CopyOn(handle, node);
  gone = carrier().Vacated(gone);
  {
    const trace::Memory end(this, MemoryOp::kFree, handle, node);
    const auto free_data = handle->ops->free_data_on_node;
    if (free_data) Unlocked([&] { free_data(copy->interface, node); });
  }
  if (copy->valid) trace::DataState(handle, DataCopyState::kInvalid, node);
  devices_.At(node)->resident.erase(copy->place);
  std::erase_if(handle->whereabouts.copies, [node](const auto& one) { return one.node == node; });
  handle->has_copies = ValidCopy(handle) != nullptr;
  evicted_until_ = carrier().Both(evicted_until_, gone);
  return true;
}

}  // namespace tasklens::runtime
