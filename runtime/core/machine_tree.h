// SPDX-License-Identifier: Apache-2.0
// The machine as a tree for programs (starpu_tree.h), made when one asks.
#pragma once

#include <hwloc.h>
#include <starpu_tree.h>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

class MachineTree {
 public:
  MachineTree() = default;
  ~MachineTree();
  MachineTree(const MachineTree&) = delete;
  MachineTree& operator=(const MachineTree&) = delete;

  starpu_tree* Get(hwloc_topology_t topology);

 private:
  Mutex lock_;
  bool made_ GUARDED_BY(lock_) = false;
  starpu_tree root_ GUARDED_BY(lock_){};
};

}  // namespace tasklens::runtime
