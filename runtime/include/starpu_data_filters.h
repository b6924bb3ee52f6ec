/* SPDX-License-Identifier: Apache-2.0
 * Cutting a handle into parts that tasks access on their own. */
#ifndef __STARPU_DATA_FILTERS_H__
#define __STARPU_DATA_FILTERS_H__

#include <starpu_data.h>
#include <starpu_data_interfaces.h>
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_data_filter {
  /* Fills child_interface, part `id` of `nparts` of father_interface. */
  void (*filter_func)(void* father_interface, void* child_interface, struct starpu_data_filter* f,
                      unsigned id, unsigned nparts);
  unsigned nchildren;
  /* Both may be NULL: nchildren parts of the father's own kind. */
  unsigned (*get_nchildren)(struct starpu_data_filter* f, starpu_data_handle_t initial_handle);
  struct starpu_data_interface_ops* (*get_child_ops)(struct starpu_data_filter* f, unsigned id);
  unsigned filter_arg;
  void* filter_arg_ptr;
};

/* Waits for the tasks that use the handle, then cuts it. Until starpu_data_unpartition only the
 * parts may be used. */
void starpu_data_partition(starpu_data_handle_t initial_handle, struct starpu_data_filter* f);
/* Waits for the tasks that use the parts, recursively, then frees the parts. */
void starpu_data_unpartition(starpu_data_handle_t root_data, unsigned gathering_node);
starpu_data_handle_t starpu_data_get_child(starpu_data_handle_t handle, unsigned i);
int starpu_data_get_nb_children(starpu_data_handle_t handle);
/* `depth` indices, one a level. */
starpu_data_handle_t starpu_data_get_sub_data(starpu_data_handle_t root_data, unsigned depth, ...);
starpu_data_handle_t starpu_data_vget_sub_data(starpu_data_handle_t root_data, unsigned depth,
                                               va_list pa);
/* Cuts by the first filter, each part by the second, and so on. */
void starpu_data_map_filters(starpu_data_handle_t root_data, unsigned nfilters, ...);
void starpu_data_vmap_filters(starpu_data_handle_t root_data, unsigned nfilters, va_list pa);
void starpu_data_map_filters_parray(starpu_data_handle_t root_handle, int nfilters,
                                    struct starpu_data_filter** filters);
void starpu_data_map_filters_array(starpu_data_handle_t root_handle, int nfilters,
                                   struct starpu_data_filter* filters);

/* Asynchronous partitioning: plan once, then submit the switches between the whole and its parts
 * like tasks. A handle may have several plans. Tasks that use the whole or a part submit the
 * switches that they need themselves, but after starpu_data_partition_not_automatic().
 * starpu_data_partition_submit(): the parts may be used, nothing else. _readonly_submit: the whole
 * and the parts may be read, those of other such plans as well. _readwrite_upgrade_submit: from
 * the second to the first; _readonly_downgrade_submit and
 * starpu_data_unpartition_readonly_submit(): from the first to the second;
 * starpu_data_unpartition_submit(): the end of either. Where `sequential_consistency` is 0, the
 * switch does not wait for the tasks on the whole. _get_nplans: those that were not cleaned. */
int starpu_data_partition_get_nplans(starpu_data_handle_t initial_handle);
void starpu_data_partition_plan(starpu_data_handle_t initial_handle, struct starpu_data_filter* f,
                                starpu_data_handle_t* children);
void starpu_data_partition_submit(starpu_data_handle_t initial_handle, unsigned nparts,
                                  starpu_data_handle_t* children);
void starpu_data_partition_submit_sequential_consistency(starpu_data_handle_t initial_handle,
                                                         unsigned nparts,
                                                         starpu_data_handle_t* children,
                                                         int sequential_consistency);
void starpu_data_partition_readonly_submit(starpu_data_handle_t initial_handle, unsigned nparts,
                                           starpu_data_handle_t* children);
void starpu_data_partition_readonly_submit_sequential_consistency(
    starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t* children,
    int sequential_consistency);
void starpu_data_partition_readwrite_upgrade_submit(starpu_data_handle_t initial_handle,
                                                    unsigned nparts,
                                                    starpu_data_handle_t* children);
void starpu_data_partition_readonly_downgrade_submit(starpu_data_handle_t initial_handle,
                                                     unsigned nparts,
                                                     starpu_data_handle_t* children);
void starpu_data_unpartition_submit(starpu_data_handle_t initial_handle, unsigned nparts,
                                    starpu_data_handle_t* children, int gathering_node);
