/* SPDX-License-Identifier: Apache-2.0
 * Workers and memory nodes: how many there are, and which one runs this code. */
#ifndef __STARPU_WORKER_H__
#define __STARPU_WORKER_H__

#include <hwloc.h>
#include <starpu_config.h>
#include <starpu_task.h>
#include <starpu_tree.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

enum starpu_node_kind {
  STARPU_UNUSED = 0,
  STARPU_CPU_RAM = 1,
  STARPU_CUDA_RAM = 2,
  STARPU_OPENCL_RAM = 3,
  STARPU_MAX_FPGA_RAM = 4,
  STARPU_DISK_RAM = 5,
  STARPU_MPI_MS_RAM = 6,
  STARPU_TCPIP_MS_RAM = 7,
  STARPU_HIP_RAM = 8,
  STARPU_MAX_RAM = 8,
  STARPU_NRAM = 9
};

enum starpu_worker_archtype {
  STARPU_CPU_WORKER = 0,
  STARPU_CUDA_WORKER = 1,
  STARPU_OPENCL_WORKER = 2,
  STARPU_MIC_WORKER = 3, /* of StarPU 1.3 */
  STARPU_MAX_FPGA_WORKER = 4,
  STARPU_MPI_MS_WORKER = 5,
  STARPU_TCPIP_MS_WORKER = 6,
  STARPU_HIP_WORKER = 7,
  STARPU_NARCH = 8,
  STARPU_ANY_WORKER = 255
};

/* What later versions of StarPU call these. */
#define STARPU_MPI_SC_WORKER STARPU_MPI_MS_WORKER
#define STARPU_TCPIP_SC_WORKER STARPU_TCPIP_MS_WORKER
#define STARPU_UNKNOWN_WORKER ((enum starpu_worker_archtype) - 1)

/* The workers of a context, for scheduling policies:
 *   workers->init_iterator(workers, &it);
 *   while (workers->has_next(workers, &it)) { int id = workers->get_next(workers, &it); ... } */
struct starpu_sched_ctx_iterator {
  int cursor;
  void* value;
  void* possible_value;
  char visited[STARPU_NMAXWORKERS];
  int possibly_parallel;
};
/* How a context keeps its workers; both are a list in the order of the machine here. */
enum starpu_worker_collection_type { STARPU_WORKER_TREE, STARPU_WORKER_LIST };
struct starpu_worker_collection {
  int* workerids;
  void* collection_private;
  unsigned nworkers;
  char present[STARPU_NMAXWORKERS];
  enum starpu_worker_collection_type type;
  unsigned (*has_next)(struct starpu_worker_collection* workers,
                       struct starpu_sched_ctx_iterator* it);
  int (*get_next)(struct starpu_worker_collection* workers, struct starpu_sched_ctx_iterator* it);
  /* The worker, or -1 when it was there already (was not there). */
  int (*add)(struct starpu_worker_collection* workers, int worker);
  int (*remove)(struct starpu_worker_collection* workers, int worker);
  void (*init)(struct starpu_worker_collection* workers);
  void (*deinit)(struct starpu_worker_collection* workers);
  void (*init_iterator)(struct starpu_worker_collection* workers,
                        struct starpu_sched_ctx_iterator* it);
  void (*init_iterator_for_parallel_tasks)(struct starpu_worker_collection* workers,
                                           struct starpu_sched_ctx_iterator* it,
                                           struct starpu_task* task);
};
/* Its functions, for collections of the program's own; call init() first. */
extern struct starpu_worker_collection starpu_worker_list;
/* The same in the order in which the machine's tree has their processing units, neighbours
 * together; workers that are not bound come last. */
extern struct starpu_worker_collection starpu_worker_tree;
/* The machine, of the runtime, until starpu_shutdown(). */
struct starpu_tree* starpu_workers_get_tree(void);

/* For scheduling policies: while a worker pushes or pops it holds its own lock. relax_on() lets go
 * of it and relax_off() takes it again; they nest. starpu_worker_lock() of another worker waits
 * until that one is out of its policy function or relaxed, and relaxes the caller meanwhile. In
 * threads that are no workers the functions without a number do nothing. */
