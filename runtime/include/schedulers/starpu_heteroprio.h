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

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_HETEROPRIO_MAX_PRIO 100

enum starpu_heteroprio_types {
  STARPU_CPU_IDX,
  STARPU_CUDA_IDX,
  STARPU_OPENCL_IDX,
  STARPU_HIP_IDX,
  STARPU_MPI_MS_IDX,
  STARPU_NB_TYPES
};

void starpu_heteroprio_set_nb_prios(unsigned sched_ctx_id, enum starpu_heteroprio_types arch,
                                    unsigned max_prio);
/* Of `arch`, priority source_prio (0 is looked at first) is bucket dest_bucket_id. */
void starpu_heteroprio_set_mapping(unsigned sched_ctx_id, enum starpu_heteroprio_types arch,
                                   unsigned source_prio, unsigned dest_bucket_id);
/* Workers of a kind that is slower for a bucket leave its tasks to those of the faster kind that
 * can run them while there are fewer than slow_factor for each of these. Both have to be said. */
void starpu_heteroprio_set_faster_arch(unsigned sched_ctx_id, enum starpu_heteroprio_types arch,
                                       unsigned bucket_id);
void starpu_heteroprio_set_arch_slow_factor(unsigned sched_ctx_id,
                                            enum starpu_heteroprio_types arch, unsigned bucket_id,
                                            float slow_factor);

#ifdef __cplusplus
}
#endif

#endif
