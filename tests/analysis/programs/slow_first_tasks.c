/* SPDX-License-Identifier: Apache-2.0 */
/* The first task on each worker takes 25 times as long as the others, or none does. */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "lws");
  starpu_pause();
  for (int i = 0; i < 200; i++) {
    const int us = faulty && i < 4 ? 25000 : 1000;
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), 0); /* FAULT */
  }
  starpu_resume();
  return ends();
}
