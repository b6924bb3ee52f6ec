// SPDX-License-Identifier: Apache-2.0
// The machine's topology as a tree for programs (starpu_tree.h), built on first use. The functions
// also serve trees that the program builds.
#pragma once

#include <hwloc.h>
#include <starpu_tree.h>

#include <functional>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

// Gives `father` `arity` children, zero-initialised.
void GrowTree(unsigned arity, starpu_tree* father);
// Fills a node and keeps its children. `is_unit`: the node is a processing unit.
void SetTreeNode(starpu_tree* node, int id, int level, int is_unit, int arity, starpu_tree* father);
// Frees the nodes below `tree`, which stays as a node without children.
void FreeTree(starpu_tree* tree);

// Calls function(unit) for the processing units, from the first to the last.
void ForEachUnit(starpu_tree* tree, const std::function<void(starpu_tree*)>& function);
// Returns the processing unit with that id, or nullptr.
starpu_tree* FindUnit(starpu_tree* tree, int id);
// Returns the unit nearest to `node` that is `present` and not `visited` (arrays indexed by unit
// id), or nullptr.
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
