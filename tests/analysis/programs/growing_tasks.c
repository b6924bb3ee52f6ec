/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that take longer each time, or all as long as the first. */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "lws");
  starpu_pause();
  for (int i = 0; i < 240; i++) {
    const int us = faulty ? 1000 + 30 * i : 1000;
    starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), 0); /* FAULT */
  }
  starpu_resume();
  return ends();
}
