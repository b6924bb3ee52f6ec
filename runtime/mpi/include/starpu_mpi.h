/* SPDX-License-Identifier: Apache-2.0
 * Tasks and data of several processes, source compatible with StarPU's library for MPI.
 *
 * Every process (a rank of a communicator) submits all tasks, in the same order; a task runs in one
 * of them, and what it reads comes from the process that owns it. Functions return 0, or a negative
 * errno value and a line on standard error. Any thread may call them after starpu_mpi_init*(). */
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
#ifndef STARPU_USE_MPI_MPI /* what messages go over */
#define STARPU_USE_MPI_MPI 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Start and end ---- */
/* Starts the runtime (conf NULL: the defaults), which keeps a processing unit for communications
 * free where the program does not say how many workers it wants, and then starts these. MPI is
 * started as well when initialize_mpi is set; otherwise the program has done so. All ranks of the
 * world have to call it. */
int starpu_mpi_init_conf(int* argc, char*** argv, int initialize_mpi, MPI_Comm comm,
                         struct starpu_conf* conf);
/* The same after starpu_init(). */
int starpu_mpi_init_comm(int* argc, char*** argv, int initialize_mpi, MPI_Comm comm);
int starpu_mpi_init(int* argc, char*** argv, int initialize_mpi);
/* Old names. */
int starpu_mpi_initialize(void) STARPU_DEPRECATED;
int starpu_mpi_initialize_extended(int* rank, int* world_size) STARPU_DEPRECATED;
/* Waits for all communications; ends the runtime and MPI where starpu_mpi_init*() started them. */
int starpu_mpi_shutdown(void);
int starpu_mpi_shutdown_comm(MPI_Comm comm);

/* Of any communicator; registering it is not needed. */
int starpu_mpi_comm_register(MPI_Comm comm);
int starpu_mpi_comm_size(MPI_Comm comm, int* size);
int starpu_mpi_comm_rank(MPI_Comm comm, int* rank);
int starpu_mpi_world_rank(void);
int starpu_mpi_world_size(void);
/* attribute_val is an int64_t ** that is set for STARPU_MPI_TAG_UB, the largest tag; of others
 * *flag is 0. May be called at any time. */
#define STARPU_MPI_TAG_UB MPI_TAG_UB
int starpu_mpi_comm_get_attr(MPI_Comm comm, int keyval, void* attribute_val, int* flag);
/* The processing unit that the thread which communicates is bound to; -1: none. */
int starpu_mpi_get_thread_cpuid(void);
/* StarPU's own messages have this tag; ours do not, it is only kept. */
int starpu_mpi_get_communication_tag(void);
void starpu_mpi_set_communication_tag(int tag);

/* ---- From one process to another ---- */
typedef void* starpu_mpi_req;
typedef int64_t starpu_mpi_tag_t;

/* A send reads the data and a receive writes them, in the order of submission, as a task would.
 * Messages of one communicator, pair of ranks and tag arrive in the order in which they could be
 * sent. `prio`: of those that can be sent at once the highest goes first. A request must be given
 * to starpu_mpi_wait(), or to starpu_mpi_test() until that says so; a detached one is not, and
 * calls callback(arg), unless that is NULL, when the data are released. issend: has ended only when
 * the other side has begun to receive. */
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

/* Detached; unlock_tag of the runtime's is notified at the end, of an array at the end of all. */
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

/* Waits for the other ranks to come here; as in StarPU 1.4 for no request. */
int starpu_mpi_barrier(MPI_Comm comm);
/* Waits for all tasks and detached requests of this rank, and for those that they cause. */
int starpu_mpi_wait_for_all(MPI_Comm comm);

