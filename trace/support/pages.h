// SPDX-License-Identifier: Apache-2.0
// Fresh memory that is about to be filled.
#pragma once

#include <cstddef>

namespace tasklens {

// Gets the pages that hold [memory, memory + bytes) from the kernel at once, not one by one as they
// are touched: a fault costs more than the page itself, in some virtual machines 10 us more. What
// is there stays. Advice only: a kernel before Linux 5.14 does not know it.
void TakePages(void* memory, size_t bytes);

}  // namespace tasklens
