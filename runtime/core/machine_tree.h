// SPDX-License-Identifier: Apache-2.0
// The machine as a tree for programs (starpu_tree.h), made when one asks. A program may make trees
// of its own.
#pragma once

#include <hwloc.h>
#include <starpu_tree.h>

#include <functional>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

// Gives `father` so many children, all zeros.
void GrowTree(unsigned arity, starpu_tree* father);
// Fills a node, which keeps its children. `is_unit`: it is one processing unit.
void SetTreeNode(starpu_tree* node, int id, int level, int is_unit, int arity, starpu_tree* father);
// The nodes below `tree`, which stays as one without children.
void FreeTree(starpu_tree* tree);

// Calls function(unit) for the processing units, from the first to the last.
void ForEachUnit(starpu_tree* tree, const std::function<void(starpu_tree*)>& function);
// The unit of that number; nullptr: there is none.
starpu_tree* FindUnit(starpu_tree* tree, int id);
// The present unit nearest to `node` that was not visited; both by its number. nullptr: there is
// none.
starpu_tree* FindNearestUnit(starpu_tree* node, const char* visited, const char* present);

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
