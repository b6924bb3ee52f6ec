/* SPDX-License-Identifier: Apache-2.0
 * What a compiler, or a program by hand, needs to run OpenMP on this runtime: StarPU's OpenMP
 * Runtime Support. The names are those of OpenMP's directives and functions, which say what they
 * do; this page says how they do it here.
 *
 * Begin with starpu_omp_init(), in the place of starpu_init(), and end with starpu_omp_shutdown();
 * ordinary tasks and data work in between. All other functions are to be called between the two, or
 * abort with a line.
 *
 * Threads. A team is made of CPU workers, one for each thread. The thread of the program that comes
 * to a region is its first: until the region's end it stands in the place of the first CPU worker,
 * whose own thread waits, so that what it keeps by thread is there inside (threadprivate). One
 * thread of the program at a time has a region, others wait for their turn. A region within a
 * region is a team of its own when there are levels and threads for it
 * (starpu_omp_set_max_active_levels(), OMP_THREAD_LIMIT, by default as many as there are CPU
 * workers), else of one thread.
 *
 * Tasks. Implicit and explicit tasks are tasks of the runtime: they have performance models,
 * priorities, data that are brought to them, and are in traces with their names and the place of
 * the call. Explicit ones run on the workers of their team; on a device wherever their codelet can.
 * One that waits (a barrier, a region, other tasks, a lock) leaves its worker to others and goes on
 * there later, on a stack of its own, whether it is tied or not: a user context (ucontext), as a
 * thread for each task would take it away from the thread of its worker. Other ways to wait, such
 * as a mutex of pthread, keep the worker. Tasks on devices cannot wait.
 *
 * Errors are lines on standard error; what cannot go on aborts after one. */
#ifndef __STARPU_OPENMP_H__
#define __STARPU_OPENMP_H__

#include <starpu_config.h>
#include <starpu_data.h>
#include <starpu_task.h>
#include <starpu_util.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  void* internal;
} starpu_omp_lock_t;
typedef struct {
  void* internal;
} starpu_omp_nest_lock_t;

enum starpu_omp_sched_value {
  starpu_omp_sched_undefined = 0, /* as auto */
  starpu_omp_sched_static = 1,
  starpu_omp_sched_dynamic = 2,
  starpu_omp_sched_guided = 3,
  starpu_omp_sched_auto = 4, /* static, as many iterations for each thread */
  starpu_omp_sched_runtime = 5
};
enum starpu_omp_proc_bind_value {
  starpu_omp_proc_bind_undefined = -1,
  starpu_omp_proc_bind_false = 0,
  starpu_omp_proc_bind_true = 1,
  starpu_omp_proc_bind_master = 2,
  starpu_omp_proc_bind_close = 3,
  starpu_omp_proc_bind_spread = 4
};

/* A parallel region. The codelet is copied, and needs a function for CPUs. */
struct starpu_omp_parallel_region_attr {
  struct starpu_codelet cl;
  starpu_data_handle_t* handles; /* cl.nbuffers; not to be written by more than one thread */
  void* cl_arg;
  size_t cl_arg_size;
  unsigned cl_arg_free; /* free(cl_arg) at the region's end */
  int if_clause;        /* 0: one thread */
  int num_threads;      /* 0: as starpu_omp_set_num_threads() says */
};

/* An explicit task, or a loop of them. The codelet and the handles are copied. */
struct starpu_omp_task_region_attr {
  struct starpu_codelet cl;
  starpu_data_handle_t* handles; /* cl.nbuffers; tasks wait for each other by them */
  void* cl_arg;
  size_t cl_arg_size;
  unsigned cl_arg_free;
  int priority;         /* at most OMP_MAX_TASK_PRIORITY, if that is set */
  int if_clause;        /* 0: the caller goes on when it has ended */
  int final_clause;     /* those that it makes are run by it, within its own function */
  int untied_clause;    /* of no effect */
  int mergeable_clause; /* and if_clause is 0: the function is called, and there is no task */
  int is_loop;          /* the rest is of loops, see starpu_omp_taskloop_inline_begin() */
  int nogroup_clause;
  int collapse; /* of no effect: nb_iterations is that of all loops together */
  int num_tasks;
  unsigned long long nb_iterations;
  unsigned long long grainsize;
  unsigned long long begin_i;
  unsigned long long end_i;
  unsigned long long chunk;
};

/* 0; an error of starpu_init(); -EINVAL on a simulated machine or without CPU workers. Reads OMP_*:
 * one line names those that are set and have no effect. May be called again; each call needs its
 * starpu_omp_shutdown(). */
int starpu_omp_init(void) STARPU_WARN_UNUSED_RESULT;
void starpu_omp_shutdown(void);

