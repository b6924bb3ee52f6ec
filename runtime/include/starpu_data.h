/* SPDX-License-Identifier: Apache-2.0
 * Data handles: what tasks access, and what orders them. */
#ifndef __STARPU_DATA_H__
#define __STARPU_DATA_H__

#include <starpu_config.h>
#include <starpu_util.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct _starpu_data_state;
typedef struct _starpu_data_state* starpu_data_handle_t;
struct starpu_codelet;
struct starpu_data_interface_ops;

enum starpu_data_access_mode {
  STARPU_NONE = 0,
  STARPU_R = (1 << 0),
  STARPU_W = (1 << 1),
  STARPU_RW = (STARPU_R | STARPU_W),
  /* A buffer of the worker's own, without content before or after the task. */
  STARPU_SCRATCH = (1 << 2),
  /* Each worker accumulates into its own copy; the copies are combined before the next access. */
  STARPU_REDUX = (1 << 3),
  /* With W or RW: such accesses in a row may run in any order, one at a time. */
  STARPU_COMMUTE = (1 << 4),
  STARPU_SSEND = (1 << 5),
  STARPU_LOCALITY = (1 << 6),
  STARPU_MPI_REDUX = (1 << 7),
  STARPU_NOPLAN = (1 << 8),
  STARPU_UNMAP = (1 << 9),
  /* The size of this access does not enter the task's footprint. */
  STARPU_NOFOOTPRINT = (1 << 10),
  STARPU_ACCESS_MODE_MAX = (1 << 11)
};

/* Shown in traces. `name` is copied. */
void starpu_data_set_name(starpu_data_handle_t handle, const char* name);
const char* starpu_data_get_name(starpu_data_handle_t handle);
/* Where the data lies in the program's own grid; at most 5 dimensions are recorded. */
void starpu_data_set_coordinates_array(starpu_data_handle_t handle, unsigned dimensions,
                                       int dims[]);
void starpu_data_set_coordinates(starpu_data_handle_t handle, unsigned dimensions, ...);
/* Fills at most `dimensions` values, returns how many there are. */
unsigned starpu_data_get_coordinates_array(starpu_data_handle_t handle, unsigned dimensions,
                                           int dims[]);

/* Waits for the tasks that use the handle, leaves its value in the home memory, frees the handle.
 */
void starpu_data_unregister(starpu_data_handle_t handle);
/* The same without caring for the value. */
void starpu_data_unregister_no_coherency(starpu_data_handle_t handle);
/* The same once the tasks submitted so far are done, without waiting; the value is lost. */
void starpu_data_unregister_submit(starpu_data_handle_t handle);
/* The value is no longer needed; the next access must write (or reduce). */
void starpu_data_invalidate(starpu_data_handle_t handle);
void starpu_data_invalidate_submit(starpu_data_handle_t handle);
void starpu_data_deinitialize(starpu_data_handle_t handle);
void starpu_data_deinitialize_submit(starpu_data_handle_t handle);
void starpu_data_advise_as_important(starpu_data_handle_t handle, unsigned is_important);

#define STARPU_ACQUIRE_NO_NODE -1
#define STARPU_ACQUIRE_NO_NODE_LOCK_ALL -2
#define STARPU_ACQUIRE_ALL_NODES -1

/* Gives the data to the program, ordered like a task that accesses it; 0, or -EDEADLK from inside
 * a task or callback (only the _cb and _try forms may be used there). */
int starpu_data_acquire(starpu_data_handle_t handle, enum starpu_data_access_mode mode);
int starpu_data_acquire_on_node(starpu_data_handle_t handle, int node,
                                enum starpu_data_access_mode mode);
/* callback(arg) runs once the data is there, in any thread; it may release it. */
int starpu_data_acquire_cb(starpu_data_handle_t handle, enum starpu_data_access_mode mode,
                           void (*callback)(void*), void* arg);
int starpu_data_acquire_on_node_cb(starpu_data_handle_t handle, int node,
                                   enum starpu_data_access_mode mode, void (*callback)(void*),
                                   void* arg);
