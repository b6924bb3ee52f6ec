/* SPDX-License-Identifier: Apache-2.0 */
/* A wait after each five tasks, which four workers cannot share evenly, or one at the end. */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "lws"), us = 5000;
  for (int i = 0; i < 60; i++) {
    if (faulty && i % 5 == 0) starpu_task_wait_for_all(); /* FAULT */
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), 0);
  }
  return ends();
}
