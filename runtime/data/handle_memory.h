// SPDX-License-Identifier: Apache-2.0
// Memory of handles that is never used for anything else, so that a handle which is used after its
// unregistration is found out instead of read. The oldest free one is taken first, which leaves a
// stale handle stale for as long as possible.
//
// What is asked of many handles, one after the other, lies beside that memory, of eight handles in
// one cache line: each handle has some lines of its own, and a few have a page.
#pragma once

#include <atomic>

struct _starpu_data_state;

namespace tasklens::runtime {

void* TakeHandleMemory();
void GiveHandleMemory(void* memory);

// `handle` is or was one.

// Whether its memory holds one.
bool IsRegistered(const _starpu_data_state* handle);
// A pointer of a library's (core/communication.h), nullptr at first.
std::atomic<void*>& CommunicationOf(const _starpu_data_state* handle);

// Around fork().
void LockHandleMemory();
void UnlockHandleMemory();

}  // namespace tasklens::runtime