void starpu_data_unpartition_submit_sequential_consistency(starpu_data_handle_t initial_handle,
                                                           unsigned nparts,
                                                           starpu_data_handle_t* children,
                                                           int gathering_node,
                                                           int sequential_consistency);
/* `callback_func` when the parts are the whole again. */
void starpu_data_unpartition_submit_sequential_consistency_cb(
    starpu_data_handle_t initial_handle, unsigned nparts, starpu_data_handle_t* children,
    int gathering_node, int sequential_consistency, void (*callback_func)(void*),
    void* callback_arg);
/* Whatever is switched on, and below the parts as well. */
void starpu_data_unpartition_submit_r(starpu_data_handle_t initial_handle, int gathering_node);
void starpu_data_unpartition_readonly_submit(starpu_data_handle_t initial_handle, unsigned nparts,
                                             starpu_data_handle_t* children, int gathering_node);
void starpu_data_partition_not_automatic(starpu_data_handle_t initial_handle);
void starpu_data_partition_clean(starpu_data_handle_t root_data, unsigned nparts,
                                 starpu_data_handle_t* children);
void starpu_data_partition_clean_node(starpu_data_handle_t root_data, unsigned nparts,
                                      starpu_data_handle_t* children, int gather_node);

#define _STARPU_FILTER(name)                                                             \
  void name(void* father_interface, void* child_interface, struct starpu_data_filter* f, \
            unsigned id, unsigned nparts)
/* Vector: nparts pieces; `shadow` ones overlap by filter_arg_ptr elements on each side; lists give
 * each piece's length as long or uint32_t in filter_arg_ptr; in two at filter_arg. */
_STARPU_FILTER(starpu_vector_filter_block);
_STARPU_FILTER(starpu_vector_filter_block_shadow);
_STARPU_FILTER(starpu_vector_filter_list_long);
_STARPU_FILTER(starpu_vector_filter_list);
_STARPU_FILTER(starpu_vector_filter_divide_in_2);
/* One element as a variable: number filter_arg_ptr + id. */
_STARPU_FILTER(starpu_vector_filter_pick_variable);
struct starpu_data_interface_ops* starpu_vector_filter_pick_variable_child_ops(
    struct starpu_data_filter* f, unsigned id);
/* Matrix: along x (block) or y (vertical). */
_STARPU_FILTER(starpu_matrix_filter_block);
_STARPU_FILTER(starpu_matrix_filter_block_shadow);
_STARPU_FILTER(starpu_matrix_filter_vertical_block);
_STARPU_FILTER(starpu_matrix_filter_vertical_block_shadow);
/* One row along x as a vector: number filter_arg_ptr + id of y. */
_STARPU_FILTER(starpu_matrix_filter_pick_vector_y);
struct starpu_data_interface_ops* starpu_matrix_filter_pick_vector_child_ops(
    struct starpu_data_filter* f, unsigned id);
/* Block: along x (block), y (vertical) or z (depth). */
_STARPU_FILTER(starpu_block_filter_block);
_STARPU_FILTER(starpu_block_filter_block_shadow);
_STARPU_FILTER(starpu_block_filter_vertical_block);
_STARPU_FILTER(starpu_block_filter_vertical_block_shadow);
_STARPU_FILTER(starpu_block_filter_depth_block);
_STARPU_FILTER(starpu_block_filter_depth_block_shadow);
/* One plane as a matrix: number filter_arg_ptr + id of z or y. */
_STARPU_FILTER(starpu_block_filter_pick_matrix_z);
_STARPU_FILTER(starpu_block_filter_pick_matrix_y);
struct starpu_data_interface_ops* starpu_block_filter_pick_matrix_child_ops(
    struct starpu_data_filter* f, unsigned id);

/* One element as a variable, at the places that filter_arg_ptr points to: one uint32_t for each
 * dimension. */
