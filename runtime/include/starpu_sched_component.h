/* SPDX-License-Identifier: Apache-2.0
 * Modular scheduling: a policy put together from components, through which tasks wander from the
 * root of a tree down to the workers.
 *
 * A component hands a task to a child with starpu_sched_component_push_task(), which the child may
 * refuse, or has it pulled by a child with starpu_sched_component_pull_task(). A component that has
 * got tasks calls its can_pull() so that workers below wake up and pull; one that has room calls
 * starpu_sched_component_send_can_push_to_parents(), so that those above push. With
 * STARPU_FXT_TRACE=1 each step is recorded, and trace.html replays them.
 *
 * Every function may be called from any thread at once; a component's own data are its to lock. */
#ifndef __STARPU_SCHED_COMPONENT_H__
#define __STARPU_SCHED_COMPONENT_H__

#include <hwloc.h>
#include <starpu.h>
#include <starpu_bitmap.h>

#ifdef __cplusplus
extern "C" {
#endif

enum starpu_sched_component_properties {
  STARPU_SCHED_COMPONENT_HOMOGENEOUS = (1 << 0),
  STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE = (1 << 1)
};
#define STARPU_SCHED_COMPONENT_IS_HOMOGENEOUS(component) \
  ((component)->properties & STARPU_SCHED_COMPONENT_HOMOGENEOUS)
#define STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(component) \
  ((component)->properties & STARPU_SCHED_COMPONENT_SINGLE_MEMORY_NODE)

struct starpu_sched_tree;

/* starpu_sched_component_create() fills every function with a default; a new kind of component
 * replaces those that make it what it is. */
struct starpu_sched_component {
  struct starpu_sched_tree* tree;
  struct starpu_bitmap workers;        /* all below, combined workers too */
  struct starpu_bitmap workers_in_ctx; /* those of them that the context has now */
  void* data;                          /* of this kind of component */
  char* name;
  unsigned nchildren;
  struct starpu_sched_component** children;
  unsigned nparents;
  struct starpu_sched_component** parents;
  void (*add_child)(struct starpu_sched_component* component, struct starpu_sched_component* child);
  void (*remove_child)(struct starpu_sched_component* component,
                       struct starpu_sched_component* child);
  void (*add_parent)(struct starpu_sched_component* component,
                     struct starpu_sched_component* parent);
  void (*remove_parent)(struct starpu_sched_component* component,
                        struct starpu_sched_component* parent);
  /* 0 when it has taken the task, 1 when not. Default: the first child that takes it. */
  int (*push_task)(struct starpu_sched_component* component, struct starpu_task* task);
  /* A task for the child `to`, or NULL. Default: from the parents. */
  struct starpu_task* (*pull_task)(struct starpu_sched_component* from,
                                   struct starpu_sched_component* to);
  /* The child `to` has room; whether tasks were pushed. Default: asks the parents. */
  int (*can_push)(struct starpu_sched_component* from, struct starpu_sched_component* to);
  /* There are tasks to pull; whether a worker was woken. Default: tells children until one was. */
  int (*can_pull)(struct starpu_sched_component* component);
  /* The program waits: see starpu_sched_tree_do_schedule(). May be NULL, the default. */
  void (*do_schedule)(struct starpu_sched_component* component);
  int (*notify)(struct starpu_sched_component* component, int message_ID, void* arg);
  /* How many tasks wait here and below. */
  double (*estimated_load)(struct starpu_sched_component* component);
  /* When a task that is pushed now is expected to start, in the time of starpu_timing_now(), by
   * task->predicted and predicted_transfer of those before it. Default: the soonest below. */
  double (*estimated_end)(struct starpu_sched_component* component);
  void (*deinit_data)(struct starpu_sched_component* component); /* frees `data` */
  void (*notify_change_workers)(struct starpu_sched_component* component);
  int properties;  /* of workers_in_ctx, when the tree was updated last */
  hwloc_obj_t obj; /* where starpu_sched_component_make_scheduler() put it; NULL elsewhere */
};

struct starpu_sched_tree {
  struct starpu_sched_component* root;
  struct starpu_bitmap workers;
  unsigned sched_ctx_id;
  starpu_pthread_mutex_t lock;
};

/* A tree; its policy keeps it with starpu_sched_ctx_set_policy_data() before it adds workers. */
struct starpu_sched_tree* starpu_sched_tree_create(unsigned sched_ctx_id) STARPU_ATTRIBUTE_MALLOC;
/* Destroys all components as well. */
void starpu_sched_tree_destroy(struct starpu_sched_tree* tree);
/* The same for the tree of a context: a policy's deinit_sched. */
void starpu_sched_tree_deinitialize(unsigned sched_ctx_id);
struct starpu_sched_tree* starpu_sched_tree_get(unsigned sched_ctx_id);
/* After components were connected: who is below whom. */
void starpu_sched_tree_update_workers(struct starpu_sched_tree* t);
void starpu_sched_tree_update_workers_in_ctx(struct starpu_sched_tree* t);
/* The functions of a policy. */
int starpu_sched_tree_push_task(struct starpu_task* task);
struct starpu_task* starpu_sched_tree_pop_task(unsigned sched_ctx);
void starpu_sched_tree_add_workers(unsigned sched_ctx_id, int* workerids, unsigned nworkers);
void starpu_sched_tree_remove_workers(unsigned sched_ctx_id, int* workerids, unsigned nworkers);
/* Calls do_schedule of each component that has it, once, those above first. */
void starpu_sched_tree_do_schedule(unsigned sched_ctx_id);
/* The policy's hooks around a task; there is nothing to note. */
void starpu_sched_component_worker_pre_exec_hook(struct starpu_task* task, unsigned sched_ctx_id);
void starpu_sched_component_worker_post_exec_hook(struct starpu_task* task, unsigned sched_ctx_id);

/* A task goes from `from` (NULL: from outside) down to `to`; 0 when it was taken. */
int starpu_sched_component_push_task(struct starpu_sched_component* from,
                                     struct starpu_sched_component* to, struct starpu_task* task);
/* `to` (NULL: outside, to be run) pulls from `from`. */
struct starpu_task* starpu_sched_component_pull_task(struct starpu_sched_component* from,
                                                     struct starpu_sched_component* to);
/* Moves tasks of `component` to its child until it has no more or the child refuses; the refused
 * task, to be put back, or NULL. *success: whether any was moved. _downstream: to the only child.
 */
struct starpu_task* starpu_sched_component_pump_to(struct starpu_sched_component* component,
                                                   struct starpu_sched_component* to, int* success);
struct starpu_task* starpu_sched_component_pump_downstream(struct starpu_sched_component* component,
                                                           int* success);
int starpu_sched_component_send_can_push_to_parents(struct starpu_sched_component* component);

/* Calls add_child and add_parent. */
void starpu_sched_component_connect(struct starpu_sched_component* parent,
                                    struct starpu_sched_component* child);
typedef struct starpu_sched_component* (*starpu_sched_component_create_t)(
    struct starpu_sched_tree* tree, void* data);
struct starpu_sched_component* starpu_sched_component_create(
    struct starpu_sched_tree* tree, const char* name) STARPU_ATTRIBUTE_MALLOC;
void starpu_sched_component_destroy(struct starpu_sched_component* component);
/* With all below. */
void starpu_sched_component_destroy_rec(struct starpu_sched_component* component);
void starpu_sched_component_add_child(struct starpu_sched_component* component,
                                      struct starpu_sched_component* child);
int starpu_sched_component_can_execute_task(struct starpu_sched_component* component,
                                            struct starpu_task* task);
/* The same, and *length (which may be NULL): the least that performance models expect of the task
 * on a worker below, in microseconds; NaN where one has to be measured first, 0 without a model. */
int starpu_sched_component_execute_preds(struct starpu_sched_component* component,
                                         struct starpu_task* task,
                                         double* length) STARPU_WARN_UNUSED_RESULT;
/* Microseconds until the task's data are with a worker below: the mean over the workers. */
double starpu_sched_component_transfer_length(struct starpu_sched_component* component,
                                              struct starpu_task* task);
/* Sends the task's data ahead where all workers below have one memory node, unless they are on
 * their way (task->prefetched) or STARPU_PREFETCH is 0. */
void starpu_sched_component_prefetch_on_node(struct starpu_sched_component* component,
                                             struct starpu_task* task);

/* The defaults. */
struct starpu_task* starpu_sched_component_parents_pull_task(
    struct starpu_sched_component* component, struct starpu_sched_component* to);
int starpu_sched_component_can_push(struct starpu_sched_component* component,
                                    struct starpu_sched_component* to);
int starpu_sched_component_can_pull(struct starpu_sched_component* component);
/* Tells all children. */
int starpu_sched_component_can_pull_all(struct starpu_sched_component* component);
double starpu_sched_component_estimated_load(struct starpu_sched_component* component);
double starpu_sched_component_estimated_end_min(struct starpu_sched_component* component);
/* That, and microseconds of tasks that wait here. */
double starpu_sched_component_estimated_end_min_add(struct starpu_sched_component* component,
                                                    double exp_len);
/* The mean of the children's. */
double starpu_sched_component_estimated_end_average(struct starpu_sched_component* component);

/* The leaf of a worker, or what stands for a combined worker: one for each, made when first asked
 * for. */
struct starpu_sched_component* starpu_sched_component_worker_get(unsigned sched_ctx, int workerid);
struct starpu_sched_component* starpu_sched_component_worker_new(unsigned sched_ctx, int workerid);
int starpu_sched_component_worker_get_workerid(struct starpu_sched_component* worker_component);
int starpu_sched_component_is_worker(struct starpu_sched_component* component);
int starpu_sched_component_is_simple_worker(struct starpu_sched_component* component);
int starpu_sched_component_is_combined_worker(struct starpu_sched_component* component);
/* A combined worker of these workers, whose leaves are its children. A parallel task that is pushed
 * to it, or that it pulls for a child, is run by all of them together; any other task goes to the
 * first child that takes it. (On a simulated machine no task is run by several workers.) */
struct starpu_sched_component* starpu_sched_component_parallel_worker_create(
    struct starpu_sched_tree* tree, unsigned nworkers, unsigned* workers) STARPU_ATTRIBUTE_MALLOC;

/* A queue, first in first out; with ntasks_threshold it refuses more tasks than that. NULL: none.
 * exp_len_threshold: it refuses tasks while those in it are expected to take so many microseconds
 * (0: any time). ready: who pulls gets what has its data there first. What is expected is known in
 * any case, so that exp has no meaning. */
struct starpu_sched_component_fifo_data {
  unsigned ntasks_threshold;
  double exp_len_threshold;
  int ready;
  int exp;
};
struct starpu_sched_component* starpu_sched_component_fifo_create(
    struct starpu_sched_tree* tree,
    struct starpu_sched_component_fifo_data* fifo_data) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_fifo(struct starpu_sched_component* component);
/* The same, highest priority first. */
struct starpu_sched_component_prio_data {
  unsigned ntasks_threshold;
  double exp_len_threshold;
  int ready;
  int exp;
};
struct starpu_sched_component* starpu_sched_component_prio_create(
    struct starpu_sched_tree* tree,
    struct starpu_sched_component_prio_data* prio_data) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_prio(struct starpu_sched_component* component);
/* The same as prio above eager: gives tasks to the first child that takes them, those of the
 * highest priority first, and keeps what nobody takes. */
struct starpu_sched_component* starpu_sched_component_eager_prio_create(
    struct starpu_sched_tree* tree, void* arg) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_eager_prio(struct starpu_sched_component* component);
/* Gives a task to the child of the number in task->sched_data; aborts with a line where there is
 * none. */
struct starpu_sched_component* starpu_sched_component_userchoice_create(
    struct starpu_sched_tree* tree, void* arg) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_userchoice(struct starpu_sched_component* component);
/* Gives a task to the first child that takes it; children that pull get what they can run. */
struct starpu_sched_component* starpu_sched_component_eager_create(
    struct starpu_sched_tree* tree, void* arg) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_eager(struct starpu_sched_component* component);
/* Gives a task to a child chosen at random, or to the next one that takes it. */
struct starpu_sched_component* starpu_sched_component_random_create(
    struct starpu_sched_tree* tree, void* arg) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_random(struct starpu_sched_component* component);
/* A queue for each child. A worker's task goes to the queue above that worker, others go round; a
 * child whose queue has nothing for it pulls from the others. */
struct starpu_sched_component* starpu_sched_component_work_stealing_create(
    struct starpu_sched_tree* tree, void* arg) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_work_stealing(struct starpu_sched_component* component);
/* A policy's push_task: a worker's task goes to the work stealing component above that worker,
 * others to the root. */
int starpu_sched_tree_work_stealing_push_task(struct starpu_task* task);

/* One component made of several, each below the one before: a recipe lists how to create them. What
 * is created no longer needs the recipe; of one component it is just that. */
struct starpu_sched_component_composed_recipe;
struct starpu_sched_component_composed_recipe* starpu_sched_component_composed_recipe_create(void)
    STARPU_ATTRIBUTE_MALLOC;
struct starpu_sched_component_composed_recipe*
starpu_sched_component_composed_recipe_create_singleton(
    struct starpu_sched_component* (*create_component)(struct starpu_sched_tree* tree, void* arg),
    void* arg) STARPU_ATTRIBUTE_MALLOC;
void starpu_sched_component_composed_recipe_add(
    struct starpu_sched_component_composed_recipe* recipe,
    struct starpu_sched_component* (*create_component)(struct starpu_sched_tree* tree, void* arg),
    void* arg);
void starpu_sched_component_composed_recipe_destroy(
    struct starpu_sched_component_composed_recipe* recipe);
struct starpu_sched_component* starpu_sched_component_composed_component_create(
    struct starpu_sched_tree* tree,
    struct starpu_sched_component_composed_recipe* recipe) STARPU_ATTRIBUTE_MALLOC;

/* Gives a task to the child below which performance models expect it to end first (with the weights
 * of params, or those of STARPU_SCHED_ALPHA, _BETA, _GAMMA and STARPU_IDLE_POWER), and sends its
 * data there; a task that they do not know, where the fewest wait. Refuses it when that child does.
 */
struct starpu_sched_component_mct_data {
  double alpha, beta, _gamma, idle_power;
  int nolock; /* no meaning: nothing is locked while it looks */
};
struct starpu_sched_component* starpu_sched_component_mct_create(
    struct starpu_sched_tree* tree,
    struct starpu_sched_component_mct_data* params) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_mct(struct starpu_sched_component* component);
/* The same, but it keeps what is refused, highest priority first, and pushes of the next five of
 * one priority first the one whose expected ends differ most from child to child. */
struct starpu_sched_component* starpu_sched_component_heft_create(
    struct starpu_sched_tree* tree,
    struct starpu_sched_component_mct_data* params) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_heft(struct starpu_sched_component* component);
/* Chooses a task's implementation: of those that a worker below can run one that its model does not
 * know yet, else the one that is expected to take least. */
struct starpu_sched_component* starpu_sched_component_best_implementation_create(
    struct starpu_sched_tree* tree, void* arg) STARPU_ATTRIBUTE_MALLOC;

/* Gives a task to one of its three children (connect them as well): that for tasks without a
 * performance model, that for tasks that some worker has to be measured with, that for all others.
 */
struct starpu_sched_component_perfmodel_select_data {
  struct starpu_sched_component* calibrator_component;
  struct starpu_sched_component* no_perfmodel_component;
  struct starpu_sched_component* perfmodel_component;
};
struct starpu_sched_component* starpu_sched_component_perfmodel_select_create(
    struct starpu_sched_tree* tree,
    struct starpu_sched_component_perfmodel_select_data* data) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_perfmodel_select(struct starpu_sched_component* component);
/* Gives a task to a worker that it has to be measured with, one after the other; where it is known
 * everywhere, to the next child that takes it. */
struct starpu_sched_component* starpu_sched_component_eager_calibration_create(
    struct starpu_sched_tree* tree, void* arg) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_eager_calibration(struct starpu_sched_component* component);
/* Keeps tasks; of those of the highest priority, children of CPUs get what accelerators make least
 * faster by their performance models, and children of accelerators what they make most faster. Of
 * the parameters nothing has a meaning. */
struct starpu_sched_component_heteroprio_data {
  struct starpu_sched_component_mct_data* mct;
  unsigned batch;
};
struct starpu_sched_component* starpu_sched_component_heteroprio_create(
    struct starpu_sched_tree* tree,
    struct starpu_sched_component_heteroprio_data* params) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_heteroprio(struct starpu_sched_component* component);
/* Below several components: children pull what the first of them has for them, then what the second
 * has, and so on. */
struct starpu_sched_component* starpu_sched_component_stage_create(
    struct starpu_sched_tree* tree, void* arg) STARPU_ATTRIBUTE_MALLOC;
int starpu_sched_component_is_stage(struct starpu_sched_component* component);

/* What a tree along the machine's levels has at each of them: NULL: nothing. The recipes stay the
 * caller's, but for those that worker_composed_sched_component returns (it may be NULL as well):
 * one is asked for each worker, for what comes above it, and destroyed. */
struct starpu_sched_component_specs {
  struct starpu_sched_component_composed_recipe*
      hwloc_machine_composed_sched_component; /* a must */
  struct starpu_sched_component_composed_recipe*
      hwloc_component_composed_sched_component; /* each memory, NUMA node or group */
  struct starpu_sched_component_composed_recipe* hwloc_socket_composed_sched_component;
  struct starpu_sched_component_composed_recipe* hwloc_cache_composed_sched_component;
  struct starpu_sched_component_composed_recipe* (*worker_composed_sched_component)(
      enum starpu_worker_archtype archtype);
  /* Not 0: a device's worker is below the first memory's component, with the CPUs. Else below one
   * of its own kind and memory node, made by the same recipe. */
  int mix_heterogeneous_workers;
};
/* A tree of all workers, a bound CPU worker below the components of all that its processing unit is
 * in, one that is not bound below the machine's. A policy's init_sched gives it to
 * starpu_sched_ctx_set_policy_data(). Levels without workers have no component. */
struct starpu_sched_tree* starpu_sched_component_make_scheduler(
    unsigned sched_ctx_id, struct starpu_sched_component_specs specs);

/* What a component that decides has to choose from. */
#define STARPU_SCHED_SIMPLE_DECIDE_MASK (3 << 0)
#define STARPU_SCHED_SIMPLE_DECIDE_WORKERS (1 << 0)
#define STARPU_SCHED_SIMPLE_DECIDE_MEMNODES (2 << 0)
#define STARPU_SCHED_SIMPLE_DECIDE_ARCHS (3 << 0)
#define STARPU_SCHED_SIMPLE_DECIDE_ALWAYS (1 << 3) /* else eager, where there is one choice */
/* Tasks without a performance model, and those to be measured, go round it. */
#define STARPU_SCHED_SIMPLE_PERFMODEL (1 << 4)
/* Above workers: chooses the implementation. */
#define STARPU_SCHED_SIMPLE_IMPL (1 << 5)
/* Above it: a queue, by priority (STARPU_SCHED_SORTED_ABOVE is stronger). */
#define STARPU_SCHED_SIMPLE_FIFO_ABOVE (1 << 6)
#define STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO (1 << 7)
/* Below it: queues, by priority (STARPU_SCHED_SORTED_BELOW), from which tasks with their data in
 * place go first (STARPU_SCHED_READY). Of STARPU_NTASKS_THRESHOLD tasks (2, and 30 below heft, mct
 * and heteroprio) and STARPU_EXP_LEN_THRESHOLD microseconds (1e9), or without a limit. */
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW (1 << 8)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO (1 << 9)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY (1 << 10)
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP (1 << 13) /* no meaning: they always know */
#define STARPU_SCHED_SIMPLE_FIFOS_BELOW_NOLIMIT (1 << 16)
/* Where several workers are one choice: they steal from each other. Else eager is above them. */
#define STARPU_SCHED_SIMPLE_WS_BELOW (1 << 11)
/* Combined workers are choices, too (with DECIDE_WORKERS). */
#define STARPU_SCHED_SIMPLE_COMBINED_WORKERS (1 << 12)
/* Alone: another component follows, to come before the one that decides. */
#define STARPU_SCHED_SIMPLE_PRE_DECISION (1 << 14)
/* Builds a whole policy around one component that decides. */
void starpu_sched_component_initialize_simple_scheduler(
    starpu_sched_component_create_t create_decision_component, void* data, unsigned flags,
    unsigned sched_ctx_id);
/* The same of several, of which each task's sched_data chooses one by its number (userchoice);
 * workers take what the first has for them, then what the second has, and so on. For each of the
 * ndecisions: starpu_sched_component_create_t, void* data, unsigned flags, and after a flag
 * PRE_DECISION the next three. All decide between the same. */
void starpu_sched_component_initialize_simple_schedulers(unsigned sched_ctx_id, unsigned ndecisions,
                                                         ...);

/* Locks without keeping others from this worker meanwhile. */
#define STARPU_COMPONENT_MUTEX_LOCK(m)                            \
  do {                                                            \
    const int relaxed_before__ = starpu_worker_get_relax_state(); \
    if (!relaxed_before__) starpu_worker_relax_on();              \
    STARPU_PTHREAD_MUTEX_LOCK((m));                               \
    if (!relaxed_before__) starpu_worker_relax_off();             \
  } while (0)
#define STARPU_COMPONENT_MUTEX_TRYLOCK(m) STARPU_PTHREAD_MUTEX_TRYLOCK((m))
#define STARPU_COMPONENT_MUTEX_UNLOCK(m) STARPU_PTHREAD_MUTEX_UNLOCK((m))

#ifdef __cplusplus
}
#endif

#endif
