/* SPDX-License-Identifier: Apache-2.0
 * Tasks and data of several processes, source compatible with StarPU's library for MPI.
 *
 * Every process (a rank of a communicator) submits all tasks, in the same order. A task runs in one
 * process; data that it reads are sent from the processes that own them. Functions return 0, or
 * print a warning and return a negative errno. Any thread may call them after starpu_mpi_init*().
 */
#ifndef __STARPU_MPI_H__
#define __STARPU_MPI_H__

#include <mpi.h>
#include <starpu.h>
#include <starpu_mpi_ft.h>
#include <stdarg.h>
#include <stdint.h>

#ifndef STARPU_USE_MPI
#define STARPU_USE_MPI 1
#endif
#ifndef STARPU_USE_MPI_MPI /* messages are sent with MPI */
#define STARPU_USE_MPI_MPI 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Start and end ---- */
/* Starts the runtime and the library. conf NULL: the defaults. If the program does not set the
 * number of workers, a processing unit is kept free for communication. initialize_mpi not 0:
 * starts MPI as well; 0: the program has done so. Called by all ranks of the world. */
int starpu_mpi_init_conf(int* argc, char*** argv, int initialize_mpi, MPI_Comm comm,
                         struct starpu_conf* conf);
/* The same after starpu_init(). */
int starpu_mpi_init_comm(int* argc, char*** argv, int initialize_mpi, MPI_Comm comm);
int starpu_mpi_init(int* argc, char*** argv, int initialize_mpi);
/* Deprecated names. */
int starpu_mpi_initialize(void) STARPU_DEPRECATED;
int starpu_mpi_initialize_extended(int* rank, int* world_size) STARPU_DEPRECATED;
/* Waits for all communication. Ends the runtime and MPI if starpu_mpi_init*() started them. */
int starpu_mpi_shutdown(void);
int starpu_mpi_shutdown_comm(MPI_Comm comm);

/* For any communicator; registering it is not needed. */
int starpu_mpi_comm_register(MPI_Comm comm);
int starpu_mpi_comm_size(MPI_Comm comm, int* size);
int starpu_mpi_comm_rank(MPI_Comm comm, int* rank);
int starpu_mpi_world_rank(void);
int starpu_mpi_world_size(void);
/* STARPU_MPI_TAG_UB sets *attribute_val, an int64_t *, to the address of the largest tag. For
 * other keys *flag is 0. May be called at any time. */
#define STARPU_MPI_TAG_UB MPI_TAG_UB
int starpu_mpi_comm_get_attr(MPI_Comm comm, int keyval, void* attribute_val, int* flag);
/* Returns the processing unit to which the communication thread is bound; -1: none. */
int starpu_mpi_get_thread_cpuid(void);
/* The tag of StarPU's own messages. It is stored, but not used here. */
int starpu_mpi_get_communication_tag(void);
void starpu_mpi_set_communication_tag(int tag);

/* ---- From one process to another ---- */
typedef void* starpu_mpi_req;
typedef int64_t starpu_mpi_tag_t;

/* A send reads the data and a receive writes them, in the order of submission, as tasks do.
 * Messages of one communicator, pair of ranks and tag arrive in the order in which they became
 * ready. `prio`: among messages that are ready, the highest is sent first. A request must be
 * passed to starpu_mpi_wait(), or to starpu_mpi_test() until that sets *flag. A detached request
 * frees itself, and calls callback(arg), unless callback is NULL, when the data are released.
 * issend: ends only when the receiver has begun to receive. */
int starpu_mpi_isend(starpu_data_handle_t handle, starpu_mpi_req* req, int dest,
                     starpu_mpi_tag_t tag, MPI_Comm comm);
int starpu_mpi_isend_prio(starpu_data_handle_t handle, starpu_mpi_req* req, int dest,
                          starpu_mpi_tag_t tag, int prio, MPI_Comm comm);
int starpu_mpi_issend(starpu_data_handle_t handle, starpu_mpi_req* req, int dest,
                      starpu_mpi_tag_t tag, MPI_Comm comm);