/* --- Regions. The macros record the place of the call, also of the two further down. --- */
void starpu_omp_parallel_region(const struct starpu_omp_parallel_region_attr* attr);
void _starpu_omp_parallel_region_at(const char* file, int line, const char* function,
                                    const struct starpu_omp_parallel_region_attr* attr);
#define starpu_omp_parallel_region(...) \
  _starpu_omp_parallel_region_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
/* By the first thread of the team; whether the caller is that. */
void starpu_omp_master(void (*f)(void* arg), void* arg);
int starpu_omp_master_inline(void);

/* --- Synchronization --- */
/* Also waits for all explicit tasks of the region. */
void starpu_omp_barrier(void);
/* A name is a critical section of its own, NULL that of all without one. */
void starpu_omp_critical(void (*f)(void* arg), void* arg, const char* name);
void starpu_omp_critical_inline_begin(const char* name);
void starpu_omp_critical_inline_end(const char* name);
void starpu_omp_atomic_fallback_inline_begin(void);
void starpu_omp_atomic_fallback_inline_end(void);

/* --- Worksharing: by all threads of the team, in the same order. `nowait` 0: ends with a barrier.
 */
void starpu_omp_single(void (*f)(void* arg), void* arg, int nowait);
/* Whether the caller is the one; no barrier. */
int starpu_omp_single_inline(void);
void starpu_omp_single_copyprivate(void (*f)(void* arg, void* data, unsigned long long data_size),
                                   void* arg, void* data, unsigned long long data_size);
/* NULL: the caller is the one, and sets *data before the end. Else the other's data, to be copied
 * before the end. */
void* starpu_omp_single_copyprivate_inline_begin(void* data);
void starpu_omp_single_copyprivate_inline_end(void);

/* Iterations 0 to nb_iterations - 1, in chunks of `chunk` (0: the schedule's own). f() gets the
 * first iteration of a chunk and their number; that of the _alt functions the first and the one
 * after the last. Of the inline functions, first() and then next() say whether the caller has a
 * chunk, until one says 0. */
void starpu_omp_for(void (*f)(unsigned long long _first_i, unsigned long long _nb_i, void* arg),
                    void* arg, unsigned long long nb_iterations, unsigned long long chunk,
                    int schedule, int ordered, int nowait);
int starpu_omp_for_inline_first(unsigned long long nb_iterations, unsigned long long chunk,
                                int schedule, int ordered, unsigned long long* _first_i,
                                unsigned long long* _nb_i);
int starpu_omp_for_inline_next(unsigned long long nb_iterations, unsigned long long chunk,
                               int schedule, int ordered, unsigned long long* _first_i,
                               unsigned long long* _nb_i);
void starpu_omp_for_alt(void (*f)(unsigned long long _begin_i, unsigned long long _end_i,
                                  void* arg),
                        void* arg, unsigned long long nb_iterations, unsigned long long chunk,
                        int schedule, int ordered, int nowait);
int starpu_omp_for_inline_first_alt(unsigned long long nb_iterations, unsigned long long chunk,
                                    int schedule, int ordered, unsigned long long* _begin_i,
                                    unsigned long long* _end_i);
int starpu_omp_for_inline_next_alt(unsigned long long nb_iterations, unsigned long long chunk,
                                   int schedule, int ordered, unsigned long long* _begin_i,
                                   unsigned long long* _end_i);
/* In a loop with `ordered`: the ordered parts take place in the order of their iterations. At most
 * once in an iteration. */
void starpu_omp_ordered(void (*f)(void* arg), void* arg);
void starpu_omp_ordered_inline_begin(void);
void starpu_omp_ordered_inline_end(void);
/* section_f[i](section_arg[i]), or section_f(i, section_arg). */
void starpu_omp_sections(unsigned long long nb_sections, void (**section_f)(void* arg),
                         void** section_arg, int nowait);
void starpu_omp_sections_combined(unsigned long long nb_sections,
                                  void (*section_f)(unsigned long long section_num, void* arg),
                                  void* section_arg, int nowait);

/* --- Tasks --- */
/* Outside of all regions, and when very many tasks wait with their stacks, the caller goes on when
 * the task has ended. */
void starpu_omp_task_region(const struct starpu_omp_task_region_attr* attr);
void _starpu_omp_task_region_at(const char* file, int line, const char* function,
                                const struct starpu_omp_task_region_attr* attr);
#define starpu_omp_task_region(...) \
  _starpu_omp_task_region_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, __VA_ARGS__)
/* For the tasks that this one made; not for those that they made. */
void starpu_omp_taskwait(void);
/* For these, too. */
void starpu_omp_taskgroup(void (*f)(void* arg), void* arg);
void starpu_omp_taskgroup_inline_begin(void);
void starpu_omp_taskgroup_inline_end(void);
/* Makes num_tasks tasks, or as many as have at least grainsize iterations each, or two for each
 * thread. When cl_arg is attr itself, each of them gets a copy of *attr, with its own begin_i,
 * end_i (one after its last iteration) and chunk (their number). The end waits for them, and what
 * they made, unless nogroup_clause is set. */
