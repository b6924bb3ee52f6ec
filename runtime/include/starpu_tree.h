/* SPDX-License-Identifier: Apache-2.0
 * The machine as a tree: its packages, caches and cores, with processing units as leaves. */
#ifndef __STARPU_TREE_H__
#define __STARPU_TREE_H__

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_tree {
  struct starpu_tree* nodes; /* the children, of which there are `arity` */
  struct starpu_tree* father;
  int arity;
  int id; /* number among those of its kind, as hwloc's logical index */
  int level;
  int is_pu;
};

/* Makes room for `arity` children. */
void starpu_tree_prepare_children(unsigned arity, struct starpu_tree* father);
/* Fills a node. */
void starpu_tree_insert(struct starpu_tree* tree, int id, int level, int is_pu, int arity,
                        struct starpu_tree* father);
/* The processing unit of that id, or NULL. */
struct starpu_tree* starpu_tree_get(struct starpu_tree* tree, int id);
/* The processing unit nearest to `node` for which present[id] is set and visited[id] is not, or
 * NULL: first within `node`, then around it. */
struct starpu_tree* starpu_tree_get_neighbour(struct starpu_tree* tree, struct starpu_tree* node,
                                              char* visited, char* present);
/* Clears visited[id] of all processing units. */
void starpu_tree_reset_visited(struct starpu_tree* tree, char* visited);
/* Frees the children; the root is the caller's. */
void starpu_tree_free(struct starpu_tree* tree);

#ifdef __cplusplus
}
#endif

#endif
