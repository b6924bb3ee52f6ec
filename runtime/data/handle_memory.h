// SPDX-License-Identifier: Apache-2.0
// Memory of handles. It is never used for anything else, so use of a handle after its
// unregistration is detected. The oldest free piece is reused first, which keeps a stale handle
// detectable for as long as possible.
//
// Fields that are read for many handles in a row lie outside that memory, those of eight handles in
// one cache line: a handle itself spans several cache lines, and few handles fit into a page.
#pragma once

#include <atomic>

struct _starpu_data_state;

namespace tasklens::runtime {

void* TakeHandleMemory();
void GiveHandleMemory(void* memory);

// In all functions below, `handle` is or was a handle.

// Whether the handle is registered.
bool IsRegistered(const _starpu_data_state* handle);
// A pointer for the MPI library (core/communication.h), nullptr at first.
std::atomic<void*>& CommunicationOf(const _starpu_data_state* handle);

// Called before and after fork().
void LockHandleMemory();
void UnlockHandleMemory();

}  // namespace tasklens::runtime
