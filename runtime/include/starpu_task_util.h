/* SPDX-License-Identifier: Apache-2.0
 * Tasks in one call: starpu_task_insert() and its argument kinds, packed arguments. */
#ifndef __STARPU_TASK_UTIL_H__
#define __STARPU_TASK_UTIL_H__

#include <assert.h>
#include <starpu_data.h>
#include <starpu_task.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of arguments, each followed by what the comment says; access modes are followed by a
 * handle; 0 ends the list. */
#define STARPU_MODE_SHIFT 17
#define STARPU_VALUE (1 << STARPU_MODE_SHIFT)                  /* pointer, size: copied */
#define STARPU_CALLBACK (2 << STARPU_MODE_SHIFT)               /* function */
#define STARPU_CALLBACK_WITH_ARG (3 << STARPU_MODE_SHIFT)      /* function, argument (freed) */
#define STARPU_CALLBACK_ARG (4 << STARPU_MODE_SHIFT)           /* argument (freed) */
#define STARPU_PRIORITY (5 << STARPU_MODE_SHIFT)               /* int */
#define STARPU_EXECUTE_ON_NODE (6 << STARPU_MODE_SHIFT)        /* int: for MPI, not used here */
#define STARPU_EXECUTE_ON_DATA (7 << STARPU_MODE_SHIFT)        /* handle: for MPI, not used here */
#define STARPU_DATA_ARRAY (8 << STARPU_MODE_SHIFT)             /* handles, int */
#define STARPU_DATA_MODE_ARRAY (9 << STARPU_MODE_SHIFT)        /* struct starpu_data_descr *, int */
#define STARPU_TAG (10 << STARPU_MODE_SHIFT)                   /* starpu_tag_t */
#define STARPU_HYPERVISOR_TAG (11 << STARPU_MODE_SHIFT)        /* int */
#define STARPU_FLOPS (12 << STARPU_MODE_SHIFT)                 /* double */
#define STARPU_SCHED_CTX (13 << STARPU_MODE_SHIFT)             /* unsigned */
#define STARPU_PROLOGUE_CALLBACK (14 << STARPU_MODE_SHIFT)     /* function */
#define STARPU_PROLOGUE_CALLBACK_ARG (15 << STARPU_MODE_SHIFT) /* argument (freed) */
#define STARPU_PROLOGUE_CALLBACK_POP (16 << STARPU_MODE_SHIFT) /* function */
#define STARPU_PROLOGUE_CALLBACK_POP_ARG (17 << STARPU_MODE_SHIFT) /* argument (freed) */
#define STARPU_EXECUTE_ON_WORKER (18 << STARPU_MODE_SHIFT)         /* int; -1: any */
#define STARPU_EXECUTE_WHERE (19 << STARPU_MODE_SHIFT)             /* unsigned long long */
#define STARPU_TAG_ONLY (20 << STARPU_MODE_SHIFT)          /* starpu_tag_t: shown, orders nothing */
#define STARPU_POSSIBLY_PARALLEL (21 << STARPU_MODE_SHIFT) /* unsigned */
#define STARPU_WORKER_ORDER (22 << STARPU_MODE_SHIFT)      /* unsigned */
#define STARPU_NODE_SELECTION_POLICY (23 << STARPU_MODE_SHIFT) /* int: for MPI, not used here */
#define STARPU_NAME (24 << STARPU_MODE_SHIFT)                  /* const char *, not copied */
#define STARPU_CL_ARGS (25 << STARPU_MODE_SHIFT)               /* pointer (freed), size_t */
#define STARPU_CL_ARGS_NFREE (26 << STARPU_MODE_SHIFT)         /* pointer, size_t */
#define STARPU_TASK_DEPS_ARRAY (27 << STARPU_MODE_SHIFT)       /* unsigned, struct starpu_task ** */
#define STARPU_TASK_COLOR (28 << STARPU_MODE_SHIFT)            /* int */
#define STARPU_HANDLES_SEQUENTIAL_CONSISTENCY \
  (29 << STARPU_MODE_SHIFT)                                  /* unsigned char *: copied */
#define STARPU_TASK_SYNCHRONOUS (30 << STARPU_MODE_SHIFT)    /* int */
#define STARPU_TASK_END_DEPS_ARRAY (31 << STARPU_MODE_SHIFT) /* unsigned, struct starpu_task ** */
#define STARPU_TASK_END_DEP (32 << STARPU_MODE_SHIFT)        /* int */
#define STARPU_TASK_WORKERIDS (33 << STARPU_MODE_SHIFT)      /* unsigned, uint32_t * */
#define STARPU_SEQUENTIAL_CONSISTENCY (34 << STARPU_MODE_SHIFT) /* unsigned */
#define STARPU_TASK_PROFILING_INFO \
  (35 << STARPU_MODE_SHIFT) /* struct starpu_profiling_task_info * */
