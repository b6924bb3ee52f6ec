// SPDX-License-Identifier: Apache-2.0
// Memory of handles that is never used for anything else, so that a handle which is used after its
// unregistration is found out instead of read. The oldest free one is taken first, which leaves a
// stale handle stale for as long as possible.
#pragma once

#include <cstddef>

namespace tasklens::runtime {

void* TakeHandleMemory(size_t size);
void GiveHandleMemory(void* memory, size_t size);
// Whether the memory of a handle holds one. `handle` is or was one.
bool IsRegistered(const void* handle);

// Around fork().
void LockHandleMemory();
void UnlockHandleMemory();

}  // namespace tasklens::runtime
