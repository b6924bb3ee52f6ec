/* SPDX-License-Identifier: Apache-2.0
 * Performance models of codelets. A model given to a codelet names it in traces; measuring and
 * predicting are not there yet. */
#ifndef __STARPU_PERFMODEL_H__
#define __STARPU_PERFMODEL_H__

#include <starpu_task.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_perfmodel_device {
  int type; /* enum starpu_worker_archtype */
  int devid;
  int ncores;
};
struct starpu_perfmodel_arch {
  int ndevices;
  struct starpu_perfmodel_device* devices;
};

enum starpu_perfmodel_type {
  STARPU_PERFMODEL_INVALID = 0,
  STARPU_PER_WORKER,
  STARPU_PER_ARCH,
  STARPU_COMMON,
  STARPU_HISTORY_BASED,
  STARPU_REGRESSION_BASED,
  STARPU_NL_REGRESSION_BASED,
  STARPU_MULTIPLE_REGRESSION_BASED
};

struct _starpu_perfmodel_state;

struct starpu_perfmodel {
  enum starpu_perfmodel_type type;
  double (*cost_function)(struct starpu_task*, unsigned nimpl);
  double (*arch_cost_function)(struct starpu_task*, struct starpu_perfmodel_arch* arch,
                               unsigned nimpl);
  double (*worker_cost_function)(struct starpu_task*, unsigned workerid, unsigned nimpl);
  size_t (*size_base)(struct starpu_task*, unsigned nimpl);
  uint32_t (*footprint)(struct starpu_task*);
  const char* symbol;
  unsigned is_loaded;
  unsigned benchmarking;
  unsigned is_init;
  void (*parameters)(struct starpu_task* task, double* parameters);
  const char** parameters_names;
  unsigned nparameters;
  unsigned** combinations;
  unsigned ncombinations;
  struct _starpu_perfmodel_state* state;
};

void starpu_perfmodel_init(struct starpu_perfmodel* model);
int starpu_perfmodel_deinit(struct starpu_perfmodel* model);
extern struct starpu_perfmodel starpu_perfmodel_nop;

#ifdef __cplusplus
}
#endif

#endif
