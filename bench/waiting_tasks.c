/* SPDX-License-Identifier: Apache-2.0
 * Memory of tasks that wait: waiting_tasks [tasks]. Plain StarPU, so that the same source measures
 * the real one. The first task of a chain runs until all others are submitted. Prints: bytes a task
 * that waits, and the most tasks that were submitted and had not ended
 * (STARPU_LIMIT_MAX_SUBMITTED_TASKS limits them). */
#define _GNU_SOURCE /* nanosleep() */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int tasks;
static volatile int submitted;

static void gate(void* buffers[], void* arg) {
  (void)buffers;
  (void)arg;
  const struct timespec pause = {0, 1000000};
  for (int before = -1; submitted < tasks; before = submitted) {
    nanosleep(&pause, NULL);
    /* A limit holds the submission back: there will be no more. */
    for (int i = 0; i < 200 && before == submitted; i++) nanosleep(&pause, NULL);
    if (before == submitted) break;
  }
}
static void add(void* buffers[], void* arg) {
  (void)arg;
  ++*(int*)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

static struct starpu_codelet gate_codelet = {
    .cpu_funcs = {gate}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "gate"};
static struct starpu_codelet codelet = {
    .cpu_funcs = {add}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "add"};

static long resident_bytes(void) {
  long size = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2) exit(1);
  fclose(file);
  return resident * 4096;
}

static void submit(struct starpu_codelet* cl, starpu_data_handle_t handle) {
  struct starpu_task* task = starpu_task_create();
  task->cl = cl;
  task->handles[0] = handle;
  if (starpu_task_submit(task) != 0) exit(1);
}

int main(int argc, char** argv) {
  tasks = argc > 1 ? atoi(argv[1]) : 1000000;
  if (starpu_init(NULL) != 0) return 77;
  static int value;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof(value));
  const long before = resident_bytes();
  int most = 0;
  submit(&gate_codelet, handle);
  for (submitted = 0; submitted < tasks; submitted++) {
    submit(&codelet, handle);
    if (submitted % 1000 == 0 && starpu_task_nsubmitted() > most) most = starpu_task_nsubmitted();
  }
  const long bytes = resident_bytes() - before;
  starpu_task_wait_for_all();
  starpu_data_unregister(handle);
  starpu_shutdown();
  if (value != tasks) return 1;
  printf("%.0f %d\n", (double)bytes / tasks, most);
  return 0;
}
