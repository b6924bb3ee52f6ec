// SPDX-License-Identifier: Apache-2.0
// starpu_malloc() and its variants, and queries about memory.
#include <starpu.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdlib>

#include "runtime/core/runtime.h"
#include "runtime/support/message.h"

using tasklens::runtime::DeviceMemory;
using tasklens::runtime::Disk;
using tasklens::runtime::PinnedMemory;
using tasklens::runtime::Residency;
using tasklens::runtime::Runtime;

namespace {

// At least a cache line, to avoid false sharing between tasks.
std::atomic<size_t> alignment{64};
// The default flags of starpu_malloc_on_node().
std::atomic<int> node_flags{STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT};

std::atomic<starpu_malloc_hook> malloc_hook{nullptr};
std::atomic<starpu_free_hook> free_hook{nullptr};

// Counts memory while the runtime runs. Returns false if it exceeds the limit.
bool Book(size_t size, int flags) {
  Runtime* runtime = Runtime::Instance();
  if (!runtime) return true;
  Residency& residency = runtime->residency();
  const bool overflow = flags & (STARPU_MEMORY_OVERFLOW | STARPU_MALLOC_NORECLAIM);
  const auto take = [&] {
    do {
      if (runtime->memory.Take(size, overflow || Residency::IsMoving())) return true;
    } while (residency.Reclaim(size));
    return false;
  };
  if (take()) return true;
  // (Not inside an interface's method: its caller waits for room itself, with nothing pinned.)
  const bool waits = flags & STARPU_MEMORY_WAIT && !Residency::IsInMethod();
  if (!waits || size > runtime->memory.limit_bytes()) return false;
  residency.WaitForRoom(take);
  return true;
}
void Unbook(size_t size) {
  Runtime* runtime = Runtime::Instance();
  if (!runtime) return;
  runtime->memory.GiveBack(size);
  runtime->residency().NoteFreed();
}

// Smaller blocks are copied as fast through the driver's own pinned memory.
constexpr size_t kPage = 4096;
// Returns nullptr if pinning is not worth it or there is no device.
PinnedMemory* PinsFor(size_t bytes) {
  Runtime* const runtime = Runtime::Instance();
  return runtime && bytes >= kPage ? runtime->pinned_memory() : nullptr;
}

Disk* DiskOrNoneAt(unsigned node) {
  Runtime* runtime = Runtime::Instance();
  return runtime ? runtime->disks().At(node) : nullptr;
}

DeviceMemory* DeviceAt(unsigned node) {
  Runtime* runtime = Runtime::Instance();
  return runtime ? runtime->devices().At(node) : nullptr;
}
void* AllocateOn(DeviceMemory& device, unsigned node, size_t size) {
  for (;;) {
    if (void* memory = device.Allocate(size)) return memory;
    if (!Runtime::Instance()->residency().ReclaimOnDevice(node, size)) return nullptr;
  }
}

starpu_ssize_t Signed(size_t bytes) {
  return bytes == SIZE_MAX ? -1 : static_cast<starpu_ssize_t>(bytes);
}

}  // namespace

