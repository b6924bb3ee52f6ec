// SPDX-License-Identifier: Apache-2.0
// The machine as a tree, from hwloc.
#include "runtime/core/machine_tree.h"

#include <hwloc.h>
#include <starpu.h>

#include <cstdlib>
#include <functional>

#include "runtime/core/runtime.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

namespace {

void ForEachUnit(starpu_tree* tree, const std::function<void(starpu_tree*)>& function) {
  if (tree->is_pu) function(tree);
  for (int i = 0; i < tree->arity; ++i) ForEachUnit(&tree->nodes[i], function);
}

void Fill(starpu_tree* tree, hwloc_obj_t object, int level, starpu_tree* father) {
  const bool is_unit = object->type == HWLOC_OBJ_PU;
  starpu_tree_insert(tree, static_cast<int>(object->logical_index), level, is_unit,
                     static_cast<int>(object->arity), father);
  if (object->arity) starpu_tree_prepare_children(object->arity, tree);
  for (unsigned i = 0; i < object->arity; ++i) {
    Fill(&tree->nodes[i], object->children[i], level + 1, tree);
  }
}

}  // namespace

MachineTree::~MachineTree() { starpu_tree_free(&root_); }

starpu_tree* MachineTree::Get(hwloc_topology_t topology) {
  MutexLock guard(lock_);
  if (!made_ && topology) Fill(&root_, hwloc_get_root_obj(topology), 0, nullptr);
  made_ = true;
  return &root_;
}

}  // namespace tasklens::runtime

using tasklens::runtime::ForEachUnit;

extern "C" {

void starpu_tree_prepare_children(unsigned arity, starpu_tree* father) {
  father->nodes = static_cast<starpu_tree*>(calloc(arity, sizeof(starpu_tree)));
  if (!father->nodes) tasklens::runtime::Fatal("no memory for a tree of the machine");
  father->arity = static_cast<int>(arity);
}

void starpu_tree_insert(starpu_tree* tree, int id, int level, int is_pu, int arity,
                        starpu_tree* father) {
  *tree = {.nodes = tree->nodes,
           .father = father,
           .arity = arity,
           .id = id,
           .level = level,
           .is_pu = is_pu};
}

starpu_tree* starpu_tree_get(starpu_tree* tree, int id) {
  starpu_tree* found = nullptr;
  ForEachUnit(tree, [&](starpu_tree* unit) {
    if (unit->id == id) found = unit;
  });
  return found;
}

starpu_tree* starpu_tree_get_neighbour(starpu_tree*, starpu_tree* node, char* visited,
                                       char* present) {
  for (; node; node = node->father) {
    starpu_tree* found = nullptr;
    ForEachUnit(node, [&](starpu_tree* unit) {
      if (!found && present[unit->id] && !visited[unit->id]) found = unit;
    });
    if (found) return found;
  }
  return nullptr;
}

void starpu_tree_reset_visited(starpu_tree* tree, char* visited) {
  ForEachUnit(tree, [visited](starpu_tree* unit) { visited[unit->id] = 0; });
}

void starpu_tree_free(starpu_tree* tree) {
  for (int i = 0; tree->nodes && i < tree->arity; ++i) starpu_tree_free(&tree->nodes[i]);
  free(tree->nodes);
  tree->nodes = nullptr;
  tree->arity = 0;
}

starpu_tree* starpu_workers_get_tree(void) {
  auto& runtime = tasklens::runtime::Runtime::Get("starpu_workers_get_tree");
  return runtime.machine_tree().Get(runtime.topology().hwloc());
}

}  // extern "C"
