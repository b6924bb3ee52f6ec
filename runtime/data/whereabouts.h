// SPDX-License-Identifier: Apache-2.0
// The copies of a handle on devices and disks. See residency.h.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "runtime/data/carrier.h"
#include "runtime/jobs/job.h"

namespace tasklens::runtime {

struct ThreadState;

// Guarded by the lock of Residency.
struct Whereabouts {
  struct Copy {
    unsigned node;
    void* interface;  // of the node, owned by the handle
    bool own;  // true: the runtime allocated its memory (or disk object); false: the program did
    bool valid;
    // Devices only:
    uint32_t pins = 0;                        // number of users of this copy
    Arrival arrives = 0;                      // of the last transfer to this copy
    Arrival leaves = 0;                       // of the last transfer from this copy
    std::list<Handle*>::iterator place = {};  // in DeviceMemory::resident
  };
  std::vector<Copy> copies;
  std::list<Handle*>::iterator place;  // in the list of handles in the main memory
  bool listed = false;
  bool under_way = false;  // a transfer is in progress (Residency::transfers_)
  // The thread that has claimed the handle (nullptr: none), and how many times.
  const ThreadState* claimed_by = nullptr;
  uint32_t claims = 0;
};

}  // namespace tasklens::runtime
