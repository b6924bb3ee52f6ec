/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of tasks, each of which submits the next when it has ended, that do nothing or something.
 */
#include "program.h"

#define STREAMS 8

static void nothing_cpu(void* buffers[], void* arguments) {
  (void)buffers;
  (void)arguments;
}
static struct starpu_codelet nothing = {.cpu_funcs = {nothing_cpu}, .name = "nothing"};
static struct starpu_codelet* codelet = &nothing;

static void next(void* left) {
  const int us = 3000;
  if ((*(int*)left)-- > 0)
    starpu_task_insert(codelet, STARPU_VALUE, &us, sizeof(us), /* FAULT */
                       STARPU_CALLBACK_WITH_ARG_NFREE, next, left, 0);
}

int main(int argc, char** argv) {
  int left[STREAMS], faulty = starts_faulty(argc, argv, "lws");
  if (!faulty) codelet = &work;
  for (int i = 0; i < STREAMS; i++) {
    left[i] = faulty ? 5000 : 10;
    next(&left[i]);
  }
  return ends();
}
