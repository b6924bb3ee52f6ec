// SPDX-License-Identifier: Apache-2.0
// Fresh memory that is about to be filled.
#pragma once

#include <cstddef>
#include <vector>

namespace tasklens {

// Gets the pages that hold [memory, memory + bytes) from the kernel at once, not one by one as they
// are touched: a fault costs more than the page itself, in some virtual machines 10 us more. What
// is there stays. Advice only: a kernel before Linux 5.14 does not know it.
void TakePages(void* memory, size_t bytes);

// v.reserve(size), where all of it will be filled.
template <class T>
void ReservePages(std::vector<T>& v, size_t size) {
  if (size <= v.capacity()) return;
  v.reserve(size);
  TakePages(v.data() + v.size(), (size - v.size()) * sizeof(T));
}

}  // namespace tasklens