int starpu_data_acquire_cb_sequential_consistency(starpu_data_handle_t handle,
                                                  enum starpu_data_access_mode mode,
                                                  void (*callback)(void*), void* arg,
                                                  int sequential_consistency);
int starpu_data_acquire_on_node_cb_sequential_consistency(starpu_data_handle_t handle, int node,
                                                          enum starpu_data_access_mode mode,
                                                          void (*callback)(void*), void* arg,
                                                          int sequential_consistency);
/* `quick` changes nothing here: a callback runs as soon as the data are there. */
int starpu_data_acquire_on_node_cb_sequential_consistency_quick(
    starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode,
    void (*callback)(void*), void* arg, int sequential_consistency, int quick);
/* *pre_sync_jobid and *post_sync_jobid (NULL: not wanted) are the number of the one task that
 * stands for the acquisition here: it starts with it and ends with the release. */
int starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
    starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode,
    void (*callback)(void*), void* arg, int sequential_consistency, int quick, long* pre_sync_jobid,
    long* post_sync_jobid);
/* 0 when the data could be given at once, -EAGAIN otherwise. */
int starpu_data_acquire_try(starpu_data_handle_t handle, enum starpu_data_access_mode mode);
int starpu_data_acquire_on_node_try(starpu_data_handle_t handle, int node,
                                    enum starpu_data_access_mode mode);
void starpu_data_release(starpu_data_handle_t handle);
void starpu_data_release_on_node(starpu_data_handle_t handle, int node);
/* Gives a part of what was acquired back: STARPU_R keeps reading while others may read as well,
 * STARPU_NONE is starpu_data_release(). */
void starpu_data_release_to(starpu_data_handle_t handle, enum starpu_data_access_mode down_to_mode);
void starpu_data_release_to_on_node(starpu_data_handle_t handle,
                                    enum starpu_data_access_mode down_to_mode, int node);

/* Into the main memory, onto a device or a disk, if there is room. `async`: nobody waits for it. */
int starpu_data_request_allocation(starpu_data_handle_t handle, unsigned node);
int starpu_data_fetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async);
int starpu_data_prefetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async);
int starpu_data_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node, unsigned async,
                                      int prio);
int starpu_data_idle_prefetch_on_node(starpu_data_handle_t handle, unsigned node, unsigned async);
int starpu_data_idle_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node,
                                           unsigned async, int prio);
unsigned starpu_data_is_on_node(starpu_data_handle_t handle, unsigned node);
unsigned starpu_data_test_if_allocated_on_node(starpu_data_handle_t handle, unsigned memory_node);
/* Whether there is memory for it on the node, whether its value is there, and whether the value is
 * requested there: a fetch or prefetch has not ended (of which starpu_data_is_on_node() says 1 for
 * devices, and 0 for others). Any of the three may be NULL. */
void starpu_data_query_status(starpu_data_handle_t handle, int memory_node, int* is_allocated,
                              int* is_valid, int* is_requested);
/* Of data whose home is not the node: whether nobody uses them there; 0, or -1 if they stay. */
int starpu_data_can_evict(starpu_data_handle_t handle, unsigned node, int is_prefetch);
int starpu_data_evict_from_node(starpu_data_handle_t handle, unsigned node);
void starpu_data_set_wt_mask(starpu_data_handle_t handle, uint32_t wt_mask);
void starpu_data_wont_use(starpu_data_handle_t handle);

/* Whether tasks are ordered by the order in which they were submitted (1, the default). */
void starpu_data_set_sequential_consistency_flag(starpu_data_handle_t handle, unsigned flag);
unsigned starpu_data_get_sequential_consistency_flag(starpu_data_handle_t handle);
unsigned starpu_data_get_default_sequential_consistency_flag(void);
void starpu_data_set_default_sequential_consistency_flag(unsigned flag);
void starpu_data_set_ooc_flag(starpu_data_handle_t handle, unsigned flag);
unsigned starpu_data_get_ooc_flag(starpu_data_handle_t handle);

