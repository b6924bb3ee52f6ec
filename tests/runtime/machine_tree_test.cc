// SPDX-License-Identifier: Apache-2.0
// The machine as a tree, and workers in its order.
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

// A machine of two packages with two units each, numbered 0 to 3.
struct Machine {
  starpu_tree root{};
  Machine() {
    starpu_tree_insert(&root, 0, 0, 0, 2, nullptr);
    starpu_tree_prepare_children(2, &root);
    for (int package = 0; package < 2; ++package) {
      starpu_tree* node = &root.nodes[package];
      starpu_tree_insert(node, package, 1, 0, 2, &root);
      starpu_tree_prepare_children(2, node);
      for (int unit = 0; unit < 2; ++unit) {
        starpu_tree_insert(&node->nodes[unit], package * 2 + unit, 2, 1, 0, node);
      }
    }
  }
  ~Machine() { starpu_tree_free(&root); }
};

TEST(MachineTree, GivesTheNearestUnitFirst) {
  Machine machine;
  starpu_tree* unit = starpu_tree_get(&machine.root, 2);
  ASSERT_NE(nullptr, unit);
  EXPECT_EQ(1, unit->father->id);
  EXPECT_EQ(nullptr, starpu_tree_get(&machine.root, 4));
  char visited[4] = {0, 0, 1, 0}, present[4] = {1, 0, 1, 1};
  std::vector<int> order;
  while (starpu_tree* next = starpu_tree_get_neighbour(&machine.root, unit, visited, present)) {
    order.push_back(next->id);
    visited[next->id] = 1;
  }
  EXPECT_EQ((std::vector<int>{3, 0}), order)
      << "of its own package, then of the other; 1 is absent";
  starpu_tree_reset_visited(&machine.root, visited);
  for (const char was : visited) EXPECT_EQ(0, was);
}

TEST(MachineTree, HasEveryUnitOfThisMachine) {
  Started started(1);
  starpu_tree* tree = starpu_workers_get_tree();
  ASSERT_NE(nullptr, tree);
  EXPECT_EQ(tree, starpu_workers_get_tree());
  EXPECT_NE(nullptr, starpu_tree_get(tree, 0));
}

TEST(WorkerTree, IsWalkedAndShrinksLikeTheList) {
  Started started(3);
  starpu_worker_collection workers = starpu_worker_tree;
  EXPECT_EQ(STARPU_WORKER_TREE, workers.type);
  workers.init(&workers);
  for (const int id : {2, 0, 1}) EXPECT_EQ(id, workers.add(&workers, id));
  EXPECT_EQ(-1, workers.add(&workers, 1));
  starpu_sched_ctx_iterator it;
  workers.init_iterator(&workers, &it);
  std::vector<bool> seen(3);
  while (workers.has_next(&workers, &it))
    seen[static_cast<size_t>(workers.get_next(&workers, &it))] = true;
  EXPECT_EQ(std::vector<bool>(3, true), seen);
  EXPECT_EQ(0, workers.remove(&workers, 0));
  EXPECT_EQ(2u, workers.nworkers);
  workers.deinit(&workers);
}

}  // namespace
}  // namespace tasklens
