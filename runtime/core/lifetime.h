// SPDX-License-Identifier: Apache-2.0
// Who keeps a handle alive.
//
// Each of these has one of its `users`: the program that registered it; each part that was made of
// it; each job that names it without order (scratch, or sequential consistency off), from its
// submission to the release of its data; each acquisition that is in no order; each job of the
// runtime's own that does something with it (SubmitControl()). The last one that leaves frees the
// handle. Jobs that are ordered need none, because the program's own use is taken away in that
// order, after all of them. Any thread.
#pragma once

#include "runtime/data/handle.h"

namespace tasklens::runtime {

// The program has given the handle up: a library of communications forgets it. No locks are held.
void TellCommunication(Handle* handle);
inline void GivenUp(Handle* handle) {
  if (CommunicationOf(handle).load(std::memory_order_relaxed)) TellCommunication(handle);
}

// Ends a use; the handle may be gone afterwards.
void LetGo(Handle* handle);

// Ends the program's use of the handle and of its planned parts, when the tasks submitted so far
// that are ordered on them have ended.
void LetGoLater(Handle* handle);

// Waits until nobody uses the handle but the program, and `more` others. Not from inside a task.
void WaitForOtherUsers(const Handle* handle, int more = 0);

}  // namespace tasklens::runtime
