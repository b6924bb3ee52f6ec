// SPDX-License-Identifier: Apache-2.0
#include "trace/support/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#ifndef MADV_POPULATE_WRITE  // Linux 5.14
#define MADV_POPULATE_WRITE 23
#endif

namespace tasklens {

void TakePages(void* memory, size_t bytes) {
  static const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  // For one page, a fault costs as much as the call.
  if (bytes <= page) return;
  const auto begin = reinterpret_cast<uintptr_t>(memory) / page * page;
  const auto end = (reinterpret_cast<uintptr_t>(memory) + bytes + page - 1) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
}

}  // namespace tasklens
