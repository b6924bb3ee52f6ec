// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/handle.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/data/contributions.h"
#include "runtime/data/lookup.h"
#include "runtime/data/memory_stats.h"
#include "runtime/data/records.h"
#include "runtime/data/residency.h"
#include "runtime/support/crc32c.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

void* EmptyInterface(size_t size) {
  // At least one byte, so that a handle always has an interface.
  void* interface = calloc(1, size ? size : 1);
  if (!interface) Fatal("no memory for a data interface of %zu bytes", size);
  return interface;
}

void* CopyInterface(const void* interface, size_t size) {
  void* copy = EmptyInterface(size);
  if (size) memcpy(copy, interface, size);
  return copy;
}

// nullptr: STARPU_MEMORY_STATS is not set, or no run is active.
MemoryStats* StatsOf(Residency* residency) { return residency ? residency->stats() : nullptr; }

// The memory node of a scratch buffer.
unsigned NodeOfSlot(Residency* residency, size_t slot) {
  if (slot >= STARPU_NMAXWORKERS) return static_cast<unsigned>(slot / STARPU_NMAXWORKERS - 1);
  return residency ? residency->host().NodeOf(static_cast<int>(slot)) : STARPU_MAIN_RAM;
}

}  // namespace

Handle* NewHandle(Residency* residency, int home_node, const void* data_interface,
                  starpu_data_interface_ops* ops, Handle* parent) {
  auto* handle = new Handle;
  handle->ops = ops;
  handle->interface = CopyInterface(data_interface, ops->interface_size);
  handle->home_node = home_node;
  handle->parent = parent;
  const bool at_home = home_node == STARPU_MAIN_RAM;
  handle->movable = !at_home;
  handle->allocated = at_home;
  handle->initialized = at_home;
  if (home_node > STARPU_MAIN_RAM) {
    const auto node = static_cast<unsigned>(home_node);
    void* copy = InterfaceOn(handle, node);
    memcpy(copy, data_interface, ops->interface_size);
    residency->LivesOn(handle, node, copy);
  }
  UpdateShape(handle);
  if (MemoryStats* stats = StatsOf(residency)) stats->Registered(handle);
  return handle;
}

void DeleteHandle(Residency* residency, Handle* handle) {
  if (MemoryStats* stats = StatsOf(residency)) stats->Forgotten(handle);
  FreeReplicates(residency, handle);
  if (residency) residency->FreeCopies(handle);
  if (residency && !handle->scratch.empty()) residency->ScratchGoes(handle);
  for (size_t slot = 0; slot < handle->scratch.size(); ++slot) {
    if (!handle->scratch[slot].interface) continue;
    FreeInterfaceLike(residency, handle, handle->scratch[slot].interface,
                      NodeOfSlot(residency, slot));
  }
  ReleaseMemory(residency, handle);
  for (void* interface : handle->other_interfaces) free(interface);
  free(handle->interface);
  delete handle;
}

void EnsureAllocated(Residency& residency, Handle* handle) {
  (void)residency.Reclaim(
      handle->size_bytes);  // without the lock, so that others can use their data
  if (!residency.MakeRoomFor([&] { return TryAllocate(residency, handle); })) {
    Fatal("no memory for %s, %s", Describe(handle).c_str(), DescribeShape(handle).c_str());
  }
}

bool TryAllocate(Residency& residency, Handle* handle) {
  // Several readers may call this at once (for the neutral element of an unused handle).
  MutexLock guard(residency.lock());
  const Residency::Claim claim(residency, handle);
  if (handle->allocated) return true;
  const trace::Memory memory(&residency, MemoryOp::kAllocate, handle);
  const auto allocate = handle->ops->allocate_data_on_node;
  const auto on_main = [&] { return allocate(handle->interface, STARPU_MAIN_RAM); };
  if (allocate && residency.Unlocked(on_main) < 0) return false;
  handle->owns_memory = true;
  handle->allocated = true;
  residency.Came(handle);
  if (!handle->internal) residency.Unlocked([&] { EnterLookup(handle); });
  if (MemoryStats* stats = residency.stats()) stats->Loaded(handle);
  return true;
}

namespace {
// Calls the interface's method, which may be the program's: without the lock.
void CallToRelease(Residency* residency, Handle* handle) {
  if (!handle->internal) LeaveLookup(handle);
  if (!handle->ops->free_data_on_node) return;
  const trace::Memory memory(residency, MemoryOp::kFree, handle);
  handle->ops->free_data_on_node(handle->interface, STARPU_MAIN_RAM);
}
void MemoryIsGone(Residency* residency, Handle* handle) {
  handle->allocated = false;
  trace::DataState(handle, DataCopyState::kInvalid);
  if (MemoryStats* stats = StatsOf(residency)) stats->Invalidated(handle);
  handle->owns_memory = false;
}
}  // namespace