int starpu_mpi_issend_prio(starpu_data_handle_t handle, starpu_mpi_req* req, int dest,
                           starpu_mpi_tag_t tag, int prio, MPI_Comm comm);
int starpu_mpi_irecv(starpu_data_handle_t handle, starpu_mpi_req* req, int source,
                     starpu_mpi_tag_t tag, MPI_Comm comm);
int starpu_mpi_wait(starpu_mpi_req* req, MPI_Status* status);
int starpu_mpi_test(starpu_mpi_req* req, int* flag, MPI_Status* status);

int starpu_mpi_send(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag, MPI_Comm comm);
int starpu_mpi_send_prio(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag, int prio,
                         MPI_Comm comm);
int starpu_mpi_recv(starpu_data_handle_t handle, int source, starpu_mpi_tag_t tag, MPI_Comm comm,
                    MPI_Status* status);
int starpu_mpi_recv_prio(starpu_data_handle_t handle, int source, starpu_mpi_tag_t tag, int prio,
                         MPI_Comm comm, MPI_Status* status);

int starpu_mpi_isend_detached(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag,
                              MPI_Comm comm, void (*callback)(void*), void* arg);
int starpu_mpi_isend_detached_prio(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag,
                                   int prio, MPI_Comm comm, void (*callback)(void*), void* arg);
int starpu_mpi_issend_detached(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag,
                               MPI_Comm comm, void (*callback)(void*), void* arg);
int starpu_mpi_issend_detached_prio(starpu_data_handle_t handle, int dest, starpu_mpi_tag_t tag,
                                    int prio, MPI_Comm comm, void (*callback)(void*), void* arg);
int starpu_mpi_irecv_detached(starpu_data_handle_t handle, int source, starpu_mpi_tag_t tag,
                              MPI_Comm comm, void (*callback)(void*), void* arg);
int starpu_mpi_irecv_detached_prio(starpu_data_handle_t handle, int source, starpu_mpi_tag_t tag,
                                   int prio, MPI_Comm comm, void (*callback)(void*), void* arg);
int starpu_mpi_irecv_detached_sequential_consistency(starpu_data_handle_t handle, int source,
                                                     starpu_mpi_tag_t tag, MPI_Comm comm,
                                                     void (*callback)(void*), void* arg,
                                                     int sequential_consistency);

/* Detached requests. unlock_tag, a tag of the runtime, is notified at the end; for an array at
 * the end of all its requests. */
int starpu_mpi_isend_detached_unlock_tag(starpu_data_handle_t handle, int dest,
                                         starpu_mpi_tag_t tag, MPI_Comm comm,
                                         starpu_tag_t unlock_tag);
int starpu_mpi_isend_detached_unlock_tag_prio(starpu_data_handle_t handle, int dest,
                                              starpu_mpi_tag_t tag, int prio, MPI_Comm comm,
                                              starpu_tag_t unlock_tag);
int starpu_mpi_irecv_detached_unlock_tag(starpu_data_handle_t handle, int source,
                                         starpu_mpi_tag_t tag, MPI_Comm comm,
                                         starpu_tag_t unlock_tag);
int starpu_mpi_isend_array_detached_unlock_tag(unsigned count, starpu_data_handle_t* handles,
                                               int* dests, starpu_mpi_tag_t* tags, MPI_Comm* comms,
                                               starpu_tag_t unlock_tag);
int starpu_mpi_isend_array_detached_unlock_tag_prio(unsigned count, starpu_data_handle_t* handles,
                                                    int* dests, starpu_mpi_tag_t* tags, int* prios,
                                                    MPI_Comm* comms, starpu_tag_t unlock_tag);
int starpu_mpi_irecv_array_detached_unlock_tag(unsigned count, starpu_data_handle_t* handles,
                                               int* sources, starpu_mpi_tag_t* tags,
                                               MPI_Comm* comms, starpu_tag_t unlock_tag);

/* Waits until all ranks have called it. As in StarPU 1.4, does not wait for requests. */
int starpu_mpi_barrier(MPI_Comm comm);
/* Waits for all tasks and detached requests of this rank, and for those that they submit. */
int starpu_mpi_wait_for_all(MPI_Comm comm);

