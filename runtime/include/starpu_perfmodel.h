/* SPDX-License-Identifier: Apache-2.0
 * Performance models of codelets: what a task is expected to take. Costs that the program states by
 * functions, and measurements that it feeds, are there; the runtime does not measure by itself yet,
 * and regressions are not computed. */
#ifndef __STARPU_PERFMODEL_H__
#define __STARPU_PERFMODEL_H__

#include <starpu_task.h>
#include <starpu_worker.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_perfmodel_device {
  enum starpu_worker_archtype type;
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

typedef double (*starpu_perfmodel_per_arch_cost_function)(struct starpu_task* task,
                                                          struct starpu_perfmodel_arch* arch,
                                                          unsigned nimpl);
typedef size_t (*starpu_perfmodel_per_arch_size_base)(struct starpu_task* task,
                                                      struct starpu_perfmodel_arch* arch,
                                                      unsigned nimpl);
/* What a program may set for an architecture and an implementation. */
struct starpu_perfmodel_per_arch {
  starpu_perfmodel_per_arch_cost_function cost_function;
  starpu_perfmodel_per_arch_size_base size_base;
};

struct _starpu_perfmodel_state;

/* Costs are in microseconds; of a cost function for all, the CPU's. */
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

/* Called by the functions below where the program did not; deinit frees what the model knows. */
void starpu_perfmodel_init(struct starpu_perfmodel* model);
int starpu_perfmodel_deinit(struct starpu_perfmodel* model);
extern struct starpu_perfmodel starpu_perfmodel_nop;

/* The architecture of a worker: a CPU core. Constant; all CPU workers have the same. */
struct starpu_perfmodel_arch* starpu_worker_get_perf_archtype(int workerid, unsigned sched_ctx_id);
/* "CPU", "cpu0_impl0 (Comb0)". */
const char* starpu_perfmodel_get_archtype_name(enum starpu_worker_archtype archtype);
void starpu_perfmodel_get_arch_name(struct starpu_perfmodel_arch* arch, char* archname,
                                    size_t maxlen, unsigned nimpl);

/* The settings of an architecture, given as type, device and number of cores of each of its
 * devices, then -1; they last as long as the model. 0 for the two that set. */
struct starpu_perfmodel_per_arch* starpu_perfmodel_get_model_per_arch(
    struct starpu_perfmodel* model, struct starpu_perfmodel_arch* arch, unsigned nimpl);
struct starpu_perfmodel_per_arch* starpu_perfmodel_get_model_per_devices(
    struct starpu_perfmodel* model, int nimpl, ...);
int starpu_perfmodel_set_per_devices_cost_function(struct starpu_perfmodel* model, int nimpl,
                                                   starpu_perfmodel_per_arch_cost_function func,
                                                   ...);
int starpu_perfmodel_set_per_devices_size_base(struct starpu_perfmodel* model, int nimpl,
                                               starpu_perfmodel_per_arch_size_base func, ...);

/* Feeds a measurement, in microseconds, into the history of the task's footprint. */
void starpu_perfmodel_update_history(struct starpu_perfmodel* model, struct starpu_task* task,
                                     struct starpu_perfmodel_arch* arch, unsigned cpuid,
                                     unsigned nimpl, double measured);
/* The mean of what was fed; NAN when nothing was. */
double starpu_perfmodel_history_based_expected_perf(struct starpu_perfmodel* model,
                                                    struct starpu_perfmodel_arch* arch,
                                                    uint32_t footprint);
/* What is known of the model, in StarPU's format. */
void starpu_perfmodel_dump_xml(FILE* output, struct starpu_perfmodel* model);

/* Microseconds that the task is expected to take there: 0 without model, NAN when the model does
 * not know. Joules: NAN when there is an energy model, which is not measured; 0 otherwise. */
double starpu_task_expected_length(struct starpu_task* task, struct starpu_perfmodel_arch* arch,
                                   unsigned nimpl);
double starpu_worker_expected_length(struct starpu_task* task, unsigned workerid, unsigned nimpl);
double starpu_task_expected_energy(struct starpu_task* task, struct starpu_perfmodel_arch* arch,
                                   unsigned nimpl);

#ifdef __cplusplus
}
#endif

#endif
