/* SPDX-License-Identifier: Apache-2.0 */
/* Every worker has run something, but nearly all tasks are kept for one, or for none. */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "eager"), us = 4000;
  starpu_pause();
  for (int i = 0; i < 60; i++)
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_EXECUTE_ON_WORKER, /* FAULT */
                       !faulty ? -1
                       : i < 4 ? i
                               : 0,
                       0);
  starpu_resume();
  return ends();
}
