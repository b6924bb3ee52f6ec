/* SPDX-License-Identifier: Apache-2.0
 * Performance models of codelets: what a task is expected to take. Costs are stated by functions of
 * the program, or measured: while STARPU_CALIBRATE asks for it, and for the rest of a run in which
 * a model was asked for what it did not know. A model with a symbol is kept in StarPU's files
 * between runs. */
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

/* init: called by the functions below where the program did not. A model may be freed when its last
 * task has ended, after deinit, which frees what belongs to it, or without. What was measured
 * stays, and is written by starpu_shutdown(); models with the same symbol and type share it. */
void starpu_perfmodel_init(struct starpu_perfmodel* model);
int starpu_perfmodel_deinit(struct starpu_perfmodel* model);
extern struct starpu_perfmodel starpu_perfmodel_nop;

/* The architecture of a worker: a CPU core. Constant; all CPU workers have the same. */
struct starpu_perfmodel_arch* starpu_worker_get_perf_archtype(int workerid, unsigned sched_ctx_id);
/* "CPU", "cpu0_impl0 (Comb0)". */
const char* starpu_perfmodel_get_archtype_name(enum starpu_worker_archtype archtype);
void starpu_perfmodel_get_arch_name(struct starpu_perfmodel_arch* arch, char* archname,
                                    size_t maxlen, unsigned nimpl);

/* Combinations of devices, numbered as the process met them: in models that it read or fed, and by
 * add, which returns the number; get returns -1 for one that was not met. fetch: of the runtime,
 * and lasts; NULL where there is none of the number. */
int starpu_perfmodel_get_narch_combs(void);
int starpu_perfmodel_arch_comb_add(int ndevices, struct starpu_perfmodel_device* devices);
int starpu_perfmodel_arch_comb_get(int ndevices, struct starpu_perfmodel_device* devices);
struct starpu_perfmodel_arch* starpu_perfmodel_arch_comb_fetch(int comb);

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

/* What tasks consume, of the processors' own counters (RAPL): start, run `ntasks` tasks like `task`
 * on CPUs and nothing else, stop; the model is fed with the mean, in joules. workerid: -1. 0;
 * -ENOSYS, with a line, where the machine has no such counters, the user may not read them, or for
 * workers that are no CPUs; -EBUSY, and -EINVAL without a start. */
int starpu_energy_start(int workerid, enum starpu_worker_archtype archi);
int starpu_energy_stop(struct starpu_perfmodel* model, struct starpu_task* task, unsigned nimpl,
                       unsigned ntasks, int workerid, enum starpu_worker_archtype archi);

/* Feeds a measurement, in microseconds (joules for an energy model), as if the task had been
 * measured. */
void starpu_perfmodel_update_history(struct starpu_perfmodel* model, struct starpu_task* task,
                                     struct starpu_perfmodel_arch* arch, unsigned cpuid,
                                     unsigned nimpl, double measured);
/* The same, of the mean of so many. */
void starpu_perfmodel_update_history_n(struct starpu_perfmodel* model, struct starpu_task* task,
                                       struct starpu_perfmodel_arch* arch, unsigned cpuid,
                                       unsigned nimpl, double average_measured, unsigned number);
/* The mean of a footprint's measures, however few; of several implementations the fastest one's.
 * NAN when there are none. */
double starpu_perfmodel_history_based_expected_perf(struct starpu_perfmodel* model,
                                                    struct starpu_perfmodel_arch* arch,
                                                    uint32_t footprint);

/* Files. Those that load return 0, or 1 with a line on standard error; unload frees what they
 * allocated. The path is of the file that would be loaded, or else written. */
int starpu_perfmodel_load_symbol(const char* symbol, struct starpu_perfmodel* model);
int starpu_perfmodel_load_file(const char* filename, struct starpu_perfmodel* model);
int starpu_perfmodel_unload_model(struct starpu_perfmodel* model);
void starpu_save_history_based_model(struct starpu_perfmodel* model);
void starpu_perfmodel_get_model_path(const char* symbol, char* path, size_t maxlen);
/* For programs without starpu_init(): there is nothing to do. */
void starpu_perfmodel_initialize(void);
void starpu_perfmodel_free_sampling(void);

/* What is known, as StarPU prints it: in XML; the files; an architecture's model, or one parameter
 * of it, of all footprints or one (NULL: everything). */
void starpu_perfmodel_dump_xml(FILE* output, struct starpu_perfmodel* model);
int starpu_perfmodel_list(FILE* output);
void starpu_perfmodel_directory(FILE* output);
void starpu_perfmodel_print(struct starpu_perfmodel* model, struct starpu_perfmodel_arch* arch,
                            unsigned nimpl, char* parameter, uint32_t* footprint, FILE* output);

/* The same of all architectures, or of those that arch names: "cpu", "cpu:4" (cores), "cuda",
 * "cuda1"; -1 with a line on standard error where there is none. */
int starpu_perfmodel_print_all(struct starpu_perfmodel* model, char* arch, char* parameter,
                               uint32_t* footprint, FILE* output);
/* The mean of a footprint's measures for each worker's first implementation, separated by blanks;
 * inf where there is none. 0. */
int starpu_perfmodel_print_estimations(struct starpu_perfmodel* model, uint32_t footprint,
                                       FILE* output);
int starpu_perfmodel_list_combs(FILE* output, struct starpu_perfmodel* model);
/* Where StarPU's own debugging of a model goes; nothing is written there. */
void starpu_perfmodel_debugfilepath(struct starpu_perfmodel* model,
                                    struct starpu_perfmodel_arch* arch, char* path, size_t maxlen,
                                    unsigned nimpl);

/* Microseconds (joules) that the task is expected to take there: 0 without model, NAN when the
 * model does not know; then its tasks are measured for the rest of the run. */
double starpu_task_expected_length(struct starpu_task* task, struct starpu_perfmodel_arch* arch,
                                   unsigned nimpl);
double starpu_worker_expected_length(struct starpu_task* task, unsigned workerid, unsigned nimpl);
double starpu_task_expected_energy(struct starpu_task* task, struct starpu_perfmodel_arch* arch,
                                   unsigned nimpl);
double starpu_worker_expected_energy(struct starpu_task* task, unsigned workerid, unsigned nimpl);
/* The same on a worker of a context. */
double starpu_task_worker_expected_length(struct starpu_task* task, unsigned workerid,
                                          unsigned sched_ctx_id, unsigned nimpl);
double starpu_task_worker_expected_energy(struct starpu_task* task, unsigned workerid,
                                          unsigned sched_ctx_id, unsigned nimpl);
/* The mean over the workers of a context that can run the task and of which the model knows; NAN
 * when it knows of none. */
double starpu_task_expected_length_average(struct starpu_task* task, unsigned sched_ctx_id);
double starpu_task_expected_energy_average(struct starpu_task* task, unsigned sched_ctx_id);

/* Microseconds that the bus files tell of a transfer between two memory nodes; 0 where nobody
 * measured, and on machines without devices. */
double starpu_transfer_predict(unsigned src_node, unsigned dst_node, size_t size);
/* MB/s and microseconds between two memory nodes, as the bus files have them, which are read at
 * each call; NAN where nobody measured. */
double starpu_transfer_bandwidth(unsigned src_node, unsigned dst_node);
double starpu_transfer_latency(unsigned src_node, unsigned dst_node);
/* All of them, which memory is near which GPU, and the names of the files. */
void starpu_bus_print_bandwidth(FILE* f);
void starpu_bus_print_affinity(FILE* f);
void starpu_bus_print_filenames(FILE* f);

#ifdef __cplusplus
}
#endif

#endif
