/* SPDX-License-Identifier: Apache-2.0
 * Codelets and tasks: describe, submit, wait. */
#ifndef __STARPU_TASK_H__
#define __STARPU_TASK_H__

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <starpu_config.h>
#include <starpu_data.h>
#include <starpu_task_bundle.h>
#include <starpu_task_dep.h>
#include <starpu_util.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a codelet can run (field `where`); NOWHERE: only for its dependencies, no function. */
#define STARPU_NOWHERE ((1ULL) << 0)
#define STARPU_CPU ((1ULL) << 1)
#define STARPU_CUDA ((1ULL) << 3)
#define STARPU_OPENCL ((1ULL) << 6)
#define STARPU_MIC ((1ULL) << 7)
#define STARPU_MPI_MS ((1ULL) << 9)
#define STARPU_TCPIP_MS ((1ULL) << 10)
#define STARPU_HIP ((1ULL) << 11)
#define STARPU_MAX_FPGA ((1ULL) << 12)

/* The bit of a kind of workers; 0 for kinds that are none of these. */
#define STARPU_WORKER_TO_MASK(kind)                     \
  ((kind) == STARPU_CPU_WORKER        ? STARPU_CPU      \
   : (kind) == STARPU_CUDA_WORKER     ? STARPU_CUDA     \
   : (kind) == STARPU_OPENCL_WORKER   ? STARPU_OPENCL   \
   : (kind) == STARPU_MIC_WORKER      ? STARPU_MIC      \
   : (kind) == STARPU_MPI_MS_WORKER   ? STARPU_MPI_MS   \
   : (kind) == STARPU_TCPIP_MS_WORKER ? STARPU_TCPIP_MS \
   : (kind) == STARPU_HIP_WORKER      ? STARPU_HIP      \
   : (kind) == STARPU_MAX_FPGA_WORKER ? STARPU_MAX_FPGA \
                                      : 0ULL)

#define STARPU_MAIN_RAM 0

/* Flags of a codelet. */
#define STARPU_CODELET_SIMGRID_EXECUTE (1 << 0)
#define STARPU_CODELET_SIMGRID_EXECUTE_AND_INJECT (1 << 1)
#define STARPU_CODELET_NOPLANS (1 << 2)
#define STARPU_CUDA_ASYNC (1 << 0)
#define STARPU_OPENCL_ASYNC (1 << 0)
#define STARPU_HIP_ASYNC (1 << 0)

enum starpu_codelet_type { STARPU_SEQ = 0, STARPU_SPMD, STARPU_FORKJOIN };

enum starpu_task_status {
  STARPU_TASK_INIT,
#define STARPU_TASK_INIT 0
#define STARPU_TASK_INVALID STARPU_TASK_INIT
  STARPU_TASK_BLOCKED,
  STARPU_TASK_READY,
  STARPU_TASK_RUNNING,
  STARPU_TASK_FINISHED,
  STARPU_TASK_BLOCKED_ON_TAG,
  STARPU_TASK_BLOCKED_ON_TASK,
  STARPU_TASK_BLOCKED_ON_DATA,
  STARPU_TASK_STOPPED
};

typedef void (*starpu_cpu_func_t)(void** buffers, void* cl_arg);
typedef void (*starpu_cuda_func_t)(void** buffers, void* cl_arg);
typedef void (*starpu_opencl_func_t)(void** buffers, void* cl_arg);
typedef void (*starpu_hip_func_t)(void** buffers, void* cl_arg);
/* Of StarPU 1.3. */
typedef void (*starpu_mic_kernel_t)(void** buffers, void* cl_arg);
typedef starpu_mic_kernel_t (*starpu_mic_func_t)(void);
typedef void (*starpu_max_fpga_func_t)(void*[], void*);

#define STARPU_MULTIPLE_CPU_IMPLEMENTATIONS ((starpu_cpu_func_t)-1)
#define STARPU_MULTIPLE_CUDA_IMPLEMENTATIONS ((starpu_cuda_func_t)-1)
#define STARPU_MULTIPLE_OPENCL_IMPLEMENTATIONS ((starpu_opencl_func_t)-1)
#define STARPU_MULTIPLE_HIP_IMPLEMENTATIONS ((starpu_hip_func_t)-1)
#define STARPU_VARIABLE_NBUFFERS (-1)
/* Where the value of a buffer is put for a task (starpu_codelet.nodes), besides the numbers of
 * memory nodes. */