extern "C" {

void starpu_malloc_set_align(size_t align) {
  if (!std::has_single_bit(align)) {
    tasklens::runtime::Fatal("starpu_malloc_set_align(%zu): not a power of two", align);
  }
  size_t before = alignment.load();
  while (before < align && !alignment.compare_exchange_weak(before, align)) {
  }
}

int starpu_malloc(void** A, size_t size) {
  return starpu_malloc_flags(A, size, STARPU_MALLOC_PINNED);
}
int starpu_malloc_flags(void** A, size_t size, int flags) {
  *A = nullptr;
  if ((flags & STARPU_MALLOC_COUNT) && !Book(size, flags)) return -ENOMEM;
  if (const starpu_malloc_hook hook = malloc_hook.load()) {
    const int error = hook(STARPU_MAIN_RAM, A, size, flags);
    if (error && (flags & STARPU_MALLOC_COUNT)) Unbook(size);
    return error;
  }
  PinnedMemory* const pins = flags & STARPU_MALLOC_PINNED ? PinsFor(size) : nullptr;
  const size_t whole = pins ? (size + kPage - 1) / kPage * kPage : size ? size : 1;
  const size_t aligned = pins ? std::max(kPage, alignment.load()) : alignment.load();
  if (posix_memalign(A, aligned, whole) == 0) {
    if (pins) pins->Pin(*A, whole);
    return 0;
  }
  *A = nullptr;
  if (flags & STARPU_MALLOC_COUNT) Unbook(size);
  return -ENOMEM;
}
int starpu_free(void* A) {
  Runtime* const runtime = Runtime::Instance();
  if (A && runtime && runtime->pinned_memory()) runtime->pinned_memory()->Unpin(A);
  free(A);
  return 0;
}
int starpu_free_noflag(void* A, size_t size) {
  return starpu_free_flags(A, size, STARPU_MALLOC_PINNED);
}
int starpu_free_flags(void* A, size_t size, int flags) {
  if (flags & STARPU_MALLOC_COUNT) Unbook(size);
  if (const starpu_free_hook hook = free_hook.load()) return hook(STARPU_MAIN_RAM, A, size, flags);
  return starpu_free(A);
}
void starpu_malloc_set_hooks(starpu_malloc_hook allocate, starpu_free_hook release) {
  malloc_hook = allocate;
  free_hook = release;
}

uintptr_t starpu_malloc_on_node_flags(unsigned node, size_t size, int flags) {
  if (Disk* disk = DiskOrNoneAt(node)) return reinterpret_cast<uintptr_t>(disk->Allocate(size));
  if (DeviceMemory* device = DeviceAt(node))
    return reinterpret_cast<uintptr_t>(AllocateOn(*device, node, size));
  void* memory;
  if (node != STARPU_MAIN_RAM || starpu_malloc_flags(&memory, size, flags) != 0) return 0;
  return reinterpret_cast<uintptr_t>(memory);
}
uintptr_t starpu_malloc_on_node(unsigned node, size_t size) {
  return starpu_malloc_on_node_flags(node, size, node_flags.load());
}
void starpu_free_on_node_flags(unsigned node, uintptr_t address, size_t size, int flags) {
  if (!address) return;
  if (Disk* disk = DiskOrNoneAt(node)) return disk->Free(reinterpret_cast<void*>(address), size);
  if (DeviceMemory* device = DeviceAt(node)) {
    device->Free(reinterpret_cast<void*>(address), size);
    Runtime::Instance()->residency().NoteFreed();
    return;
  }
  if (node == STARPU_MAIN_RAM) starpu_free_flags(reinterpret_cast<void*>(address), size, flags);
}
void starpu_free_on_node(unsigned node, uintptr_t address, size_t size) {
  starpu_free_on_node_flags(node, address, size, node_flags.load());
}
void starpu_malloc_on_node_set_default_flags(unsigned node, int flags) {
  if (node == STARPU_MAIN_RAM) node_flags = flags;
}

starpu_ssize_t starpu_memory_get_total(unsigned node) {
  Runtime& runtime = Runtime::Get(__func__);
  if (const Disk* disk = DiskOrNoneAt(node)) return Signed(disk->size_bytes);
  if (const DeviceMemory* device = DeviceAt(node))
    return device->limit_bytes() ? Signed(device->limit_bytes()) : -1;
  if (node != STARPU_MAIN_RAM) return -1;
  return runtime.memory.limit_bytes() ? Signed(runtime.memory.limit_bytes()) : -1;
}
starpu_ssize_t starpu_memory_get_total_all_nodes(void) {
  return starpu_memory_get_total(STARPU_MAIN_RAM);
}
starpu_ssize_t starpu_memory_get_available(unsigned node) {
  Runtime& runtime = Runtime::Get(__func__);
  if (const Disk* disk = DiskOrNoneAt(node)) {
    return disk->size_bytes == SIZE_MAX ? -1 : Signed(disk->available_bytes());
  }
  if (DeviceMemory* device = DeviceAt(node)) return Signed(device->available_bytes());
  return node == STARPU_MAIN_RAM ? Signed(runtime.memory.available_bytes()) : -1;
}
starpu_ssize_t starpu_memory_get_available_all_nodes(void) {
  return starpu_memory_get_available(STARPU_MAIN_RAM);
}
size_t starpu_memory_get_used(unsigned node) {
  Runtime& runtime = Runtime::Get(__func__);
  if (const Disk* disk = DiskOrNoneAt(node)) return disk->used_bytes.load();
  if (DeviceMemory* device = DeviceAt(node)) return device->used_bytes();
  return node == STARPU_MAIN_RAM ? runtime.memory.used_bytes() : 0;
}
size_t starpu_memory_get_used_all_nodes(void) { return starpu_memory_get_used(STARPU_MAIN_RAM); }
int starpu_memory_allocate(unsigned node, size_t size, int flags) {
  Runtime::Get(__func__);
  return node == STARPU_MAIN_RAM && Book(size, flags) ? 0 : -ENOMEM;
}
void starpu_memory_deallocate(unsigned node, size_t size) {
  if (node == STARPU_MAIN_RAM) Unbook(size);
}
void starpu_memory_wait_available(unsigned node, size_t size) {
  Runtime& runtime = Runtime::Get(__func__);
  if (node == STARPU_MAIN_RAM) runtime.memory.WaitFor(size);
}

void starpu_check_on_node(unsigned node, uintptr_t, size_t) {
  const unsigned nodes = Runtime::Get(__func__).memory_nodes();
  if (node >= nodes)
    tasklens::runtime::Fatal("starpu_check_on_node(): there is no memory node %u, there are %u",
                             node, nodes);
}
int starpu_memory_pin(void* memory, size_t bytes) {
  Runtime* const runtime = Runtime::Instance();
  if (!runtime || !runtime->pinned_memory()) return 0;
  return runtime->pinned_memory()->Pin(memory, bytes) ? 0 : -1;
}
int starpu_memory_unpin(void* memory, size_t) {
  Runtime* const runtime = Runtime::Instance();
  if (!runtime || !runtime->pinned_memory()) return 0;
  return runtime->pinned_memory()->Unpin(memory) ? 0 : -1;
}

}  // extern "C"
