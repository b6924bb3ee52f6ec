// SPDX-License-Identifier: Apache-2.0
// starpu_malloc() and its kin: the main memory only.
#include <starpu.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdlib>

#include "runtime/core/message.h"

namespace {

// A cache line at least: what tasks write does not share lines with what others write.
std::atomic<size_t> alignment{64};

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
int starpu_malloc_flags(void** A, size_t size, int) {
  *A = nullptr;
  return posix_memalign(A, alignment.load(), size ? size : 1) == 0 ? 0 : -ENOMEM;
}
int starpu_free(void* A) {
  free(A);
  return 0;
}
int starpu_free_noflag(void* A, size_t) { return starpu_free(A); }
int starpu_free_flags(void* A, size_t, int) { return starpu_free(A); }

uintptr_t starpu_malloc_on_node_flags(unsigned node, size_t size, int flags) {
  void* memory;
  if (node != STARPU_MAIN_RAM || starpu_malloc_flags(&memory, size, flags) != 0) return 0;
  return reinterpret_cast<uintptr_t>(memory);
}
uintptr_t starpu_malloc_on_node(unsigned node, size_t size) {
  return starpu_malloc_on_node_flags(node, size, 0);
}
void starpu_free_on_node_flags(unsigned, uintptr_t address, size_t, int) {
  free(reinterpret_cast<void*>(address));
}
void starpu_free_on_node(unsigned, uintptr_t address, size_t) {
  free(reinterpret_cast<void*>(address));
}
void starpu_malloc_on_node_set_default_flags(unsigned, int) {}
int starpu_memory_pin(void*, size_t) { return 0; }
int starpu_memory_unpin(void*, size_t) { return 0; }

}  // extern "C"