_STARPU_FILTER(starpu_matrix_filter_pick_variable);
_STARPU_FILTER(starpu_block_filter_pick_variable);
_STARPU_FILTER(starpu_tensor_filter_pick_variable);
_STARPU_FILTER(starpu_ndim_filter_pick_variable);
/* Tensor: along x (block), y (vertical), z (depth) or t (time). */
_STARPU_FILTER(starpu_tensor_filter_block);
_STARPU_FILTER(starpu_tensor_filter_block_shadow);
_STARPU_FILTER(starpu_tensor_filter_vertical_block);
_STARPU_FILTER(starpu_tensor_filter_vertical_block_shadow);
_STARPU_FILTER(starpu_tensor_filter_depth_block);
_STARPU_FILTER(starpu_tensor_filter_depth_block_shadow);
_STARPU_FILTER(starpu_tensor_filter_time_block);
_STARPU_FILTER(starpu_tensor_filter_time_block_shadow);
/* One block: number filter_arg_ptr + id of t, z or y. */
_STARPU_FILTER(starpu_tensor_filter_pick_block_t);
_STARPU_FILTER(starpu_tensor_filter_pick_block_z);
_STARPU_FILTER(starpu_tensor_filter_pick_block_y);
/* ndim: along dimension filter_arg; shadow ones overlap by filter_arg_ptr elements on each side;
 * `to` ones give parts of a simpler kind, of an array that has its number of dimensions. */
_STARPU_FILTER(starpu_ndim_filter_block);
_STARPU_FILTER(starpu_ndim_filter_block_shadow);
_STARPU_FILTER(starpu_ndim_filter_to_tensor);
_STARPU_FILTER(starpu_ndim_filter_to_block);
_STARPU_FILTER(starpu_ndim_filter_to_matrix);
_STARPU_FILTER(starpu_ndim_filter_to_vector);
_STARPU_FILTER(starpu_ndim_filter_to_variable);
/* What lies at place filter_arg_ptr + id of dimension filter_arg: one dimension less. */
_STARPU_FILTER(starpu_ndim_filter_pick_ndim);
_STARPU_FILTER(starpu_ndim_filter_5d_pick_tensor);
_STARPU_FILTER(starpu_ndim_filter_4d_pick_block);
_STARPU_FILTER(starpu_ndim_filter_3d_pick_matrix);
_STARPU_FILTER(starpu_ndim_filter_2d_pick_vector);
_STARPU_FILTER(starpu_ndim_filter_1d_pick_variable);
#define _STARPU_CHILD_OPS(name) \
  struct starpu_data_interface_ops* name(struct starpu_data_filter* f, unsigned id)
_STARPU_CHILD_OPS(starpu_matrix_filter_pick_variable_child_ops);
_STARPU_CHILD_OPS(starpu_block_filter_pick_variable_child_ops);
_STARPU_CHILD_OPS(starpu_tensor_filter_pick_variable_child_ops);
_STARPU_CHILD_OPS(starpu_tensor_filter_pick_block_child_ops);
_STARPU_CHILD_OPS(starpu_ndim_filter_pick_variable_child_ops);
_STARPU_CHILD_OPS(starpu_ndim_filter_pick_vector_child_ops);
_STARPU_CHILD_OPS(starpu_ndim_filter_pick_matrix_child_ops);
_STARPU_CHILD_OPS(starpu_ndim_filter_pick_block_child_ops);
_STARPU_CHILD_OPS(starpu_ndim_filter_pick_tensor_child_ops);
_STARPU_CHILD_OPS(starpu_ndim_filter_to_tensor_child_ops);
_STARPU_CHILD_OPS(starpu_ndim_filter_to_block_child_ops);
_STARPU_CHILD_OPS(starpu_ndim_filter_to_matrix_child_ops);
_STARPU_CHILD_OPS(starpu_ndim_filter_to_vector_child_ops);
_STARPU_CHILD_OPS(starpu_ndim_filter_to_variable_child_ops);

/* Sparse matrices: rows in nparts pieces; or each block of a bcsr as a dense matrix, as many parts
 * as it has blocks. */
_STARPU_FILTER(starpu_csr_filter_vertical_block);
_STARPU_FILTER(starpu_bcsr_filter_vertical_block);
_STARPU_FILTER(starpu_bcsr_filter_canonical_block);
unsigned starpu_bcsr_filter_canonical_block_get_nchildren(struct starpu_data_filter* f,
                                                          starpu_data_handle_t handle);
struct starpu_data_interface_ops* starpu_bcsr_filter_canonical_block_child_ops(
    struct starpu_data_filter* f, unsigned child);

/* Size and byte offset of part `id` when n elements, `ld` apart, are cut into nparts. */
void starpu_filter_nparts_compute_chunk_size_and_offset(unsigned n, unsigned nparts,
                                                        size_t elemsize, unsigned id, unsigned ld,
                                                        unsigned* chunk_size, size_t* offset);

#ifdef __cplusplus
}
#endif

#endif
