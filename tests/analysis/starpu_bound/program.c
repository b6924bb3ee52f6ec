/* SPDX-License-Identifier: Apache-2.0 */
/* Runs tasks of known length under StarPU, and prints what it ran, what its performance models then
 * expect of each task, and the bound that it computes from these:
 *
 *   workers KIND NUMBER
 *   task NAME FOOTPRINT KIND MEASURED_NS EXPECTED_NS
 *   bound_ms VALUE
 *
 * OpenCL workers need no kernel here: their functions sleep as well. Where a model has not measured
 * a kind of worker, StarPU 1.3 says 1e9 ms, and of programs with such numbers GLPK's simplex does
 * not always come to an end. So no policy decides which worker takes a task: each worker takes
 * equally many of each codelet and size. */
#include <starpu.h>
#include <stdio.h>

#define CODELETS 2
#define SIZES 2  /* of data: tasks on the second take twice as long */
#define TASKS 60 /* of each codelet and size; a model needs eleven on each kind of worker */

static struct starpu_perfmodel even_model = {.type = STARPU_HISTORY_BASED, .symbol = "even"};
static struct starpu_perfmodel gpu_model = {.type = STARPU_HISTORY_BASED, .symbol = "gpu"};

static void sleep_ms(void* buffers[], double ms) {
  starpu_sleep((float)(ms * 1e-3 * STARPU_VECTOR_GET_NX(buffers[0])));
}
static void even(void* buffers[], void* argument) { (void)argument, sleep_ms(buffers, 4); }
static void slow(void* buffers[], void* argument) { (void)argument, sleep_ms(buffers, 8); }
static void fast(void* buffers[], void* argument) { (void)argument, sleep_ms(buffers, 3); }

static struct starpu_codelet codelets[CODELETS] = {
    {.cpu_funcs = {even},
     .opencl_funcs = {even},
     .nbuffers = 1,
     .modes = {STARPU_R},
     .model = &even_model,
     .name = "even"},
    {.cpu_funcs = {slow},
     .opencl_funcs = {fast},
     .nbuffers = 1,
     .modes = {STARPU_R},
     .model = &gpu_model,
     .name = "gpu"},
};

static struct starpu_task* tasks[TASKS * CODELETS * SIZES];
static const unsigned task_count = TASKS * CODELETS * SIZES;

static void submit(const starpu_data_handle_t* handles) {
  for (unsigned i = 0; i < task_count; i++) {
    tasks[i] = starpu_task_create();
    tasks[i]->cl = &codelets[i % CODELETS];
    tasks[i]->handles[0] = handles[i / CODELETS % SIZES];
    tasks[i]->destroy = 0;
    tasks[i]->execute_on_a_specific_worker = 1;
    tasks[i]->workerid = i / (CODELETS * SIZES) % starpu_worker_get_count();
    STARPU_CHECK_RETURN_VALUE(starpu_task_submit(tasks[i]), "starpu_task_submit");
  }
}

static double ns(struct timespec time) { return (double)time.tv_sec * 1e9 + (double)time.tv_nsec; }

static void print(struct starpu_task* task) {
  const struct starpu_profiling_task_info* info = task->profiling_info;
  struct starpu_perfmodel_arch* arch =
      starpu_worker_get_perf_archtype(info->workerid, STARPU_NMAX_SCHED_CTXS);
  printf("task %s %u %s %.0f %.0f\n", task->cl->name,
         starpu_task_footprint(task->cl->model, task, arch, 0),
         starpu_worker_get_type(info->workerid) == STARPU_CPU_WORKER ? "CPU" : "OPENCL",
         ns(info->end_time) - ns(info->start_time),
         starpu_task_expected_length(task, arch, 0) * 1e3);
}

int main(void) {
  float values[SIZES] = {0};
  starpu_data_handle_t handles[SIZES];
  double bound_ms = 0;
  STARPU_CHECK_RETURN_VALUE(starpu_init(NULL), "starpu_init");
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  for (unsigned i = 0; i < SIZES; i++)
    starpu_vector_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)values, i + 1,
                                sizeof(values[0]));
  starpu_bound_start(0, 0);
  submit(handles);
  starpu_task_wait_for_all();
  starpu_bound_stop();
  starpu_bound_compute(&bound_ms, NULL, 0);

  printf("workers CPU %u\nworkers OPENCL %u\n", starpu_cpu_worker_get_count(),
         starpu_opencl_worker_get_count());
  for (unsigned i = 0; i < task_count; i++) {
    print(tasks[i]);
    starpu_task_destroy(tasks[i]);
  }
  printf("bound_ms %.9f\n", bound_ms);
  for (unsigned i = 0; i < SIZES; i++) starpu_data_unregister(handles[i]);
  starpu_shutdown();
  return 0;
}