/* ---- Data interfaces of the program's own ---- */
/* Registers how handles of an interface are sent: as one element of the type that `allocate`
 * creates and `free` frees, at the address of the data. Without such functions, or if `allocate`
 * does not return 0, the interface's pack_data and peek_data (or unpack_data) are used. */
typedef int (*starpu_mpi_datatype_allocate_func_t)(starpu_data_handle_t, MPI_Datatype*);
typedef int (*starpu_mpi_datatype_node_allocate_func_t)(starpu_data_handle_t, unsigned node,
                                                        MPI_Datatype*);
typedef void (*starpu_mpi_datatype_free_func_t)(MPI_Datatype*);
int starpu_mpi_datatype_register(starpu_data_handle_t handle,
                                 starpu_mpi_datatype_allocate_func_t allocate_datatype_func,
                                 starpu_mpi_datatype_free_func_t free_datatype_func);
int starpu_mpi_datatype_node_register(
    starpu_data_handle_t handle, starpu_mpi_datatype_node_allocate_func_t allocate_datatype_func,
    starpu_mpi_datatype_free_func_t free_datatype_func);
int starpu_mpi_datatype_unregister(starpu_data_handle_t handle);
int starpu_mpi_interface_datatype_register(
    enum starpu_data_interface_id id, starpu_mpi_datatype_allocate_func_t allocate_datatype_func,
    starpu_mpi_datatype_free_func_t free_datatype_func);
int starpu_mpi_interface_datatype_node_register(
    enum starpu_data_interface_id id,
    starpu_mpi_datatype_node_allocate_func_t allocate_datatype_func,
    starpu_mpi_datatype_free_func_t free_datatype_func);
int starpu_mpi_interface_datatype_unregister(enum starpu_data_interface_id id);

/* ---- Which process owns which data ---- */
/* Used as a rank: each process has a value of its own, and tasks that write it run in all
 * processes. */
#define STARPU_MPI_PER_NODE -2
/* The tag must be the same in all processes, and differ from those of other data. */
void starpu_mpi_data_register_comm(starpu_data_handle_t handle, starpu_mpi_tag_t tag, int rank,
                                   MPI_Comm comm);
#define starpu_mpi_data_register(handle, tag, rank) \
  starpu_mpi_data_register_comm(handle, tag, rank, MPI_COMM_WORLD)
void starpu_mpi_data_set_tag(starpu_data_handle_t handle, starpu_mpi_tag_t tag);
#define starpu_data_set_tag starpu_mpi_data_set_tag
void starpu_mpi_data_set_rank_comm(starpu_data_handle_t handle, int rank, MPI_Comm comm);
#define starpu_mpi_data_set_rank(handle, rank) \
  starpu_mpi_data_set_rank_comm(handle, rank, MPI_COMM_WORLD)
#define starpu_data_set_rank starpu_mpi_data_set_rank
/* -1: not registered. */
int starpu_mpi_data_get_rank(starpu_data_handle_t handle);
#define starpu_data_get_rank starpu_mpi_data_get_rank
starpu_mpi_tag_t starpu_mpi_data_get_tag(starpu_data_handle_t handle);
#define starpu_data_get_tag starpu_mpi_data_get_tag
/* Returns an array by rank: whether the rank takes part in a reduction in progress. NULL: there
 * is none. */
char* starpu_mpi_data_get_redux_map(starpu_data_handle_t handle);

/* ---- The cache: data that were sent are not sent again until a task writes them ---- */
/* STARPU_MPI_CACHE=0 turns it off. All ranks must turn it on and off at the same point. */
int starpu_mpi_cache_is_enabled(void);
int starpu_mpi_cache_set(int enabled);
/* Resets the cache: only the owner has the value; copies in other ranks are discarded. Called by
 * all ranks at the same point. */
