// SPDX-License-Identifier: Apache-2.0
// starpu_data_dup_ro(): a second handle with the value that data have now, to be read only.
//
// As long as nobody writes to the data, everybody who asks gets the same duplicate, and who asks
// for one of a duplicate gets that; each of them unregisters it. Any thread.
#pragma once

#include "runtime/data/handle.h"

namespace tasklens::runtime {

// A handle with the value of `source`, with the caller as one of its owners. `waits`: until the
// value is there. 0, or the error of the copy.
int Duplicate(Handle** target, Handle* source, bool waits);

// A duplicate of the handle is one of an older value from now on.
void ForgetDuplicate(Handle* handle);
// Before a task is submitted that uses the handle.
inline void AboutToUse(Handle* handle, AccessKind kind) {
  if (handle->duplicate.load(std::memory_order_relaxed) && kind != AccessKind::kRead &&
      kind != AccessKind::kScratch)
    ForgetDuplicate(handle);
}

// One of those who have the handle is done with it: whether it was the last one, which is also so
// of a handle that is no duplicate. The handle is then about to go.
bool IsLastOwner(Handle* handle);

}  // namespace tasklens::runtime
