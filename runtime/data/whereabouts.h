// SPDX-License-Identifier: Apache-2.0
// What a handle has on devices and disks. See residency.h.
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
    void* interface;  // of the memory node, owned by the handle
    bool own;         // its memory or object is the runtime's; else the program's
    bool valid;
    // On devices:
    uint32_t pins = 0;                        // who uses it there
    Arrival arrives = 0;                      // of what was sent here last
    Arrival leaves = 0;                       // and from here
    std::list<Handle*>::iterator place = {};  // in the list of those that are there
  };
  std::vector<Copy> copies;
  std::list<Handle*>::iterator place;  // in the list of those in the main memory
  bool listed = false;
  bool under_way = false;  // a disk reads or writes it beside us
  // Who has claimed it, and how many times over; nullptr: nobody.
  const ThreadState* claimed_by = nullptr;
  uint32_t claims = 0;
};

}  // namespace tasklens::runtime
