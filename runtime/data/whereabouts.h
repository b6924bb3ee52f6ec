// SPDX-License-Identifier: Apache-2.0
// What a handle has on disks. See residency.h.
#pragma once

#include <list>
#include <vector>

#include "runtime/core/job.h"

namespace tasklens::runtime {

// Guarded by the lock of Residency.
struct Whereabouts {
  struct Copy {
    unsigned node;
    void* interface;  // of the disk's memory node, owned by the handle
    bool own;         // its object is the runtime's; else the program's
    bool valid;
  };
  std::vector<Copy> copies;
  std::list<Handle*>::iterator place;  // in the list of those in memory
  bool listed = false;
};

}  // namespace tasklens::runtime