#define STARPU_TASK_NO_SUBMITORDER (36 << STARPU_MODE_SHIFT)             /* unsigned */
#define STARPU_CALLBACK_ARG_NFREE (37 << STARPU_MODE_SHIFT)              /* argument */
#define STARPU_CALLBACK_WITH_ARG_NFREE (38 << STARPU_MODE_SHIFT)         /* function, argument */
#define STARPU_PROLOGUE_CALLBACK_ARG_NFREE (39 << STARPU_MODE_SHIFT)     /* argument */
#define STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE (40 << STARPU_MODE_SHIFT) /* argument */
#define STARPU_TASK_SCHED_DATA (41 << STARPU_MODE_SHIFT)                 /* void * */
#define STARPU_TRANSACTION (42 << STARPU_MODE_SHIFT)             /* struct starpu_transaction * */
#define STARPU_TASK_FILE (43 << STARPU_MODE_SHIFT)               /* const char *, not copied */
#define STARPU_TASK_LINE (44 << STARPU_MODE_SHIFT)               /* int */
#define STARPU_EPILOGUE_CALLBACK (45 << STARPU_MODE_SHIFT)       /* function */
#define STARPU_EPILOGUE_CALLBACK_ARG (46 << STARPU_MODE_SHIFT)   /* argument (freed) */
#define STARPU_BUBBLE_FUNC (47 << STARPU_MODE_SHIFT)             /* starpu_bubble_func_t */
#define STARPU_BUBBLE_FUNC_ARG (48 << STARPU_MODE_SHIFT)         /* void * */
#define STARPU_BUBBLE_GEN_DAG_FUNC (49 << STARPU_MODE_SHIFT)     /* starpu_bubble_gen_dag_func_t */
#define STARPU_BUBBLE_GEN_DAG_FUNC_ARG (50 << STARPU_MODE_SHIFT) /* void * */
#define STARPU_BUBBLE_PARENT (51 << STARPU_MODE_SHIFT)           /* struct starpu_task * */
#define STARPU_SHIFTED_MODE_MAX (52 << STARPU_MODE_SHIFT)

/* Builds and submits a task; 0 or the error of starpu_task_submit(). */
int starpu_task_insert(struct starpu_codelet* cl, ...);
int starpu_insert_task(struct starpu_codelet* cl, ...);
/* Builds only; NULL with a line on standard error when the arguments make no sense. */
struct starpu_task* starpu_task_build(struct starpu_codelet* cl, ...);
/* Into a task that exists; 0 or -EINVAL. */
int starpu_task_set(struct starpu_task* task, struct starpu_codelet* cl, ...);

/* The macros record where they are used. Without parentheses behind them the names are the
 * functions above, as in &starpu_task_insert. */
int _starpu_task_insert_at(const char* file, int line, const char* function,
                           struct starpu_codelet* cl, ...);
struct starpu_task* _starpu_task_build_at(const char* file, int line, const char* function,
                                          struct starpu_codelet* cl, ...);
int _starpu_task_set_at(const char* file, int line, const char* function, struct starpu_task* task,
                        struct starpu_codelet* cl, ...);
#define starpu_task_insert(...) \
  _starpu_task_insert_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
#define starpu_insert_task(...) \
  _starpu_task_insert_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
#define starpu_task_build(...) \
  _starpu_task_build_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
#define starpu_task_set(...) \
  _starpu_task_set_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)

/* STARPU_VALUE, pointer, size, ... , 0 into a buffer of malloc(). */
void starpu_codelet_pack_args(void** arg_buffer, size_t* arg_buffer_size, ...);
struct starpu_codelet_pack_arg_data {
  char* arg_buffer;
  size_t arg_buffer_size;
  size_t current_offset;
  int nargs;
};
void starpu_codelet_pack_arg_init(struct starpu_codelet_pack_arg_data* state);
void starpu_codelet_pack_arg(struct starpu_codelet_pack_arg_data* state, const void* ptr,
                             size_t ptr_size);
void starpu_codelet_pack_arg_fini(struct starpu_codelet_pack_arg_data* state, void** cl_arg,
                                  size_t* cl_arg_size);
/* Copies the values out, in order, into the pointers given; a 0 pointer stops early. */
void starpu_codelet_unpack_args(void* cl_arg, ...);
/* The same, and copies the values that were not asked for, packed again, into `buffer`. */
void starpu_codelet_unpack_args_and_copyleft(void* cl_arg, void* buffer, size_t buffer_size, ...);
void starpu_codelet_unpack_arg_init(struct starpu_codelet_pack_arg_data* state, void* cl_arg,
                                    size_t cl_arg_size);
void starpu_codelet_unpack_arg(struct starpu_codelet_pack_arg_data* state, void* ptr, size_t size);
void starpu_codelet_dup_arg(struct starpu_codelet_pack_arg_data* state, void** ptr, size_t* size);
void starpu_codelet_pick_arg(struct starpu_codelet_pack_arg_data* state, void** ptr, size_t* size);
/* Skips one. */
void starpu_codelet_unpack_discard_arg(struct starpu_codelet_pack_arg_data* state);
void starpu_codelet_unpack_arg_fini(struct starpu_codelet_pack_arg_data* state);

/* For wrappers that put a task together themselves: a handle (handles) with an access mode, or
 * with modes of their own, at *current_buffer of the task, which moves on. *allocated_buffers is 0
 * at the beginning. */
void starpu_task_insert_data_make_room(struct starpu_codelet* cl, struct starpu_task* task,
                                       int* allocated_buffers, int current_buffer, int room);
void starpu_task_insert_data_process_arg(struct starpu_codelet* cl, struct starpu_task* task,
                                         int* allocated_buffers, int* current_buffer, int arg_type,
                                         starpu_data_handle_t handle);
void starpu_task_insert_data_process_array_arg(struct starpu_codelet* cl, struct starpu_task* task,
                                               int* allocated_buffers, int* current_buffer,
                                               int nb_handles, starpu_data_handle_t* handles);
void starpu_task_insert_data_process_mode_array_arg(struct starpu_codelet* cl,
                                                    struct starpu_task* task,
                                                    int* allocated_buffers, int* current_buffer,
                                                    int nb_descrs,
                                                    struct starpu_data_descr* descrs);

#ifdef __cplusplus
}
#endif

#endif
