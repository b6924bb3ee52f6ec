/* SPDX-License-Identifier: Apache-2.0 */
/* Every worker has run something, but nearly all tasks are kept for one, or for none. Twice, so
 * that the others do nothing before a task, not only after their last. */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "eager"), us = 4000;
  for (int round = 0; round < 2; round++) {
    starpu_pause();
    for (int i = 0; i < 28; i++)
      starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_EXECUTE_ON_WORKER, /* FAULT */
                         !faulty ? -1
                         : i < 4 ? i
                                 : 0,
                         0);
    starpu_resume();
    starpu_task_wait_for_all();
  }
  return ends();
}