int starpu_worker_sched_op_pending(void);
void starpu_worker_relax_on(void);
void starpu_worker_relax_off(void);
int starpu_worker_get_relax_state(void);
void starpu_worker_lock(int workerid);
int starpu_worker_trylock(int workerid); /* 0 or EBUSY */
void starpu_worker_unlock(int workerid);
void starpu_worker_lock_self(void);
void starpu_worker_unlock_self(void);

unsigned starpu_worker_get_count(void);
unsigned starpu_cpu_worker_get_count(void);
unsigned starpu_cuda_worker_get_count(void);
unsigned starpu_opencl_worker_get_count(void);
unsigned starpu_hip_worker_get_count(void);
unsigned starpu_mpi_ms_worker_get_count(void);
unsigned starpu_mic_worker_get_count(void);
unsigned starpu_mic_device_get_count(void);

/* -1 in a thread that is no worker; the _check form aborts there. */
int starpu_worker_get_id(void);
unsigned _starpu_worker_get_id_check(const char* file, int line);
#define starpu_worker_get_id_check() _starpu_worker_get_id_check(__FILE__, __LINE__)
int starpu_worker_get_bindid(int workerid);
int starpu_worker_get_devid(int id);
enum starpu_worker_archtype starpu_worker_get_type(int id);
int starpu_worker_get_count_by_type(enum starpu_worker_archtype type);
/* Fills at most maxsize ids; the number found, or -ERANGE when they are more. */
unsigned starpu_worker_get_ids_by_type(enum starpu_worker_archtype type, int* workerids,
                                       unsigned maxsize);
/* The num-th worker of a kind, or the one of a device; -1 when there is none. */
int starpu_worker_get_by_type(enum starpu_worker_archtype type, int num);
int starpu_worker_get_by_devid(enum starpu_worker_archtype type, int devid);
int starpu_worker_get_devids(enum starpu_worker_archtype type, int* devids, int num);
/* The workers that are bound to a processing unit (of starpu_worker_get_bindid()), and their
 * number. The list is the runtime's. */
int starpu_bindid_get_workerids(int bindid, int** workerids);
/* Fills the ids of all workers of a device, and returns their number. */
int starpu_worker_get_stream_workerids(unsigned devid, int* workerids,
                                       enum starpu_worker_archtype type);
/* The same as callback_worker_going_to_sleep and _waking_up of starpu_conf, in a running program;
 * NULL: none. */
void starpu_worker_set_going_to_sleep_callback(void (*callback)(unsigned workerid));
void starpu_worker_set_waking_up_callback(void (*callback)(unsigned workerid));
void starpu_worker_get_name(int id, char* dst, size_t maxlen);
void starpu_worker_display_names(FILE* output, enum starpu_worker_archtype type);
void starpu_worker_display_all(FILE* output);
void starpu_worker_display_count(FILE* output, enum starpu_worker_archtype type);
const char* starpu_worker_get_type_as_string(enum starpu_worker_archtype type);
const char* starpu_worker_get_type_as_env_var(enum starpu_worker_archtype type);
hwloc_cpuset_t starpu_worker_get_hwloc_cpuset(int workerid);

unsigned starpu_worker_get_local_memory_node(void);
unsigned starpu_worker_get_memory_node(unsigned workerid);
unsigned starpu_memory_nodes_get_count(void);
int starpu_memory_nodes_get_numa_count(void);
/* All memory of the machine is one node here, 0 for StarPU, hwloc and the system; -1 for others. */
int starpu_memory_nodes_numa_id_to_hwloclogid(unsigned id);
int starpu_memory_nodes_numa_id_to_devid(int osid);
int starpu_memory_nodes_numa_devid_to_id(unsigned id);
int starpu_memory_node_get_name(unsigned node, char* name, size_t size);
int starpu_memory_node_get_devid(unsigned node);
enum starpu_node_kind starpu_node_get_kind(unsigned node);

/* Combined workers: groups of workers that run parallel tasks (codelet type STARPU_SPMD or
 * STARPU_FORKJOIN, max_parallelism above 1) together. They are there under the policies peager and
 * pheft, of halves of all workers, of halves of these..., numbered after the workers; a task may be
 * sent to one of them with execute_on_a_specific_worker, or by its bit in workerids. */
