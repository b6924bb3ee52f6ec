// SPDX-License-Identifier: Apache-2.0
// Threads for work that no request waits for.
#pragma once

namespace tasklens {

// Lowers the priority of the calling thread for good, so that it yields the processors to threads
// that serve requests.
void StayInBackground();

}  // namespace tasklens
