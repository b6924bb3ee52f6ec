/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that two of four workers are kept from, or that any may run. */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "eager"), us = 4000;
  starpu_pause();
  for (int i = 0; i < 60; i++)
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), STARPU_EXECUTE_ON_WORKER, /* FAULT */
                       faulty ? i % 2 : -1, 0);
  starpu_resume();
  return ends();
}
