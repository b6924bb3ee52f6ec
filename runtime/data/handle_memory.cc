// SPDX-License-Identifier: Apache-2.0
// A queue of free blocks, each with a word before it that says whether it holds a handle.
#include "runtime/data/handle_memory.h"

#include <atomic>
#include <cstdint>
#include <new>

#include "runtime/support/kept_memory.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {
namespace {

constexpr uint64_t kRegistered = 0x7265676973746572, kForgotten = 0x666f72676f747465;

struct alignas(kCacheLine) Header {
  std::atomic<uint64_t> mark{kForgotten};
  Header* next = nullptr;
};
Header* HeaderOf(const void* handle) {
  return reinterpret_cast<Header*>(const_cast<char*>(static_cast<const char*>(handle)) -
                                   sizeof(Header));
}

// Process-wide on purpose: handles may outlive a run of the runtime.
struct FreeQueue {
  Mutex lock;
  Header* first GUARDED_BY(lock) = nullptr;
  Header* last GUARDED_BY(lock) = nullptr;
};
FreeQueue& Free() {
  static FreeQueue* queue = new FreeQueue;  // never destroyed: handles may outlive main()
  return *queue;
}

}  // namespace

void* TakeHandleMemory(size_t size) {
  Header* header;
  {
    FreeQueue& queue = Free();
    MutexLock guard(queue.lock);
    header = queue.first;
    if (header) {
      queue.first = header->next;
      if (!queue.first) queue.last = nullptr;
    }
  }
  if (!header) {
    // All are of one size: that of a handle.
    header = new (::operator new(sizeof(Header) + size, std::align_val_t(alignof(Header)))) Header;
  }
  header->mark.store(kRegistered, std::memory_order_relaxed);
  void* const memory = reinterpret_cast<char*>(header) + sizeof(Header);
  MarkUsed(memory, size);
  return memory;
}

void GiveHandleMemory(void* memory, size_t size) {
  MarkFree(memory, size);
  Header* header = HeaderOf(memory);
  header->mark.store(kForgotten, std::memory_order_relaxed);
  header->next = nullptr;
  FreeQueue& queue = Free();
  MutexLock guard(queue.lock);
  (queue.last ? queue.last->next : queue.first) = header;
  queue.last = header;
}

bool IsRegistered(const void* handle) {
  return HeaderOf(handle)->mark.load(std::memory_order_relaxed) == kRegistered;
}

void LockHandleMemory() NO_THREAD_SAFETY_ANALYSIS { Free().lock.lock(); }
void UnlockHandleMemory() NO_THREAD_SAFETY_ANALYSIS { Free().lock.unlock(); }

}  // namespace tasklens::runtime
