/* SPDX-License-Identifier: Apache-2.0 */
/* One long task among many, the last or the first, with which its worker still ends before others.
 */
#include "program.h"

int main(int argc, char** argv) {
  const int faulty = starts_faulty(argc, argv, "eager"), us = 2000, long_us = 59000;
  starpu_pause();
  if (!faulty) starpu_task_insert(&work, STARPU_VALUE, &long_us, sizeof(long_us), 0);
  for (int i = 0; i < 150; i++) starpu_task_insert(&work, STARPU_VALUE, &us, sizeof(us), 0);
  if (faulty) starpu_task_insert(&work, STARPU_VALUE, &long_us, sizeof(long_us), 0); /* FAULT */
  starpu_resume();
  return ends();
}