#define STARPU_SPECIFIC_NODE_LOCAL (-1) /* the worker's node */
#define STARPU_SPECIFIC_NODE_CPU (-2)   /* the main memory */
#define STARPU_SPECIFIC_NODE_SLOW (-3)  /* as CPU */
#define STARPU_SPECIFIC_NODE_FAST (-4)  /* as LOCAL */
/* The one of the two that has the value; the worker's if both have it, or neither. */
#define STARPU_SPECIFIC_NODE_LOCAL_OR_CPU (-5)
#define STARPU_SPECIFIC_NODE_LOCAL_OR_SIMILAR_OR_CPU (-6)
/* Nowhere: only the order of tasks counts. The function may read the shape of the data. */
#define STARPU_SPECIFIC_NODE_NONE (-7)

struct starpu_task;
struct starpu_perfmodel;
struct starpu_transaction;
struct _starpu_trs_epoch;
typedef struct _starpu_trs_epoch* starpu_trs_epoch_t;
/* Of hierarchical graphs: whether the task becomes other tasks, and which. Accepted and not called,
 * as in a StarPU without --enable-bubble: the task runs as it is, and a line says so once. */
typedef int (*starpu_bubble_func_t)(struct starpu_task* task, void* arg);
typedef void (*starpu_bubble_gen_dag_func_t)(struct starpu_task* task, void* arg);

/* A kind of task. Zero is the default of every field. */
struct starpu_codelet {
  uint32_t where; /* 0: wherever a function is given */
  int (*can_execute)(unsigned workerid, struct starpu_task* task, unsigned nimpl);
  enum starpu_codelet_type type;
  int max_parallelism;
  starpu_cpu_func_t cpu_func; /* old form of cpu_funcs[0], as are the next two */
  starpu_cuda_func_t cuda_func;
  starpu_opencl_func_t opencl_func;
  starpu_cpu_func_t cpu_funcs[STARPU_MAXIMPLEMENTATIONS];
  starpu_cuda_func_t cuda_funcs[STARPU_MAXIMPLEMENTATIONS];
  char cuda_flags[STARPU_MAXIMPLEMENTATIONS];
  starpu_hip_func_t hip_funcs[STARPU_MAXIMPLEMENTATIONS];
  char hip_flags[STARPU_MAXIMPLEMENTATIONS];
  starpu_opencl_func_t opencl_funcs[STARPU_MAXIMPLEMENTATIONS];
  char opencl_flags[STARPU_MAXIMPLEMENTATIONS];
  starpu_max_fpga_func_t max_fpga_funcs[STARPU_MAXIMPLEMENTATIONS];
  starpu_mic_func_t mic_funcs[STARPU_MAXIMPLEMENTATIONS];
  const char* cpu_funcs_name[STARPU_MAXIMPLEMENTATIONS];
  starpu_bubble_func_t bubble_func;
  starpu_bubble_gen_dag_func_t bubble_gen_dag_func;
  int nbuffers; /* or STARPU_VARIABLE_NBUFFERS */
  enum starpu_data_access_mode modes[STARPU_NMAXBUFS];
  enum starpu_data_access_mode* dyn_modes; /* for more than STARPU_NMAXBUFS */
  unsigned specific_nodes;    /* 1: `nodes` says where its data are put; 0: on the worker's node */
  int nodes[STARPU_NMAXBUFS]; /* memory nodes, or STARPU_SPECIFIC_NODE_* */
  int* dyn_nodes;             /* for more than STARPU_NMAXBUFS */
  struct starpu_perfmodel* model;
  struct starpu_perfmodel* energy_model;
  const char* name;
  unsigned color;               /* 0xRRGGBB, 0: none */
  void (*callback_func)(void*); /* when the task has none */
  int flags;
  int checked;
  /* Workers write these all the time, so they share no cache line with the fields above. */
  char apart_from_fields[64];
  unsigned long per_worker_stats[STARPU_NMAXWORKERS]; /* tasks run, by worker */
};

struct starpu_data_descr {
  starpu_data_handle_t handle;
  enum starpu_data_access_mode mode;
};

struct starpu_profiling_task_info;