unsigned starpu_combined_worker_get_count(void);
/* Adds, for a policy's init_sched, the combined workers that peager and pheft have: of the CPU
 * workers within each part of the machine (where they are not bound: of all), and of halves of
 * these, and so on. STARPU_MIN_WORKERSIZE, STARPU_MAX_WORKERSIZE: of how many workers;
 * STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER: thirds (3), ... instead of halves; starpu_conf's
 * single_combined_worker or STARPU_SINGLE_COMBINED_WORKER: of the first two, three, ... only. None
 * on a simulated machine. */
void starpu_sched_find_all_worker_combinations(void);
unsigned starpu_worker_is_combined_worker(int id);
/* 0, or -EINVAL when it is none. *combined_workerid: the members, of the runtime. */
int starpu_combined_worker_get_description(int workerid, int* worker_size, int** combined_workerid);
/* The number of the combined worker of these workers, which is added where it is new, under any
 * policy. -EINVAL when they are not as many different workers, -ENOMEM when there are too many. */
int starpu_combined_worker_assign_workerid(int nworkers, int workerid_array[]);
int starpu_combined_worker_can_execute_task(unsigned workerid, struct starpu_task* task,
                                            unsigned nimpl);
/* Of the task at hand: the combined worker, how many workers it has, and which of them this is. Of
 * a task on one worker: that worker, 1 and 0. */
int starpu_combined_worker_get_id(void);
int starpu_combined_worker_get_size(void);
int starpu_combined_worker_get_rank(void);
/* For push_task functions of policies of the program's own: the task will run on the workers of a
 * combined worker (of a worker: on that one), or on so many workers. The policy then gives as many
 * workers a copy by starpu_task_dup(), and not the task itself. The first that pops its copy runs
 * what is run once; all wait until each of them has popped one. */
void starpu_parallel_task_barrier_init(struct starpu_task* task, int workerid);
void starpu_parallel_task_barrier_init_n(struct starpu_task* task, int worker_size);

/* The number of a worker among those of its kind that have a device each, and its device's. */
int starpu_worker_get_devnum(int id);
/* The number of the kind of worker; STARPU_UNKNOWN_WORKER for another name. */
enum starpu_worker_archtype starpu_worker_get_type_from_string(const char* name);
unsigned starpu_worker_archtype_is_valid(enum starpu_worker_archtype type);
/* Of one of the bits STARPU_CPU, STARPU_CUDA, ...; STARPU_UNKNOWN_WORKER for others. */
enum starpu_worker_archtype starpu_arch_mask_to_worker_archtype(unsigned mask);
unsigned starpu_worker_type_can_execute_task(enum starpu_worker_archtype type,
                                             const struct starpu_task* task);
int starpu_worker_get_subworkerid(int id); /* 0 */
/* When the task that the worker runs, or ran last, is expected to end, by what its policy
 * predicted; 0 where that is not known, or profiling was off. */
void starpu_worker_get_current_task_exp_end(unsigned workerid, struct timespec* date);
void starpu_worker_wait_for_initialisation(void);
unsigned starpu_tcpip_ms_worker_get_count(void); /* 0 */
unsigned starpu_mpi_sc_worker_get_count(void);   /* 0 */
int starpu_node_needs_offset(unsigned node);     /* 0: an address says all of what it points to */
unsigned starpu_worker_is_blocked_in_parallel(int id);
unsigned starpu_worker_is_slave_somewhere(int id);
hwloc_obj_t starpu_worker_get_hwloc_obj(int id); /* the unit that it is bound to, or NULL */
int starpu_cpu_os_index(int cpu);                /* the system's number of a processing unit */
unsigned starpu_memory_nodes_get_count_by_kind(enum starpu_node_kind kind);
/* Fills at most `room` numbers, returns how many there are. */
unsigned starpu_memory_node_get_ids_by_type(enum starpu_node_kind kind, unsigned* ids,
                                            unsigned room);
/* Who works on memory of a kind, and the other way round. */
enum starpu_worker_archtype starpu_memory_node_get_worker_archtype(enum starpu_node_kind kind);
enum starpu_node_kind starpu_worker_get_memory_node_kind(enum starpu_worker_archtype type);
int starpu_asynchronous_copy_disabled_for(enum starpu_node_kind kind);
int starpu_asynchronous_hip_copy_disabled(void);
int starpu_asynchronous_max_fpga_copy_disabled(void);
int starpu_asynchronous_tcpip_ms_copy_disabled(void);
int starpu_map_enabled(void); /* 0 */
void starpu_drivers_preinit(void);

#ifdef __cplusplus
}
#endif

#endif
