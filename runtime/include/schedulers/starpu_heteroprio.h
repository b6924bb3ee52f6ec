/* SPDX-License-Identifier: Apache-2.0
 * The policy heteroprio: a task's priority is the number of its bucket, and each kind of worker
 * looks at the buckets in its own order.
 *
 * To be called in the sched_policy_callback of starpu_conf, which runs during starpu_init() with
 * STARPU_SCHED=heteroprio: first the number of priorities of a kind of worker, then a bucket for
 * each. A kind of worker of which nothing is said looks as the first one does of which something is
 * said, CPUs first. A task in a bucket into which no worker looks that can run it is taken last,
 * with a line. Wrong arguments abort with a line. */
#ifndef __STARPU_SCHEDULER_HETEROPRIO_H__
#define __STARPU_SCHEDULER_HETEROPRIO_H__

#include <starpu.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_HETEROPRIO_MAX_PRIO 100

/* StarPU 1.3's names for kinds of workers. */
#define starpu_heteroprio_types starpu_worker_archtype
#define STARPU_CPU_IDX STARPU_CPU_WORKER
#define STARPU_CUDA_IDX STARPU_CUDA_WORKER
#define STARPU_OPENCL_IDX STARPU_OPENCL_WORKER
#define STARPU_HIP_IDX STARPU_HIP_WORKER
#define STARPU_MPI_MS_IDX STARPU_MPI_MS_WORKER
#define STARPU_NB_TYPES STARPU_NARCH

void starpu_heteroprio_set_nb_prios(unsigned sched_ctx_id, enum starpu_worker_archtype arch,
                                    unsigned max_prio);
/* Of `arch`, priority source_prio (0 is looked at first) is bucket dest_bucket_id. */
void starpu_heteroprio_set_mapping(unsigned sched_ctx_id, enum starpu_worker_archtype arch,
                                   unsigned source_prio, unsigned dest_bucket_id);
/* Workers of a kind that is slower for a bucket leave its tasks to those of the faster kind that
 * can run them while there are fewer than slow_factor for each of these. Both have to be said. */
void starpu_heteroprio_set_faster_arch(unsigned sched_ctx_id, enum starpu_worker_archtype arch,
                                       unsigned bucket_id);
void starpu_heteroprio_set_arch_slow_factor(unsigned sched_ctx_id, enum starpu_worker_archtype arch,
                                            unsigned bucket_id, float slow_factor);

/* Locality (not 0; without a call: STARPU_HETEROPRIO_USE_LA), before the first task: a task waits
 * in the part of its bucket that is for the workers of one memory node, their group: of those that
 * may take it, the one that suits its data. A worker looks at the priorities in blocks of
 * STARPU_LAHETEROPRIO_PRIO_STEP_CPU (1), _CUDA (all of its priorities): in each for what is for its
 * own group, then for what is for the STARPU_LAHETEROPRIO_S_CPU (all), _CUDA (1) groups that are
 * the nearest by the time of a transfer; last for what is for the others. */
/* STARPU_LAHETEROPRIO_PUSH: what suits. WORKER: the group of the worker that the task became ready
 * on. LcS: that to which its data take the shortest time. Those to which the fewest bytes have to
 * go: LS_SDH; LS_SDH2, the square of the bytes that it writes; LS_SDHB, a thousand times those, and
 * of equals that with the fewest pieces; LC_SMWB, up to twice those, the more it reads besides.
 * AUTO, the default: of these four that whose choices workers most often came to take. */
void starpu_heteroprio_set_use_locality(unsigned sched_ctx_id, unsigned use_locality);
/* Each memory node is a group, which they are here anyway; aborts with a line without locality. */
void starpu_heteroprio_map_wgroup_memory_nodes(unsigned sched_ctx_id);
/* Which worker is in which group, and in which order each group looks at what. */
void starpu_heteroprio_print_wgroups(FILE* stream, unsigned sched_ctx_id);

#ifdef __cplusplus
}
#endif

#endif
