/* SPDX-License-Identifier: Apache-2.0
 * What an empty task costs: task_overhead [tasks [repetitions [buffers]]]. Plain StarPU, so that
 * the same source measures the real one. Prints: workers buffers submit_us total_us (least, then
 * median).
 */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

static void empty(void* buffers[], void* arg) {
  (void)buffers;
  (void)arg;
}

static struct starpu_codelet codelets[2] = {
    {.cpu_funcs = {empty}, .nbuffers = 0, .name = "empty"},
    {.cpu_funcs = {empty}, .nbuffers = 1, .modes = {STARPU_R}, .name = "empty1"},
};

static int compare(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

/* One run of n tasks; times in us per task. */
static void run(int n, int buffers, starpu_data_handle_t handle, double* submit, double* total) {
  const double start = starpu_timing_now();
  for (int i = 0; i < n; i++) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelets[buffers];
    if (buffers) task->handles[0] = handle;
    if (starpu_task_submit(task) != 0) exit(1);
  }
  const double submitted = starpu_timing_now();
  starpu_task_wait_for_all();
  *submit = (submitted - start) / n;
  *total = (starpu_timing_now() - start) / n;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 65536, repetitions = argc > 2 ? atoi(argv[2]) : 7;
  const int buffers = argc > 3 ? atoi(argv[3]) : 0;
  double submit[64], total[64], value = 0;
  starpu_data_handle_t handle;
  if (repetitions < 1 || repetitions > 64 || buffers < 0 || buffers > 1 || starpu_init(NULL) != 0)
    return 77;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof(value));
  run(n, buffers, handle, &submit[0], &total[0]); /* warms up */
  for (int i = 0; i < repetitions; i++) run(n, buffers, handle, &submit[i], &total[i]);
  qsort(submit, repetitions, sizeof(double), compare);
  qsort(total, repetitions, sizeof(double), compare);
  printf("%u %d %.3f %.3f %.3f %.3f\n", starpu_cpu_worker_get_count(), buffers, submit[0], total[0],
         submit[repetitions / 2], total[repetitions / 2]);
  starpu_data_unregister(handle);
  starpu_shutdown();
  return 0;
}
