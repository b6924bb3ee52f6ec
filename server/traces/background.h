// SPDX-License-Identifier: Apache-2.0
// Threads whose work nobody waits for.
#pragma once

namespace tasklens {

// From now on the calling thread leaves the processors to those that somebody waits for. There is
// no way back.
void StayInBackground();

}  // namespace tasklens
