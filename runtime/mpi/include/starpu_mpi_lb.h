/* SPDX-License-Identifier: Apache-2.0
 * Load balancing between processes: accepted, and not done. Data stay with the owners that the
 * program gives them (starpu_mpi_data_migrate()). */
#ifndef __STARPU_MPI_LOAD_BALANCER_H__
#define __STARPU_MPI_LOAD_BALANCER_H__

#include <starpu.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_mpi_lb_conf {
  void (*get_neighbors)(int** neighbor_ids, int* nneighbors);
  void (*get_data_unit_to_migrate)(starpu_data_handle_t** handle_unit, int* nhandles, int dst_node);
};
/* Says in a line that nothing is balanced, when a policy is asked for (by name, or by
 * STARPU_MPI_LB). */
void starpu_mpi_lb_init(const char* lb_policy_name, struct starpu_mpi_lb_conf* conf);
void starpu_mpi_lb_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif
