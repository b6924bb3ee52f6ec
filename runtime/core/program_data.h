// SPDX-License-Identifier: Apache-2.0
// What a program does with a handle as a whole: it registers it, gives its value up, asks where the
// value is, and says where it should be. `function` is the one that the program called.
#pragma once

#include <starpu.h>

#include "runtime/data/handle.h"

namespace tasklens::runtime {

class Runtime;

// A new handle of the interface's kind, with its memory on `home_node`, or with none yet (-1).
void RegisterData(Handle** registered, int home_node, void* interface,
                  starpu_data_interface_ops* ops);
// One of the same kind and size, without memory.
Handle* RegisterLike(const Handle* source);
// Waits for all users; not for the inside of a task. `keeps_value`: it is brought home.
void UnregisterData(Handle* handle, const char* function, bool keeps_value);
// Once all users that are submitted have ended.
void UnregisterLater(Handle* handle, const char* function);

// Gives the value and its memory up: now, which waits for all users, or after those that are
// submitted.
void InvalidateData(Handle* handle, const char* function);
void InvalidateLater(Handle* handle, const char* function);

// 0, or -EINVAL where there is no such node, or no handle.
int CheckNode(Handle* handle, unsigned node);
// Whether a node, which there is, has the value; has memory for it; gets it now.
bool HasValueOn(Handle* handle, unsigned node);
bool IsAllocated(Handle* handle, unsigned node);
bool IsComing(Handle* handle, unsigned node);

// Brings the value to a node. `wait`: until it is there. 0, or -EINVAL as CheckNode(). For kFetch,
// kPrefetch and kIdleFetch.
template <CopyReason kReason>
int Fetch(Handle* handle, unsigned node, bool wait);
// No task will use it soon.
void WontUse(Handle* handle);
// Makes room on a node that has less than STARPU_MINIMUM_AVAILABLE_MEM percent.
void TidyMemory(Runtime& runtime, unsigned node);

}  // namespace tasklens::runtime
