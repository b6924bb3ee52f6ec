// SPDX-License-Identifier: Apache-2.0
// Builds the tree from hwloc's topology.
#include "runtime/core/machine_tree.h"

#include <hwloc.h>
#include <starpu.h>

#include <cstdlib>

#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

void Fill(starpu_tree* tree, hwloc_obj_t object, int level, starpu_tree* father) {
  const bool is_unit = object->type == HWLOC_OBJ_PU;
  SetTreeNode(tree, static_cast<int>(object->logical_index), level, is_unit,
              static_cast<int>(object->arity), father);
  if (object->arity) GrowTree(object->arity, tree);
  for (unsigned i = 0; i < object->arity; ++i) {
    Fill(&tree->nodes[i], object->children[i], level + 1, tree);
  }
}

}  // namespace

void GrowTree(unsigned arity, starpu_tree* father) {
  father->nodes = static_cast<starpu_tree*>(calloc(arity, sizeof(starpu_tree)));
  if (!father->nodes) Fatal("no memory for a tree of the machine");
  father->arity = static_cast<int>(arity);
}

void SetTreeNode(starpu_tree* node, int id, int level, int is_unit, int arity,
                 starpu_tree* father) {
  *node = {.nodes = node->nodes,
           .father = father,
           .arity = arity,
           .id = id,
           .level = level,
           .is_pu = is_unit};
}

void FreeTree(starpu_tree* tree) {
  for (int i = 0; tree->nodes && i < tree->arity; ++i) FreeTree(&tree->nodes[i]);
  free(tree->nodes);
  tree->nodes = nullptr;
  tree->arity = 0;
}

void ForEachUnit(starpu_tree* tree, const std::function<void(starpu_tree*)>& function) {
  if (tree->is_pu) function(tree);
  for (int i = 0; i < tree->arity; ++i) ForEachUnit(&tree->nodes[i], function);
}

starpu_tree* FindUnit(starpu_tree* tree, int id) {
  starpu_tree* found = nullptr;
  ForEachUnit(tree, [&](starpu_tree* unit) {
    if (unit->id == id) found = unit;
  });
  return found;
}

starpu_tree* FindNearestUnit(starpu_tree* node, const char* visited, const char* present) {
  for (; node; node = node->father) {
    starpu_tree* found = nullptr;
    ForEachUnit(node, [&](starpu_tree* unit) {
      if (!found && present[unit->id] && !visited[unit->id]) found = unit;
    });
    if (found) return found;
  }
  return nullptr;
}

MachineTree::~MachineTree() { FreeTree(&root_); }

starpu_tree* MachineTree::Get(hwloc_topology_t topology) {
  MutexLock guard(lock_);
  if (!made_ && topology) Fill(&root_, hwloc_get_root_obj(topology), 0, nullptr);
  made_ = true;
  return &root_;
}

}  // namespace tasklens::runtime
