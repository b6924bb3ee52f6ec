// SPDX-License-Identifier: Apache-2.0
// starpu_data_dup_ro(): a second, read-only handle with the value that the data have now.
//
// Until the data are written again, all calls return the same duplicate; duplicating a duplicate
// returns the duplicate itself. Each caller unregisters it. Functions may be called from any
// thread.
#pragma once

#include "runtime/data/handle.h"

namespace tasklens::runtime {

// Sets `target` to a handle with the value of `source`, of which the caller becomes an owner.
// `waits`: until the value has been copied. Returns 0, or the error of the copy.
int Duplicate(Handle** target, Handle* source, bool waits);

// The handle is about to be written: its duplicate keeps the old value and is no longer returned.
void ForgetDuplicate(Handle* handle);
// To be called before a task that uses the handle is submitted.
inline void AboutToUse(Handle* handle, AccessKind kind) {
  if (handle->duplicate.load(std::memory_order_relaxed) && kind != AccessKind::kRead &&
      kind != AccessKind::kScratch)
    ForgetDuplicate(handle);
}

// An owner gives the handle up. Returns whether it was the last owner, so that the handle can be
// freed; always true for a handle that is not a duplicate.
bool IsLastOwner(Handle* handle);

}  // namespace tasklens::runtime