/* init_cl makes a neutral element (1 buffer, W), redux_cl adds buffer 1 (R) to buffer 0 (RW). */
void starpu_data_set_reduction_methods(starpu_data_handle_t handle, struct starpu_codelet* redux_cl,
                                       struct starpu_codelet* init_cl);

/* The same with an argument (cl_arg) for each of the two. */
void starpu_data_set_reduction_methods_with_args(starpu_data_handle_t handle,
                                                 struct starpu_codelet* redux_cl,
                                                 void* redux_cl_arg, struct starpu_codelet* init_cl,
                                                 void* init_cl_arg);

/* Accesses with STARPU_COMMUTE to the data of one arbiter are taken all together or not at all, so
 * that a task that waits for one of them keeps the others free. Assign before the first access;
 * destroy when no handle uses it any more. */
typedef struct starpu_arbiter* starpu_arbiter_t;
starpu_arbiter_t starpu_arbiter_create(void);
void starpu_arbiter_destroy(starpu_arbiter_t arbiter);
void starpu_data_assign_arbiter(starpu_data_handle_t handle, starpu_arbiter_t arbiter);

/* Runs the code once the data are there, in any thread, and releases them. In C it is a function in
 * the function (of gcc), which must not have returned by then; in C++ it has copies of what it
 * uses. */
#if defined(__cplusplus)
}
template <class Code>
int _starpu_data_acquire_and_call(starpu_data_handle_t handle, enum starpu_data_access_mode mode,
                                  Code code) {
  return starpu_data_acquire_cb(
      handle, mode,
      [](void* arg) {
        Code* kept = static_cast<Code*>(arg);
        (*kept)();
        delete kept;
      },
      new Code(code));
}
extern "C" {
#define STARPU_DATA_ACQUIRE_CB(handle, mode, code)        \
  do {                                                    \
    const starpu_data_handle_t handle__ = (handle);       \
    _starpu_data_acquire_and_call(handle__, mode, [=]() { \
      code;                                               \
      starpu_data_release(handle__);                      \
    });                                                   \
  } while (0)
#elif defined(__GNUC__) && !defined(__clang__)
#define STARPU_DATA_ACQUIRE_CB(handle, mode, code)                \
  do {                                                            \
    const starpu_data_handle_t handle__ = (handle);               \
    void callback__(void* arg__) {                                \
      (void)arg__;                                                \
      code;                                                       \
      starpu_data_release(handle__);                              \
    }                                                             \
    starpu_data_acquire_cb(handle__, mode, callback__, (void*)0); \
  } while (0)
#endif

/* Makes room in a node's memory that has a limit, by eviction: up to STARPU_TARGET_AVAILABLE_MEM
 * per cent of it, when less than STARPU_MINIMUM_AVAILABLE_MEM per cent are free. */
void starpu_memchunk_tidy(unsigned memory_node);

struct starpu_data_interface_ops* starpu_data_get_interface_ops(starpu_data_handle_t handle);
void starpu_data_set_user_data(starpu_data_handle_t handle, void* user_data);
void* starpu_data_get_user_data(starpu_data_handle_t handle);
void starpu_data_set_sched_data(starpu_data_handle_t handle, void* sched_data);
void* starpu_data_get_sched_data(starpu_data_handle_t handle);

/* How data come to a memory node; for policies. */
enum starpu_is_prefetch {
  STARPU_FETCH = 0,
  STARPU_TASK_PREFETCH = 1,
  STARPU_PREFETCH = 2,
  STARPU_IDLEFETCH = 3,
  STARPU_NFETCH
};
/* As starpu_data_query_status(), and whether the value is being loaded to the node. (A copy begins
 * with its request, so both say the same.) */
void starpu_data_query_status2(starpu_data_handle_t handle, int node, int* is_allocated,
                               int* is_valid, int* is_loading, int* is_requested);
unsigned starpu_data_test_if_mapped_on_node(starpu_data_handle_t handle, unsigned node); /* 0 */
/* The interface's own text of the data on a node. */
void starpu_data_print(starpu_data_handle_t handle, unsigned node, FILE* stream);

#ifdef __cplusplus
}
#endif

#endif
