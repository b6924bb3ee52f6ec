// SPDX-License-Identifier: Apache-2.0
// Worksharing constructs: a team's threads divide iterations and sections among themselves.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/openmp/waiter.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime::openmp {

// The shared state of one construct. Threads may be in different constructs if an earlier one has
// no barrier (nowait). Guarded by the region's lock.
struct Sharing {
  uint64_t next = 0;  // the first iteration not taken yet
  int left = 0;       // number of threads that have left the construct
  // In an ordered loop: all ordered parts below this iteration are over.
  uint64_t ordered = 0;
  std::map<uint64_t, uint64_t> passed;  // chunks that ended out of turn: begin to end
  std::map<uint64_t, Waiter*> waiting;  // by iteration to wait for
};
using Sharings = std::map<uint64_t, Sharing>;  // by number of the construct within the region

// The position of one thread.
struct Share {
  uint64_t sharings = 0, singles = 0;  // constructs encountered so far
  bool has_single = false;             // this thread ran the latest copyprivate single
  // The current loop.
  Sharing* sharing = nullptr;  // nullptr: no shared state (static and not ordered)
  bool is_ordered = false;
  uint64_t first = 0, count = 0;  // the current chunk
  uint64_t ordered_calls = 0;     // in the current chunk
};

}  // namespace tasklens::runtime::openmp
