/* SPDX-License-Identifier: Apache-2.0 */
/* A program that needs as long to make up its mind as a task needs to run, or does not. */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "lws"), us = 5000;
  for (int i = 0; i < 60; i++) {
    if (faulty) starpu_usleep(4000);
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), 0); /* FAULT */
  }
  return ends();
}