/* One task. Made by starpu_task_create(), or by the program and starpu_task_init(). */
struct starpu_task {
  const char* name; /* replaces the codelet's in traces */
  const char* file; /* with function and line: where it was submitted, if the program says so */
  const char* function;
  struct starpu_codelet* cl; /* NULL: only dependencies */
  int line;
  int32_t where; /* -1: as the codelet says */
  int nbuffers;
  int magic;
  starpu_data_handle_t* dyn_handles;
  void** dyn_interfaces;
  enum starpu_data_access_mode* dyn_modes;
  starpu_data_handle_t handles[STARPU_NMAXBUFS];
  void* interfaces[STARPU_NMAXBUFS];
  enum starpu_data_access_mode modes[STARPU_NMAXBUFS];
  unsigned char* handles_sequential_consistency;
  void* cl_arg;
  size_t cl_arg_size;
  void* cl_ret;
  size_t cl_ret_size;
  void (*epilogue_callback_func)(void*); /* when it has run, before others are released */
  void* epilogue_callback_arg;
  void (*callback_func)(void*); /* when it has ended */
  void* callback_arg;
  void (*prologue_callback_func)(void*); /* when it is ready */
  void* prologue_callback_arg;
  void (*prologue_callback_pop_func)(void*); /* when a worker has taken it */
  void* prologue_callback_pop_arg;
  starpu_tag_t tag_id;
  unsigned cl_arg_free : 1;
  unsigned cl_ret_free : 1;
  unsigned callback_arg_free : 1;
  unsigned epilogue_callback_arg_free : 1;
  unsigned prologue_callback_arg_free : 1;
  unsigned prologue_callback_pop_arg_free : 1;
  unsigned use_tag : 1;
  unsigned sequential_consistency : 1;
  unsigned synchronous : 1;
  unsigned execute_on_a_specific_worker : 1;
  unsigned detach : 1;  /* nobody will wait for it */
  unsigned destroy : 1; /* the runtime frees it when it has ended (and was waited for) */
  unsigned regenerate : 1;
  unsigned no_submitorder : 1;
  unsigned scheduled : 1;
  unsigned prefetched : 1;
  unsigned char mf_skip;
  unsigned char failed; /* set by starpu_task_ft_failed() */
  unsigned workerid;
  unsigned workerorder;
  unsigned nb_termination_call_required;
  uint32_t* workerids; /* a bit set of allowed workers, workerids_len words; NULL: all */
  unsigned workerids_len;
  int priority;
  enum starpu_task_status status;
  unsigned type;
  unsigned color;
  unsigned sched_ctx;
  int hypervisor_tag;
  unsigned possibly_parallel;
  starpu_task_bundle_t bundle;
  struct starpu_profiling_task_info* profiling_info;
  double flops;
  double predicted;
  double predicted_transfer;
  double predicted_start;
  struct starpu_task* prev; /* for lists of tasks */
  struct starpu_task* next;
  void* starpu_private;
  void* sched_data;
  struct starpu_transaction* transaction; /* it belongs to, or NULL */
  starpu_trs_epoch_t trs_epoch;           /* of the transaction; set when it is submitted */
  unsigned long bubble_parent;
  starpu_bubble_func_t bubble_func; /* these four before the codelet's */
  void* bubble_func_arg;
  starpu_bubble_gen_dag_func_t bubble_gen_dag_func;
  void* bubble_gen_dag_func_arg;
};

#define STARPU_TASK_TYPE_NORMAL 0
#define STARPU_TASK_TYPE_INTERNAL (1 << 0)
#define STARPU_TASK_TYPE_DATA_ACQUIRE (1 << 1)

#define STARPU_MIN_PRIO (starpu_sched_get_min_priority())
#define STARPU_MAX_PRIO (starpu_sched_get_max_priority())
#define STARPU_DEFAULT_PRIO 0

/* What starpu_task_init() sets, for static tasks in C. */
#define STARPU_TASK_INITIALIZER                                                             \
  {                                                                                         \
    .where = -1, .priority = STARPU_DEFAULT_PRIO, .sequential_consistency = 1, .detach = 1, \
    .status = STARPU_TASK_INIT, .predicted = NAN, .predicted_transfer = NAN,                \
    .predicted_start = NAN, .magic = 42, .sched_ctx = STARPU_NMAX_SCHED_CTXS                \
  }