/* ---- Data interfaces of the program's own ---- */
/* How a handle of that interface is sent: one element of the type that `allocate` makes and `free`
 * frees, at the address of its data. When there are none, or `allocate` returns another number than
 * 0, the interface's pack_data and peek_data (or unpack_data) are called. */
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
/* As a rank: each process has a value of its own, and tasks that write it run in all of them. */
#define STARPU_MPI_PER_NODE -2
/* The tag must be the same in all processes, and no other data's. */
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
/* -1: nobody has said. */
int starpu_mpi_data_get_rank(starpu_data_handle_t handle);
#define starpu_data_get_rank starpu_mpi_data_get_rank
starpu_mpi_tag_t starpu_mpi_data_get_tag(starpu_data_handle_t handle);
#define starpu_data_get_tag starpu_mpi_data_get_tag
/* By rank, whether it has a part of a reduction that is not finished; NULL: there is none. */
char* starpu_mpi_data_get_redux_map(starpu_data_handle_t handle);

/* ---- The cache: data that were sent are not sent again until somebody writes them ---- */
/* STARPU_MPI_CACHE=0 turns it off. To be turned on and off at the same point by all ranks. */
int starpu_mpi_cache_is_enabled(void);
int starpu_mpi_cache_set(int enabled);
/* Forgets who has the data, and the values of those that do not own them. To be called by all ranks
 * at the same point. */
void starpu_mpi_cache_flush(MPI_Comm comm, starpu_data_handle_t handle);
void starpu_mpi_cache_flush_all_data(MPI_Comm comm);
/* Whether the value of the owner is here; ..._set returns that, and from now on it is. */
int starpu_mpi_cached_receive(starpu_data_handle_t handle);
int starpu_mpi_cached_receive_set(starpu_data_handle_t handle);
int starpu_mpi_cached_cp_receive_set(starpu_data_handle_t handle);
void starpu_mpi_cached_receive_clear(starpu_data_handle_t handle);
/* Whether rank `dest` has the value. */
int starpu_mpi_cached_send(starpu_data_handle_t handle, int dest);
int starpu_mpi_cached_send_set(starpu_data_handle_t handle, int dest);
void starpu_mpi_cached_send_clear(starpu_data_handle_t handle);

/* ---- Tasks ---- */
/* The arguments of starpu_task_insert(). The task runs in the rank that owns what it writes; where
 * several do, in the one that a policy selects (below); or where STARPU_EXECUTE_ON_NODE or
 * STARPU_EXECUTE_ON_DATA say. STARPU_SSEND in a mode: the data are sent as starpu_mpi_issend()
 * does. -EINVAL when a handle that is written is NULL. */
int starpu_mpi_task_insert(MPI_Comm comm, struct starpu_codelet* codelet, ...);
int starpu_mpi_insert_task(MPI_Comm comm, struct starpu_codelet* codelet, ...);
/* The same in two steps, by all ranks: the task, in the rank that is to submit it, or NULL; and
 * after it was submitted, with the same arguments. */
struct starpu_task* starpu_mpi_task_build(MPI_Comm comm, struct starpu_codelet* codelet, ...);
struct starpu_task* starpu_mpi_task_build_v(MPI_Comm comm, struct starpu_codelet* codelet,
                                            va_list arguments);
int starpu_mpi_task_post_build(MPI_Comm comm, struct starpu_codelet* codelet, ...);
int starpu_mpi_task_post_build_v(MPI_Comm comm, struct starpu_codelet* codelet, va_list arguments);
/* The same for a task that the program makes itself; `descrs` has room for its data. */
struct starpu_mpi_task_exchange_params {
  int do_execute; /* this rank is to submit the task */
  int xrank;      /* the rank that is */
  int priority;
};
int starpu_mpi_task_exchange_data_before_execution(MPI_Comm comm, struct starpu_task* task,
                                                   struct starpu_data_descr* descrs,
                                                   struct starpu_mpi_task_exchange_params* params);
int starpu_mpi_task_exchange_data_after_execution(MPI_Comm comm, struct starpu_data_descr* descrs,
                                                  unsigned nb_data,
                                                  struct starpu_mpi_task_exchange_params params);
/* Called for each task that starpu_mpi_task_insert() is about to submit here. */
int starpu_mpi_pre_submit_hook_register(void (*f)(struct starpu_task*));
int starpu_mpi_pre_submit_hook_unregister(void);

/* The macros record where they are used. Without parentheses behind them the names are the
 * functions above. */
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

