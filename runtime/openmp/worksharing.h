// SPDX-License-Identifier: Apache-2.0
// What the threads of a team share out among themselves: iterations and sections.
#pragma once

#include <cstdint>
#include <map>

#include "runtime/openmp/waiter.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime::openmp {

// One such construct, as all threads see it. Threads may be at different ones, if the earlier ends
// without a barrier. Guarded by the region's lock.
struct Sharing {
  uint64_t next = 0;  // the first iteration that nobody has
  int left = 0;       // threads that are through with it
  // Of an ordered loop: all ordered parts below this iteration are over.
  uint64_t ordered = 0;
  std::map<uint64_t, uint64_t> passed;  // chunks that ended before their turn: begin, end
  std::map<uint64_t, Waiter*> waiting;  // by the iteration that they wait for
};
using Sharings = std::map<uint64_t, Sharing>;  // by number within the region

// Where one thread is.
struct Share {
  uint64_t sharings = 0, singles = 0;  // that it has come to
  bool has_single = false;             // of a copyprivate one: it ran it
  // Of the loop that it is in.
  Sharing* sharing = nullptr;  // nullptr: nothing is to be shared (static, and not ordered)
  bool is_ordered = false;
  uint64_t first = 0, count = 0;  // the chunk that it has
  uint64_t ordered_calls = 0;     // within the chunk
};

}  // namespace tasklens::runtime::openmp
