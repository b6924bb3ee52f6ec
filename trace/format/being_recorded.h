// SPDX-License-Identifier: Apache-2.0
// Whether a process records into a trace file at the moment.
#pragma once

#include <string>

namespace tasklens::tlt {

// Returns whether a process holds the lock that a recorder keeps on its file. False also where the
// file system has no locks.
bool IsBeingRecorded(const std::string& path);

}  // namespace tasklens::tlt
