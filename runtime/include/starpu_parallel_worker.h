/* SPDX-License-Identifier: Apache-2.0
 * Parallel workers, which StarPU 1.3 called clusters: the CPU workers below each part of the
 * machine become groups, each a scheduling context of its own in which one task after the other has
 * all processors of the group. Tasks go to the context around them; those that are
 * possibly_parallel go on to the groups in turn. */
#ifndef __STARPU_PARALLEL_WORKERS_UTIL_H__
#define __STARPU_PARALLEL_WORKERS_UTIL_H__

#include <hwloc.h>
#include <starpu_config.h>
#include <starpu_data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments of starpu_parallel_worker_init(), each followed by its value; 0 ends them. What stands
 * before PARTITION_ONE and NEW holds for all groups, after PARTITION_ONE for those of one part of
 * the machine (the first, then the next), after NEW for one group. */
/* How many groups a part of the machine becomes (int): so many; or as many between MIN_NB and
 * MAX_NB as PREFERE_MIN (int: from below instead of from above) and KEEP_HOMOGENEOUS (int: so that
 * they are alike) choose. One, where nothing is said. */
#define STARPU_PARALLEL_WORKER_MIN_NB (1 << STARPU_MODE_SHIFT)
#define STARPU_PARALLEL_WORKER_MAX_NB (2 << STARPU_MODE_SHIFT)
#define STARPU_PARALLEL_WORKER_NB (3 << STARPU_MODE_SHIFT)
#define STARPU_PARALLEL_WORKER_PREFERE_MIN (4 << STARPU_MODE_SHIFT)
#define STARPU_PARALLEL_WORKER_KEEP_HOMOGENEOUS (5 << STARPU_MODE_SHIFT)
/* Of the context around them: const char *, or struct starpu_sched_policy *; else that of
 * context 0. */
#define STARPU_PARALLEL_WORKER_POLICY_NAME (6 << STARPU_MODE_SHIFT)
#define STARPU_PARALLEL_WORKER_POLICY_STRUCT (7 << STARPU_MODE_SHIFT)
/* void (*)(void *) and its argument: called once by the first worker of each group in the place of
 * what TYPE (enum starpu_parallel_worker_types) says. */
#define STARPU_PARALLEL_WORKER_CREATE_FUNC (8 << STARPU_MODE_SHIFT)
#define STARPU_PARALLEL_WORKER_CREATE_FUNC_ARG (9 << STARPU_MODE_SHIFT)
#define STARPU_PARALLEL_WORKER_TYPE (10 << STARPU_MODE_SHIFT)
/* unsigned: the workers of a group run each of its tasks together (STARPU_SCHED_CTX_AWAKE_WORKERS)
 * instead of leaving their processors to the first of them. */
#define STARPU_PARALLEL_WORKER_AWAKE_WORKERS (11 << STARPU_MODE_SHIFT)
#define STARPU_PARALLEL_WORKER_PARTITION_ONE (12 << STARPU_MODE_SHIFT) /* nothing */
#define STARPU_PARALLEL_WORKER_NEW (13 << STARPU_MODE_SHIFT)           /* nothing: one more group */
#define STARPU_PARALLEL_WORKER_NCORES (14 << STARPU_MODE_SHIFT)        /* unsigned: its workers */

enum starpu_parallel_worker_types {
  STARPU_PARALLEL_WORKER_OPENMP,
  STARPU_PARALLEL_WORKER_INTEL_OPENMP_MKL,
  STARPU_PARALLEL_WORKER_GNU_OPENMP_MKL
};

struct starpu_parallel_worker_config;

/* The groups below each hwloc object of that type (HWLOC_OBJ_SOCKET, _NUMANODE, _L3CACHE,
 * _CORE...). The calling thread's tasks go to them from now on. NULL with a line where there are no
 * CPU workers, no such objects, too many contexts, or an argument is none of the above. */
struct starpu_parallel_worker_config* starpu_parallel_worker_init(
    hwloc_obj_type_t parallel_worker_level, ...);
/* Waits for their tasks. The calling thread's go to context 0 again. 0; -1 for NULL. */
int starpu_parallel_worker_shutdown(struct starpu_parallel_worker_config* parallel_workers);
/* The workers of each group, on standard output. 0; -1 for NULL. */
int starpu_parallel_worker_print(struct starpu_parallel_worker_config* parallel_workers);

/* As prologue_callback_pop_func of a task: parallel regions of OpenMP in its function have as many
 * threads as the group has workers, bound as those are; one, where the task is not
 * possibly_parallel. Of whatever OpenMP the program has; nothing, where it has none. */
void starpu_parallel_worker_openmp_prologue(void* arg);
#define starpu_parallel_worker_intel_openmp_mkl_prologue starpu_parallel_worker_openmp_prologue

/* The names of 1.3. */
#define STARPU_CLUSTER_MIN_NB STARPU_PARALLEL_WORKER_MIN_NB
#define STARPU_CLUSTER_MAX_NB STARPU_PARALLEL_WORKER_MAX_NB
#define STARPU_CLUSTER_NB STARPU_PARALLEL_WORKER_NB
#define STARPU_CLUSTER_PREFERE_MIN STARPU_PARALLEL_WORKER_PREFERE_MIN
#define STARPU_CLUSTER_KEEP_HOMOGENEOUS STARPU_PARALLEL_WORKER_KEEP_HOMOGENEOUS
#define STARPU_CLUSTER_POLICY_NAME STARPU_PARALLEL_WORKER_POLICY_NAME
#define STARPU_CLUSTER_POLICY_STRUCT STARPU_PARALLEL_WORKER_POLICY_STRUCT
#define STARPU_CLUSTER_CREATE_FUNC STARPU_PARALLEL_WORKER_CREATE_FUNC
#define STARPU_CLUSTER_CREATE_FUNC_ARG STARPU_PARALLEL_WORKER_CREATE_FUNC_ARG
#define STARPU_CLUSTER_TYPE STARPU_PARALLEL_WORKER_TYPE
#define STARPU_CLUSTER_AWAKE_WORKERS STARPU_PARALLEL_WORKER_AWAKE_WORKERS
#define STARPU_CLUSTER_PARTITION_ONE STARPU_PARALLEL_WORKER_PARTITION_ONE
#define STARPU_CLUSTER_NEW STARPU_PARALLEL_WORKER_NEW
#define STARPU_CLUSTER_NCORES STARPU_PARALLEL_WORKER_NCORES
enum starpu_cluster_types {
  STARPU_CLUSTER_OPENMP,
  STARPU_CLUSTER_INTEL_OPENMP_MKL,
  STARPU_CLUSTER_GNU_OPENMP_MKL
};
struct starpu_cluster_machine;
struct starpu_cluster_machine* starpu_cluster_machine(hwloc_obj_type_t cluster_level, ...);
int starpu_uncluster_machine(struct starpu_cluster_machine* clusters);
int starpu_cluster_print(struct starpu_cluster_machine* clusters);
#define starpu_openmp_prologue starpu_parallel_worker_openmp_prologue
#define starpu_intel_openmp_mkl_prologue starpu_parallel_worker_openmp_prologue

#ifdef __cplusplus
}
#endif

#endif
