/* SPDX-License-Identifier: Apache-2.0 */
/* No more than two tasks may be submitted and not ended, for four workers; or there is no limit. */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "lws"), us = 5000;
  if (faulty) starpu_set_limit_max_submitted_tasks(2);
  for (int i = 0; i < 60; i++)
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), 0); /* FAULT */
  return ends();
}