#define STARPU_TASK_GET_NBUFFERS(task)                                            \
  ((unsigned)((task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS ? (task)->nbuffers \
                                                               : (task)->cl->nbuffers))
#define STARPU_TASK_GET_HANDLE(task, i) \
  (((task)->dyn_handles) ? (task)->dyn_handles[i] : (task)->handles[i])
#define STARPU_TASK_GET_HANDLES(task) \
  (((task)->dyn_handles) ? (task)->dyn_handles : (task)->handles)
#define STARPU_TASK_SET_HANDLE(task, handle, i) \
  do {                                          \
    if ((task)->dyn_handles)                    \
      (task)->dyn_handles[i] = (handle);        \
    else                                        \
      (task)->handles[i] = (handle);            \
  } while (0)
#define STARPU_CODELET_GET_NODE(codelet, i) \
  (((codelet)->dyn_nodes) ? (codelet)->dyn_nodes[i] : (codelet)->nodes[i])
#define STARPU_CODELET_SET_NODE(codelet, node, i) \
  do {                                            \
    if ((codelet)->dyn_nodes)                     \
      (codelet)->dyn_nodes[i] = (node);           \
    else                                          \
      (codelet)->nodes[i] = (node);               \
  } while (0)
#define STARPU_CODELET_GET_MODE(codelet, i) \
  (((codelet)->dyn_modes) ? (codelet)->dyn_modes[i] : (codelet)->modes[i])
#define STARPU_CODELET_SET_MODE(codelet, mode, i) \
  do {                                            \
    if ((codelet)->dyn_modes)                     \
      (codelet)->dyn_modes[i] = (mode);           \
    else                                          \
      (codelet)->modes[i] = (mode);               \
  } while (0)
#define STARPU_TASK_GET_MODE(task, i)                                      \
  (((task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS || (task)->dyn_modes) \
       ? (((task)->dyn_modes) ? (task)->dyn_modes[i] : (task)->modes[i])   \
       : STARPU_CODELET_GET_MODE((task)->cl, i))
#define STARPU_TASK_SET_MODE(task, mode, i)                 \
  do {                                                      \
    if ((task)->cl->nbuffers == STARPU_VARIABLE_NBUFFERS || \
        (task)->cl->nbuffers > STARPU_NMAXBUFS) {           \
      if ((task)->dyn_modes)                                \
        (task)->dyn_modes[i] = (mode);                      \
      else                                                  \
        (task)->modes[i] = (mode);                          \
    } else {                                                \
      STARPU_CODELET_SET_MODE((task)->cl, mode, i);         \
    }                                                       \
  } while (0)

/* Defaults into a task of the program's own; clean() before it is used again or freed. */
void starpu_task_init(struct starpu_task* task);
void starpu_task_clean(struct starpu_task* task);
/* A task with the defaults, freed by the runtime when it has ended unless `destroy` is set to 0;
 * then by starpu_task_destroy(). Cannot fail. */
struct starpu_task* starpu_task_create(void) STARPU_ATTRIBUTE_MALLOC;
struct starpu_task* starpu_task_create_sync(starpu_data_handle_t handle,
                                            enum starpu_data_access_mode mode);
void starpu_task_destroy(struct starpu_task* task);
struct starpu_task* starpu_task_dup(struct starpu_task* task);
void starpu_task_set_destroy(struct starpu_task* task);

/* 0; -ENODEV when no worker can run it, -EDEADLK for a synchronous task from inside a task,
 * -EINVAL for a task that is already submitted or badly described (a line on standard error says
 * what is wrong). A task not accepted still belongs to the caller.
 * The macro records the place of the call; the task's own `file`, set by starpu_task_build(), wins.
 */
int starpu_task_submit(struct starpu_task* task) STARPU_WARN_UNUSED_RESULT;
/* On behalf of another task, which has not ended and holds the same data: waits for nobody. */
int starpu_task_submit_nodeps(struct starpu_task* task) STARPU_WARN_UNUSED_RESULT;
int starpu_task_submit_to_ctx(struct starpu_task* task, unsigned sched_ctx_id);
int _starpu_task_submit_at(const char* file, int line, const char* function,
                           struct starpu_task* task) STARPU_WARN_UNUSED_RESULT;
int _starpu_task_submit_nodeps_at(const char* file, int line, const char* function,
                                  struct starpu_task* task) STARPU_WARN_UNUSED_RESULT;
int _starpu_task_submit_to_ctx_at(const char* file, int line, const char* function,
                                  struct starpu_task* task, unsigned sched_ctx_id);
#define starpu_task_submit(...) \
  _starpu_task_submit_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
#define starpu_task_submit_nodeps(...) \
  _starpu_task_submit_nodeps_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
#define starpu_task_submit_to_ctx(...) \
  _starpu_task_submit_to_ctx_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
/* The same with a place of the caller's choice, for wrappers. */
int starpu_task_submit_line(struct starpu_task* task, const char* file,
                            int line) STARPU_WARN_UNUSED_RESULT;

int starpu_task_finished(struct starpu_task* task) STARPU_WARN_UNUSED_RESULT;
/* For tasks with detach 0. 0; -EINVAL for a detached or synchronous task, -EDEADLK inside a task.
 */
int starpu_task_wait(struct starpu_task* task) STARPU_WARN_UNUSED_RESULT;
int starpu_task_wait_array(struct starpu_task** tasks, unsigned nb_tasks) STARPU_WARN_UNUSED_RESULT;
/* Until every task has ended, or at most n are left; -EDEADLK inside a task. */
int starpu_task_wait_for_all(void);
int starpu_task_wait_for_n_submitted(unsigned n);
/* Of those of a scheduling context; -EINVAL when it is not there. */
int starpu_task_wait_for_all_in_ctx(unsigned sched_ctx_id);
int starpu_task_wait_for_n_submitted_in_ctx(unsigned sched_ctx_id, unsigned n);
int starpu_task_wait_for_no_ready(void);
int starpu_task_nready(void);
int starpu_task_nsubmitted(void);

/* Tasks submitted between push and pop carry the iteration; two levels are recorded. */
void starpu_iteration_push(unsigned long iteration);
void starpu_iteration_pop(void);
void starpu_do_schedule(void);
/* Calls the policy's reset_scheduler, where it has one. */
void starpu_reset_scheduler(void);

/* With STARPU_WATCHDOG_TIMEOUT: called when tasks are left and none has ended for so long, in the
 * place of a line on standard error. NULL: the line again. */
void starpu_task_watchdog_set_hook(void (*hook)(void*), void* hook_arg);

void starpu_codelet_init(struct starpu_codelet* cl);
void starpu_codelet_display_stats(struct starpu_codelet* cl);
extern struct starpu_codelet starpu_codelet_nop;

/* The task that this thread executes or calls back for, or NULL. */
struct starpu_task* starpu_task_get_current(void);
/* The memory node of a buffer of that task; -1 for none, and outside of the task's function. */
int starpu_task_get_current_data_node(unsigned i);
const char* starpu_task_get_name(struct starpu_task* task);
const char* starpu_task_get_model_name(struct starpu_task* task);
void starpu_task_set_implementation(struct starpu_task* task, unsigned impl);
unsigned starpu_task_get_implementation(struct starpu_task* task);

/* An empty task with a tag that waits for other tags; an empty task with only a callback. */
void starpu_create_sync_task(starpu_tag_t sync_tag, unsigned ndeps, starpu_tag_t* deps,
                             void (*callback)(void*), void* callback_arg);
void starpu_create_callback_task(void (*callback)(void*), void* callback_arg);

/* The name of a status, such as "STARPU_TASK_READY". */
char* starpu_task_status_get_as_string(enum starpu_task_status status);
/* As STARPU_LIMIT_MAX_SUBMITTED_TASKS and STARPU_LIMIT_MIN_SUBMITTED_TASKS; 0: no limit. */
void starpu_set_limit_max_submitted_tasks(int limit_max);
void starpu_set_limit_min_submitted_tasks(int limit_min);

/* A transaction is a row of epochs; the tasks of an epoch are submitted ahead of time, and run or
 * are cancelled all together. Whether they run is asked once all tasks of the epoch before have
 * ended: do_start_func(NULL, arg), by a CPU worker; 0 cancels, NULL always runs. A cancelled task
 * keeps its place among the others and its callbacks; its function is not called. Any codelet will
 * do. NULL where no worker can ask (-ENODEV).
 * A task belongs to the epoch that is open when it is submitted, if its `transaction` is set
 * (STARPU_TRANSACTION of starpu_task_insert()). close() ends the last epoch and gives up the
 * transaction, which is freed when its tasks have ended. One thread at a time. */
struct starpu_transaction* starpu_transaction_open(int (*do_start_func)(void* buffer, void* arg),
                                                   void* do_start_arg);
void starpu_transaction_next_epoch(struct starpu_transaction* transaction, void* do_start_arg);
void starpu_transaction_close(struct starpu_transaction* transaction);

/* Tasks that are tried again until they succeed. With starpu_task_ft_prologue as its prologue
 * callback a task does not run itself: copies of it (tries) do, one after the other, until one ends
 * without having called starpu_task_ft_failed(); it ends then, and keeps its data until then. Its
 * data are only read (STARPU_R) or only written (STARPU_W): a try that failed must not have changed
 * what the next one reads.
 * The prologue's argument, unless NULL, decides at the end of each try, as its callback: it is
 * called with the task itself, finds the try in starpu_task_get_current() and its `failed`, and
 * either calls starpu_task_ft_success(), or makes the next try from the last one with
 * starpu_task_ft_create_retry() and submits that with starpu_task_submit_nodeps(). */
void starpu_task_ft_prologue(void* check_ft);
struct starpu_task* starpu_task_ft_create_retry(const struct starpu_task* meta_task,
                                                const struct starpu_task* template_task,
                                                void (*check_ft)(void*));
/* By the task's function, usually: it failed. Its performance model does not learn from it. */
void starpu_task_ft_failed(struct starpu_task* task);
void starpu_task_ft_success(struct starpu_task* meta_task);

#ifdef __cplusplus
}
#endif

#endif