void starpu_mpi_cache_flush(MPI_Comm comm, starpu_data_handle_t handle);
void starpu_mpi_cache_flush_all_data(MPI_Comm comm);
/* Whether this rank has the owner's value; ..._set returns that, and sets it to true. */
int starpu_mpi_cached_receive(starpu_data_handle_t handle);
int starpu_mpi_cached_receive_set(starpu_data_handle_t handle);
int starpu_mpi_cached_cp_receive_set(starpu_data_handle_t handle);
void starpu_mpi_cached_receive_clear(starpu_data_handle_t handle);
/* Whether rank `dest` has the value; ..._set returns that, and sets it to true. */
int starpu_mpi_cached_send(starpu_data_handle_t handle, int dest);
int starpu_mpi_cached_send_set(starpu_data_handle_t handle, int dest);
void starpu_mpi_cached_send_clear(starpu_data_handle_t handle);

/* ---- Tasks ---- */
/* Takes the arguments of starpu_task_insert(). The task runs in the rank that owns the data it
 * writes; if several ranks do, in the one that a policy selects (below). STARPU_EXECUTE_ON_NODE
 * and STARPU_EXECUTE_ON_DATA override this. STARPU_SSEND in a mode: sends the data as
 * starpu_mpi_issend() does. Returns -EINVAL if a written handle is NULL. */
int starpu_mpi_task_insert(MPI_Comm comm, struct starpu_codelet* codelet, ...);
int starpu_mpi_insert_task(MPI_Comm comm, struct starpu_codelet* codelet, ...);
/* The same in two steps, called by all ranks. ..._build returns the task in the rank that must
 * submit it, else NULL; ..._post_build is called after its submission, with the same arguments. */
struct starpu_task* starpu_mpi_task_build(MPI_Comm comm, struct starpu_codelet* codelet, ...);
struct starpu_task* starpu_mpi_task_build_v(MPI_Comm comm, struct starpu_codelet* codelet,
                                            va_list arguments);
int starpu_mpi_task_post_build(MPI_Comm comm, struct starpu_codelet* codelet, ...);
int starpu_mpi_task_post_build_v(MPI_Comm comm, struct starpu_codelet* codelet, va_list arguments);
/* The same for a task that the program creates itself; `descrs` has room for its data. */
struct starpu_mpi_task_exchange_params {
  int do_execute; /* this rank must submit the task */
  int xrank;      /* the rank that must submit it */
  int priority;
};
int starpu_mpi_task_exchange_data_before_execution(MPI_Comm comm, struct starpu_task* task,
                                                   struct starpu_data_descr* descrs,
                                                   struct starpu_mpi_task_exchange_params* params);
int starpu_mpi_task_exchange_data_after_execution(MPI_Comm comm, struct starpu_data_descr* descrs,
                                                  unsigned nb_data,
                                                  struct starpu_mpi_task_exchange_params params);
/* Registers a function that is called for each task before starpu_mpi_task_insert() submits it
 * here. */
int starpu_mpi_pre_submit_hook_register(void (*f)(struct starpu_task*));
int starpu_mpi_pre_submit_hook_unregister(void);

/* The macros record the call site. Names in parentheses call the functions above. */
int _starpu_mpi_task_insert_at(const char* file, int line, const char* function, MPI_Comm comm,
                               struct starpu_codelet* codelet, ...);
struct starpu_task* _starpu_mpi_task_build_at(const char* file, int line, const char* function,
                                              MPI_Comm comm, struct starpu_codelet* codelet, ...);
#ifndef STARPU_NO_CALL_SITES
#define starpu_mpi_task_insert(...) \
  _starpu_mpi_task_insert_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
#define starpu_mpi_insert_task(...) \
  _starpu_mpi_task_insert_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
#define starpu_mpi_task_build(...) \
  _starpu_mpi_task_build_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
#endif

/* ---- Which rank runs a task that writes data of several ranks ---- */
#define STARPU_MPI_NODE_SELECTION_CURRENT_POLICY -1
/* The rank that owns most of the task's data, in bytes; data that are read and written count
 * twice. */
