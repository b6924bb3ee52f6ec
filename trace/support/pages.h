// SPDX-License-Identifier: Apache-2.0
// Maps fresh memory that is about to be filled.
#pragma once

#include <cstddef>

namespace tasklens {

// Gets the pages that hold [memory, memory + bytes) from the kernel at once, not one by one at the
// first access: a fault costs more than the page itself, in some virtual machines 10 us more. The
// contents stay. Has no effect on kernels before Linux 5.14, which do not support it.
void TakePages(void* memory, size_t bytes);

}  // namespace tasklens
