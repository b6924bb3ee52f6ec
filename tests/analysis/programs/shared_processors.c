/* SPDX-License-Identifier: Apache-2.0 */
/* Four workers that are bound to one processor, or to none. */
#define _POSIX_C_SOURCE 200112L /* setenv() */
#include "program.h"

int main(int argc, char** argv) {
  const int us = 4000;
  if (argc == 2 && strcmp(argv[1], "faulty") == 0) {
    setenv("STARPU_WORKERS_NOBIND", "0", 1);
    setenv("STARPU_WORKERS_CPUID", "0 0 0 0", 1);
  }
  starts_faulty(argc, argv, "eager");
  starpu_pause();
  for (int i = 0; i < 60; i++) starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), 0);
  starpu_resume();
  return ends();
}