#define STARPU_MPI_NODE_SELECTION_MOST_R_DATA 0
typedef int (*starpu_mpi_select_node_policy_func_t)(int me, int nb_nodes,
                                                    struct starpu_data_descr* descr, int nb_data);
/* Registers a policy and returns its number. At most 24 at once. */
int starpu_mpi_node_selection_register_policy(starpu_mpi_select_node_policy_func_t policy_func);
int starpu_mpi_node_selection_unregister_policy(int policy);
int starpu_mpi_node_selection_get_current_policy(void);
int starpu_mpi_node_selection_set_current_policy(int policy);

/* ---- Sending data to ranks; called by the owner and the target at least ---- */
int starpu_mpi_get_data_on_node(MPI_Comm comm, starpu_data_handle_t handle, int node);
int starpu_mpi_get_data_on_node_detached(MPI_Comm comm, starpu_data_handle_t handle, int node,
                                         void (*callback)(void*), void* arg);
/* The following functions are called by all ranks, and first finish a reduction of the data that
 * is in progress. */
void starpu_mpi_get_data_on_all_nodes_detached(MPI_Comm comm, starpu_data_handle_t handle);
/* Makes new_rank the owner of the data. */
void starpu_mpi_data_migrate(MPI_Comm comm, starpu_data_handle_t handle, int new_rank);
/* Copies data. The callback runs in the rank that owns the target. */
int starpu_mpi_data_cpy(starpu_data_handle_t target, starpu_data_handle_t source, MPI_Comm comm,
                        int asynchronous, void (*callback)(void*), void* arg);
int starpu_mpi_data_cpy_priority(starpu_data_handle_t target, starpu_data_handle_t source,
                                 MPI_Comm comm, int asynchronous, void (*callback)(void*),
                                 void* arg, int priority);

/* ---- Collective operations ---- */
/* Adds up, in the owner, the values that ranks have accumulated with STARPU_REDUX or
 * STARPU_MPI_REDUX: over a tree in which each rank receives the values of arity - 1 others.
 * Called by all ranks; done automatically before a task reads such data. */
int starpu_mpi_redux_data(MPI_Comm comm, starpu_data_handle_t handle);
int starpu_mpi_redux_data_prio(MPI_Comm comm, starpu_data_handle_t handle, int prio);
int starpu_mpi_redux_data_tree(MPI_Comm comm, starpu_data_handle_t handle, int arity);
int starpu_mpi_redux_data_prio_tree(MPI_Comm comm, starpu_data_handle_t handle, int prio,
                                    int arity);
/* Send all data from the root to their owners, or back. scallback is called in ranks that send,
 * once all their data are sent; rcallback in ranks that receive. */
int starpu_mpi_scatter_detached(starpu_data_handle_t* handles, int count, int root, MPI_Comm comm,
                                void (*scallback)(void*), void* sarg, void (*rcallback)(void*),
                                void* rarg);
int starpu_mpi_gather_detached(starpu_data_handle_t* handles, int count, int root, MPI_Comm comm,
                               void (*scallback)(void*), void* sarg, void (*rcallback)(void*),
                               void* rarg);
/* Accepted without effect: several sends of one value are separate messages here. */
void starpu_mpi_coop_sends_set_use(int use_coop_sends);
int starpu_mpi_coop_sends_get_use(void);
void starpu_mpi_coop_sends_data_handle_nb_sends(starpu_data_handle_t handle, int nb_sends);

/* ---- Statistics: bytes sent to each rank of the world ---- */
void starpu_mpi_comm_stats_disable(void);
void starpu_mpi_comm_stats_enable(void);
void starpu_mpi_comm_stats_retrieve(size_t* comm_stats);
void starpu_mpi_comm_amounts_retrieve(size_t* comm_amounts); /* the name of StarPU 1.3 */

/* ---- Reserving tags ---- */
/* Returns the first of nbtags free tags. Called by all ranks in the same order. Returns -1 if
 * nbtags is 0. */
int64_t starpu_mpi_tags_allocate(int64_t nbtags);
void starpu_mpi_tags_free(int64_t mintag);

#ifdef __cplusplus
}
#endif

#endif
