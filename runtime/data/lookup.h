// SPDX-License-Identifier: Apache-2.0
// Handles by the address of their main memory, for starpu_data_lookup().
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// Add the handle after its memory was registered or allocated, and remove it before its memory is
// freed. FindHandle() returns the latest handle of an address, so a part that begins where its
// whole does hides the whole.
void EnterLookup(Handle* handle);
void LeaveLookup(Handle* handle);
// Returns nullptr if no handle's main memory begins at `address`.
Handle* FindHandle(const void* address);

}  // namespace tasklens::runtime
