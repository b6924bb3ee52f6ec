// SPDX-License-Identifier: Apache-2.0
/* A combined worker that the program makes: tasks that name it run on it, by its number and by its
 * bit in workerids; the same workers make the same one. */
#include <limits.h>
#include <starpu.h>
#include <stdio.h>

static int number, wrong;

static void function(void* buffers[], void* arg) {
  (void)buffers;
  (void)arg;
  if (starpu_combined_worker_get_id() != number || starpu_combined_worker_get_size() != 2)
    __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet codelet = {
    .type = STARPU_FORKJOIN, .max_parallelism = INT_MAX, .cpu_funcs = {function}};

int main(void) {
  if (starpu_init(NULL)) return 77;
  int ids[] = {2, 1}, same[] = {1, 2}, twice[] = {1, 1}, none[] = {1, 99};
  number = starpu_combined_worker_assign_workerid(2, ids);
  wrong += number < 4 || starpu_combined_worker_assign_workerid(2, same) != number;
  wrong += starpu_combined_worker_assign_workerid(2, twice) != -EINVAL;
  wrong += starpu_combined_worker_assign_workerid(2, none) != -EINVAL;
  uint32_t bits[(STARPU_NMAXWORKERS + 31) / 32] = {0};
  bits[number / 32] |= 1u << (number % 32);
  for (int i = 0; i < 100; ++i) {
    struct starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    if (i % 2) {
      task->workerids = bits;
      task->workerids_len = (unsigned)number / 32 + 1;
    } else {
      task->execute_on_a_specific_worker = 1;
      task->workerid = (unsigned)number;
    }
    if (starpu_task_submit(task)) return 1;
  }
  starpu_task_wait_for_all();
  starpu_shutdown();
  printf("wrong: %d\n", wrong);
  return wrong != 0;
}
