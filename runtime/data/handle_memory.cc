// SPDX-License-Identifier: Apache-2.0
// Allocates handles in chunks, and keeps the free ones in a queue.
#include "runtime/data/handle_memory.h"

#include <cstddef>
#include <cstdint>
#include <new>

#include "runtime/data/handle.h"
#include "runtime/support/kept_memory.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

constexpr uint64_t kRegistered = 0x7265676973746572, kForgotten = 0x666f72676f747465;

// A chunk is aligned to its size, so the address of a handle leads to its chunk.
struct Chunk {
  static constexpr size_t kBytes = size_t{1} << 16;
  static constexpr size_t kHandles = (kBytes - alignof(Handle)) / (sizeof(Handle) + 24);

  std::atomic<uint64_t> marks[kHandles];
  std::atomic<void*> communication[kHandles];
  void* next[kHandles];  // next free handle in the queue
  alignas(Handle) std::byte handles[kHandles][sizeof(Handle)];
};
static_assert(sizeof(Chunk) <= Chunk::kBytes);

struct Spot {
  Chunk* chunk;
  size_t index;
};
Spot SpotOf(const void* handle) {
  const auto address = reinterpret_cast<uintptr_t>(handle);
  const uintptr_t in_chunk = address % Chunk::kBytes;
  return {reinterpret_cast<Chunk*>(address - in_chunk),
          (in_chunk - offsetof(Chunk, handles)) / sizeof(Handle)};
}
std::atomic<uint64_t>& MarkOf(const void* handle) {
  const Spot place = SpotOf(handle);
  return place.chunk->marks[place.index];
}
void*& NextOf(const void* handle) {
  const Spot place = SpotOf(handle);
  return place.chunk->next[place.index];
}

// Process-wide on purpose: handles may outlive a run of the runtime.
struct FreeQueue {
  Mutex lock;
  void* first GUARDED_BY(lock) = nullptr;
  void* last GUARDED_BY(lock) = nullptr;

  void Append(void* memory) REQUIRES(lock) {
    NextOf(memory) = nullptr;
    (first ? NextOf(last) : first) = memory;
    last = memory;
  }
  void* TakeFirst() REQUIRES(lock) {
    void* const memory = first;
    first = NextOf(memory);
    return memory;
  }
};
FreeQueue& Free() {
  static FreeQueue* queue = new FreeQueue;  // never destroyed: handles may outlive main()
  return *queue;
}

}  // namespace

void* TakeHandleMemory() {
  FreeQueue& queue = Free();
  MutexLock guard(queue.lock);
  if (!queue.first) {
    void* const memory = ::operator new(Chunk::kBytes, std::align_val_t(Chunk::kBytes));
    for (auto& handle : (new (memory) Chunk)->handles) queue.Append(handle);
  }
  void* const memory = queue.TakeFirst();
  MarkOf(memory).store(kRegistered, std::memory_order_relaxed);
  const Spot place = SpotOf(memory);
  place.chunk->communication[place.index].store(nullptr, std::memory_order_relaxed);
  MarkUsed(memory, sizeof(Handle));
  return memory;
}

void GiveHandleMemory(void* memory) {
  MarkFree(memory, sizeof(Handle));
  MarkOf(memory).store(kForgotten, std::memory_order_relaxed);
  FreeQueue& queue = Free();
  MutexLock guard(queue.lock);
  queue.Append(memory);
}

bool IsRegistered(const Handle* handle) {
  return MarkOf(handle).load(std::memory_order_relaxed) == kRegistered;
}

std::atomic<void*>& CommunicationOf(const Handle* handle) {
  const Spot place = SpotOf(handle);
  return place.chunk->communication[place.index];
}

void LockHandleMemory() NO_THREAD_SAFETY_ANALYSIS { Free().lock.lock(); }
void UnlockHandleMemory() NO_THREAD_SAFETY_ANALYSIS { Free().lock.unlock(); }

}  // namespace tasklens::runtime