void starpu_omp_taskloop_inline_begin(struct starpu_omp_task_region_attr* attr);
void _starpu_omp_taskloop_inline_begin_at(const char* file, int line, const char* function,
                                          struct starpu_omp_task_region_attr* attr);
#define starpu_omp_taskloop_inline_begin(...)                                            \
  _starpu_omp_taskloop_inline_begin_at(STARPU_SITE_FILE, __LINE__, STARPU_SITE_FUNCTION, \
                                       __VA_ARGS__)
void starpu_omp_taskloop_inline_end(const struct starpu_omp_task_region_attr* attr);

/* --- Data by their addresses: those that this explicit task, or this region, registered, until it
 * ends, which unregisters them. --- */
void starpu_omp_handle_register(starpu_data_handle_t handle);
void starpu_omp_handle_unregister(starpu_data_handle_t handle);
starpu_data_handle_t starpu_omp_data_lookup(const void* ptr); /* NULL: none */
/* Where a vector that is a part of an array begins in it. */
void starpu_omp_vector_annotate(starpu_data_handle_t handle, uint32_t slice_base);
/* For accesses with STARPU_COMMUTE; it lives as long as OpenMP does. */
struct starpu_arbiter* starpu_omp_get_default_arbiter(void);

/* --- Locks: of tasks, the test functions do not wait. A nestable one says how often it is set. ---
 */
void starpu_omp_init_lock(starpu_omp_lock_t* lock);
void starpu_omp_destroy_lock(starpu_omp_lock_t* lock);
void starpu_omp_set_lock(starpu_omp_lock_t* lock);
void starpu_omp_unset_lock(starpu_omp_lock_t* lock);
int starpu_omp_test_lock(starpu_omp_lock_t* lock);
void starpu_omp_init_nest_lock(starpu_omp_nest_lock_t* lock);
void starpu_omp_destroy_nest_lock(starpu_omp_nest_lock_t* lock);
void starpu_omp_set_nest_lock(starpu_omp_nest_lock_t* lock);
void starpu_omp_unset_nest_lock(starpu_omp_nest_lock_t* lock);
int starpu_omp_test_nest_lock(starpu_omp_nest_lock_t* lock);

/* --- OpenMP's own functions. What is set is the calling task's, and that of what it makes. --- */
void starpu_omp_set_num_threads(int threads);
int starpu_omp_get_num_threads(void);
int starpu_omp_get_thread_num(void);
int starpu_omp_get_max_threads(void);
int starpu_omp_get_num_procs(void); /* CPU workers */
int starpu_omp_in_parallel(void);
void starpu_omp_set_dynamic(int dynamic_threads); /* 1: no more threads than CPU workers */
int starpu_omp_get_dynamic(void);
void starpu_omp_set_nested(int nested); /* 1: as many levels as wanted, 0: one */
int starpu_omp_get_nested(void);
int starpu_omp_get_cancellation(void);
void starpu_omp_set_schedule(enum starpu_omp_sched_value kind, int modifier);
void starpu_omp_get_schedule(enum starpu_omp_sched_value* kind, int* modifier);
int starpu_omp_get_thread_limit(void);
void starpu_omp_set_max_active_levels(int max_levels);
int starpu_omp_get_max_active_levels(void);
int starpu_omp_get_level(void);
int starpu_omp_get_ancestor_thread_num(int level);
int starpu_omp_get_team_size(int level);
int starpu_omp_get_active_level(void);
int starpu_omp_in_final(void);
/* Places: one for each CPU worker that is bound (STARPU_WORKERS_CPUID), with that unit, by the
 * system's number. */
enum starpu_omp_proc_bind_value starpu_omp_get_proc_bind(void);
int starpu_omp_get_num_places(void);
int starpu_omp_get_place_num_procs(int place_num);
void starpu_omp_get_place_proc_ids(int place_num, int* ids);
int starpu_omp_get_place_num(void); /* -1: none */
int starpu_omp_get_partition_num_places(void);
void starpu_omp_get_partition_place_nums(int* place_nums);
/* The host is the one device that is told of; the scheduler sends tasks to others. */
void starpu_omp_set_default_device(int device_num);
int starpu_omp_get_default_device(void);
int starpu_omp_get_num_devices(void);
int starpu_omp_get_num_teams(void);
int starpu_omp_get_team_num(void);
int starpu_omp_is_initial_device(void);
int starpu_omp_get_initial_device(void);
int starpu_omp_get_max_task_priority(void);
double starpu_omp_get_wtime(void); /* seconds since starpu_omp_init() */
double starpu_omp_get_wtick(void);

#ifdef __cplusplus
}
#endif

#endif