void ReleaseMemory(Residency* residency, Handle* handle) {
  if (!residency) {
    if (!handle->owns_memory) return;
    CallToRelease(nullptr, handle);
    MemoryIsGone(nullptr, handle);
    return;
  }
  residency->Settle(handle);
  MutexLock guard(residency->lock());
  const Residency::Claim claim(*residency, handle);
  residency->Goes(handle);
  if (!handle->owns_memory) return;
  residency->Unlocked([&] { CallToRelease(residency, handle); });
  MemoryIsGone(residency, handle);
}

void* InterfaceOn(Handle* handle, unsigned node) {
  if (node == STARPU_MAIN_RAM) return handle->interface;
  if (node >= STARPU_MAXNODES) Fatal("there is no memory node %u", node);
  MutexLock guard(handle->holders.lock);
  if (handle->other_interfaces.empty()) handle->other_interfaces.resize(STARPU_MAXNODES);
  void*& interface = handle->other_interfaces[node];
  if (!interface) interface = EmptyInterface(handle->ops->interface_size);
  return interface;
}

int TakePiece(Handle* handle, void* piece, size_t bytes) {
  // unpack_data frees the piece, peek_data does not.
  if (handle->ops->unpack_data) {
    return handle->ops->unpack_data(handle, STARPU_MAIN_RAM, piece, bytes);
  }
  const int error = handle->ops->peek_data(handle, STARPU_MAIN_RAM, piece, bytes);
  starpu_free_on_node(STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(piece), bytes);
  return error;
}

void* NewInterfaceLike(Residency& residency, const Handle* handle, unsigned node) {
  const trace::Memory memory(&residency, MemoryOp::kAllocate, handle, node);
  void* interface = CopyInterface(handle->interface, handle->ops->interface_size);
  const auto allocate = [&] { return handle->ops->allocate_data_on_node(interface, node) >= 0; };
  if (handle->ops->allocate_data_on_node && !residency.MakeRoomFor(allocate)) {
    Fatal("no memory for a worker's own copy of %s", Describe(handle).c_str());
  }
  return interface;
}

void FreeInterfaceLike(Residency* residency, const Handle* handle, void* interface, unsigned node) {
  const trace::Memory memory(residency, MemoryOp::kFree, handle, node);
  if (handle->ops->free_data_on_node) handle->ops->free_data_on_node(interface, node);
  free(interface);
}

void* ScratchInterface(Residency& residency, Handle* handle, size_t slot) {
  bool is_first;
  {
    MutexLock guard(handle->holders.lock);
    is_first = handle->scratch.empty();
    if (handle->scratch.size() <= slot) handle->scratch.resize(slot + 1);
    Handle::Scratch& known = handle->scratch[slot];
    known.is_used = true;
    if (known.interface) return known.interface;
  }
  if (is_first) residency.ScratchComes(handle);
  void* const interface = NewInterfaceLike(residency, handle, NodeOfSlot(&residency, slot));
  MutexLock guard(handle->holders.lock);
  handle->scratch[slot].interface = interface;
  return interface;
}

void ReleaseScratch(Handle* handle, size_t slot) {
  MutexLock guard(handle->holders.lock);
  handle->scratch[slot].is_used = false;
}

bool HasScratch(Handle* handle, size_t slot) {
  MutexLock guard(handle->holders.lock);
  return slot < handle->scratch.size() && handle->scratch[slot].interface;
}

bool FreeUnusedScratch(Residency& residency, Handle* handle, unsigned node) {
  std::vector<void*> unused;
  {
    MutexLock guard(handle->holders.lock);
    for (size_t slot = 0; slot < handle->scratch.size(); ++slot) {
      Handle::Scratch& buffer = handle->scratch[slot];
      if (!buffer.interface || buffer.is_used || NodeOfSlot(&residency, slot) != node) continue;
      unused.push_back(buffer.interface);
      buffer.interface = nullptr;
    }
  }
  residency.Unlocked([&] {
    for (void* interface : unused) FreeInterfaceLike(&residency, handle, interface, node);
  });
  return !unused.empty();
}

std::string Describe(const Handle* handle) {
  char text[32];
  snprintf(text, sizeof(text), "handle %p", static_cast<const void*>(handle));
  return handle->name.empty() ? text : std::string(text) + " '" + handle->name + "'";
}

std::string DescribeShape(const Handle* handle) {
  char text[256] = "";
  if (handle->ops->describe) {
    const starpu_ssize_t length = handle->ops->describe(handle->interface, text, sizeof(text));
    if (length >= 0) return text;
  }
  return handle->ops->name ? handle->ops->name : "";
}

void UpdateShape(Handle* handle) {
  handle->size_bytes = handle->ops->get_size ? handle->ops->get_size(handle) : 0;
  handle->footprint = DataFootprint(handle);
}

uint32_t DataFootprint(const Handle* handle) {
  const uint32_t shape =
      handle->ops->footprint ? handle->ops->footprint(const_cast<Handle*>(handle)) : 0;
  const int id = handle->ops->interfaceid;
  const bool standard = id >= 0 && id < STARPU_MAX_INTERFACE_ID;
  return Crc32c(shape, standard ? static_cast<uint32_t>(id) : 0);
}

}  // namespace tasklens::runtime
