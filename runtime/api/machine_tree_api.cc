// SPDX-License-Identifier: Apache-2.0
// starpu_tree_*: the machine's topology as a tree.
#include <starpu.h>

#include "runtime/core/machine_tree.h"
#include "runtime/core/runtime.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_tree_prepare_children(unsigned arity, starpu_tree* father) { GrowTree(arity, father); }
void starpu_tree_insert(starpu_tree* tree, int id, int level, int is_pu, int arity,
                        starpu_tree* father) {
  SetTreeNode(tree, id, level, is_pu, arity, father);
}
starpu_tree* starpu_tree_get(starpu_tree* tree, int id) { return FindUnit(tree, id); }
starpu_tree* starpu_tree_get_neighbour(starpu_tree*, starpu_tree* node, char* visited,
                                       char* present) {
  return FindNearestUnit(node, visited, present);
}
void starpu_tree_reset_visited(starpu_tree* tree, char* visited) {
  ForEachUnit(tree, [visited](starpu_tree* unit) { visited[unit->id] = 0; });
}
void starpu_tree_free(starpu_tree* tree) { FreeTree(tree); }

starpu_tree* starpu_workers_get_tree(void) {
  Runtime& runtime = Runtime::Get(__func__);
  return runtime.machine_tree().Get(runtime.topology().hwloc());
}

}  // extern "C"
