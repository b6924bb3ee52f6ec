// SPDX-License-Identifier: Apache-2.0
// The lifetime of handles, counted by `users`.
//
// These count as one user each: the program that registered the handle; each part made of it; each
// job that names the handle without order (scratch, or sequential consistency off), from its
// submission until it releases its data; each unordered acquisition; each internal job that acts on
// the handle (SubmitControl()). The last user frees the handle. Ordered jobs need not be counted,
// because the program's own use is dropped in that order, after all of them. All functions may be
// called from any thread.
#pragma once

#include "runtime/data/handle.h"

namespace tasklens::runtime {

// Tells the communication library that the program has given the handle up. REQUIRES: no lock is
// held.
void TellCommunication(Handle* handle);
inline void GivenUp(Handle* handle) {
  if (CommunicationOf(handle).load(std::memory_order_relaxed)) TellCommunication(handle);
}

// Drops a use; may free the handle.
void LetGo(Handle* handle);

// Drops the program's use of the handle and of its planned parts once the ordered tasks on them
// that were submitted so far have ended.
void LetGoLater(Handle* handle);

// Waits until the handle has no users but the program and `more` others. REQUIRES: the caller is
// not inside a task.
void WaitForOtherUsers(const Handle* handle, int more = 0);

}  // namespace tasklens::runtime