/* ---- Which rank runs a task that writes data of several ---- */
#define STARPU_MPI_NODE_SELECTION_CURRENT_POLICY -1
/* The one that has most of what is read, in bytes. */
#define STARPU_MPI_NODE_SELECTION_MOST_R_DATA 0
typedef int (*starpu_mpi_select_node_policy_func_t)(int me, int nb_nodes,
                                                    struct starpu_data_descr* descr, int nb_data);
/* At most 24 at once. Returns the number of the policy. */
int starpu_mpi_node_selection_register_policy(starpu_mpi_select_node_policy_func_t policy_func);
int starpu_mpi_node_selection_unregister_policy(int policy);
int starpu_mpi_node_selection_get_current_policy(void);
int starpu_mpi_node_selection_set_current_policy(int policy);

/* ---- Data to where they are wanted; by the owner and the target at least ---- */
int starpu_mpi_get_data_on_node(MPI_Comm comm, starpu_data_handle_t handle, int node);
int starpu_mpi_get_data_on_node_detached(MPI_Comm comm, starpu_data_handle_t handle, int node,
                                         void (*callback)(void*), void* arg);
/* All of the following by all ranks: a reduction of the data that is under way is finished first.
 */
void starpu_mpi_get_data_on_all_nodes_detached(MPI_Comm comm, starpu_data_handle_t handle);
/* The data get another owner. */
void starpu_mpi_data_migrate(MPI_Comm comm, starpu_data_handle_t handle, int new_rank);
/* The callback runs in the rank that owns the target. */
int starpu_mpi_data_cpy(starpu_data_handle_t target, starpu_data_handle_t source, MPI_Comm comm,
                        int asynchronous, void (*callback)(void*), void* arg);
int starpu_mpi_data_cpy_priority(starpu_data_handle_t target, starpu_data_handle_t source,
                                 MPI_Comm comm, int asynchronous, void (*callback)(void*),
                                 void* arg, int priority);

/* ---- Collective operations ---- */
/* Adds what ranks have accumulated with STARPU_REDUX or STARPU_MPI_REDUX, at the owner: over a tree
 * in which each rank takes the values of arity - 1 others. To be called by all ranks; done for the
 * program before a task reads such data. */
int starpu_mpi_redux_data(MPI_Comm comm, starpu_data_handle_t handle);
int starpu_mpi_redux_data_prio(MPI_Comm comm, starpu_data_handle_t handle, int prio);
int starpu_mpi_redux_data_tree(MPI_Comm comm, starpu_data_handle_t handle, int arity);
int starpu_mpi_redux_data_prio_tree(MPI_Comm comm, starpu_data_handle_t handle, int prio,
                                    int arity);
/* All data from the root to their owners, and back. scallback: of the ranks that send, once all
 * they send is sent; rcallback: of those that receive. */
int starpu_mpi_scatter_detached(starpu_data_handle_t* handles, int count, int root, MPI_Comm comm,
                                void (*scallback)(void*), void* sarg, void (*rcallback)(void*),
                                void* rarg);
int starpu_mpi_gather_detached(starpu_data_handle_t* handles, int count, int root, MPI_Comm comm,
                               void (*scallback)(void*), void* sarg, void (*rcallback)(void*),
                               void* rarg);
/* Several sends of one value are so many sends here: these are accepted and change nothing. */
void starpu_mpi_coop_sends_set_use(int use_coop_sends);
int starpu_mpi_coop_sends_get_use(void);
void starpu_mpi_coop_sends_data_handle_nb_sends(starpu_data_handle_t handle, int nb_sends);

/* ---- Statistics: bytes sent to each rank of the world ---- */
void starpu_mpi_comm_stats_disable(void);
void starpu_mpi_comm_stats_enable(void);
void starpu_mpi_comm_stats_retrieve(size_t* comm_stats);
void starpu_mpi_comm_amounts_retrieve(size_t* comm_amounts); /* the name of StarPU 1.3 */

/* ---- Tags that nobody else has ---- */
/* The first of nbtags; by all ranks in the same order. -1 when nbtags is 0. */
int64_t starpu_mpi_tags_allocate(int64_t nbtags);
void starpu_mpi_tags_free(int64_t mintag);

#ifdef __cplusplus
}
#endif

#endif
