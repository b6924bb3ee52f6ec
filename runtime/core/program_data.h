// SPDX-License-Identifier: Apache-2.0
// The program's operations on a whole handle: register and unregister it, drop its value, ask where
// the value is, and move it. `function` names the public function in messages.
#pragma once

#include <starpu.h>

#include "runtime/data/handle.h"

namespace tasklens::runtime {

class Runtime;

// Registers a new handle whose memory is on `home_node`, or not allocated yet (-1).
void RegisterData(Handle** registered, int home_node, void* interface,
                  starpu_data_interface_ops* ops);
// Returns a new handle of the same interface and size, without memory.
Handle* RegisterLike(const Handle* source);
// Waits for all users of the handle and unregisters it. `keeps_value`: first copies the value to
// the home node. REQUIRES: the caller is not inside a task.
void UnregisterData(Handle* handle, const char* function, bool keeps_value);
// Unregisters the handle once all submitted users have ended.
void UnregisterLater(Handle* handle, const char* function);

// Drop the value and free its memory: InvalidateData() waits for all users, InvalidateLater()
// happens after the submitted ones.
void InvalidateData(Handle* handle, const char* function);
void InvalidateLater(Handle* handle, const char* function);

// Returns 0, or -EINVAL if the node does not exist or the handle is nullptr.
int CheckNode(Handle* handle, unsigned node);
// Whether the node has the value; has memory for it; is receiving it. REQUIRES: the node exists.
bool HasValueOn(Handle* handle, unsigned node);
bool IsAllocated(Handle* handle, unsigned node);
bool IsComing(Handle* handle, unsigned node);

// Copies the value to a node. `wait`: returns when it has arrived. Returns 0, or -EINVAL as
// CheckNode(). Instantiated for kFetch, kPrefetch and kIdleFetch.
template <CopyReason kReason>
int Fetch(Handle* handle, unsigned node, bool wait);
// Hints that no task will use the handle soon, so that its copies are evicted first.
void WontUse(Handle* handle);
// Frees memory on a node that has less than STARPU_MINIMUM_AVAILABLE_MEM percent available.
void TidyMemory(Runtime& runtime, unsigned node);

}  // namespace tasklens::runtime
