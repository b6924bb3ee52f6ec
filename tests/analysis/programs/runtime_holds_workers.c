/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks each with a long callback function, which the worker runs before it takes another task, or
 * with that work in a task. */
#include "program.h"

static const int after_us = 3000;

static void sleeps(void* unused) {
  (void)unused;
  starpu_usleep(after_us);
}

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "eager"), us = 4000;
  void (*after)(void*) = faulty ? sleeps : NULL;
  starpu_pause();
  for (int i = 0; i < 120; i++) {
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_CALLBACK, after, 0); /* FAULT */
    if (!faulty) starpu_task_insert(&work, STARPU_VALUE, &after_us, sizeof(after_us), 0);
  }
  starpu_resume();
  return ends();
}
