/* SPDX-License-Identifier: Apache-2.0
 * Load balancing between processes: while tasks are submitted, data move from a loaded rank to a
 * less loaded neighbour, and tasks that write them follow.
 *
 * Policy "heat": each time the number of a task (STARPU_TAG_ONLY or STARPU_TAG, else the number of
 * tasks submitted before it) passes a multiple of LB_HEAT_SLEEP_THRESHOLD (2000), all ranks wait
 * until LB_HEAT_WAKEUP_RATIO (0.5) of their own tasks have ended, and compare how long that took. A
 * rank that took LB_HEAT_TIME_THRESHOLD (2000) microseconds more than the fastest of its neighbours
 * gives it data. All ranks have to insert all tasks (starpu_mpi_task_insert()), from the program's
 * own thread, and to have registered all data that move, in MPI_COMM_WORLD. */
#ifndef __STARPU_MPI_LOAD_BALANCER_H__
#define __STARPU_MPI_LOAD_BALANCER_H__

#include <starpu.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_mpi_lb_conf {
  /* Both are called in the thread that submits tasks, and return arrays from malloc(), which the
   * library frees. get_data_unit_to_migrate() returns data of this rank that move to dst_node
   * together; *nhandles 0: none. */
  void (*get_neighbors)(int** neighbor_ids, int* nneighbors);
  void (*get_data_unit_to_migrate)(starpu_data_handle_t** handle_unit, int* nhandles, int dst_node);
};
/* Called by all ranks, after starpu_mpi_init*(). STARPU_MPI_LB, if set, overrides the name.
 * Prints a warning, and moves nothing, if there is no such policy or the configuration is
 * incomplete. */
void starpu_mpi_lb_init(const char* lb_policy_name, struct starpu_mpi_lb_conf* conf);
/* Called by all ranks, before the data are unregistered: moves the data back to their first
 * owners. */
void starpu_mpi_lb_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
