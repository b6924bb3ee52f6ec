// SPDX-License-Identifier: Apache-2.0
// Handles by the address of their main memory, for starpu_data_lookup().
#pragma once

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

// When memory was registered or allocated, and before it is freed. The latest handle of an address
// is found, so that a part that begins where the whole does hides it while it is there.
void EnterLookup(Handle* handle);
void LeaveLookup(Handle* handle);
// nullptr: no handle has its memory there.
Handle* FindHandle(const void* address);

}  // namespace tasklens::runtime
