// SPDX-License-Identifier: Apache-2.0
// Marks memory that is kept for reuse instead of freed. AddressSanitizer, if the program uses it,
// cannot know that such memory is free; with these marks it reports uses.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace tasklens::runtime {

#if defined(__SANITIZE_ADDRESS__)
inline void MarkFree(void* memory, size_t bytes) { __asan_poison_memory_region(memory, bytes); }
inline void MarkUsed(void* memory, size_t bytes) { __asan_unpoison_memory_region(memory, bytes); }
#else
inline void MarkFree(void*, size_t) {}
inline void MarkUsed(void*, size_t) {}
#endif

}  // namespace tasklens::runtime
