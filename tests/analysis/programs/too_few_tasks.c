/* SPDX-License-Identifier: Apache-2.0 */
/* The same work as five tasks for four workers, or as forty. */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "eager");
  const int count = faulty ? 5 : 40, us = 200000 / count;
  starpu_pause();
  for (int i = 0; i < count; i++)
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), 0); /* FAULT */
  starpu_resume();
  return ends();
}
