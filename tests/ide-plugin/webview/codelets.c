// SPDX-License-Identifier: Apache-2.0
// A program of more codelets than a legend has room for, so that some share a colour; one of them
// has a colour of the program's, and the tasks of another have several, and tags that
// numbers of a page cannot tell apart.
#include <starpu.h>
#include <stdio.h>

#define CODELETS 40

static void work(void* buffers[], void* arguments) {
  (void)buffers;
  (void)arguments;
  // Long enough for pixels of its own.
  for (const double begin_us = starpu_timing_now(); starpu_timing_now() < begin_us + 300;) continue;
}

int main(void) {
  static char names[CODELETS][32];
  static struct starpu_codelet codelets[CODELETS], chosen, several;
  if (starpu_init(NULL) != 0) return 1;
  for (int i = 0; i < CODELETS; ++i) {
    snprintf(names[i], sizeof names[i], "kernel_%d", i);
    codelets[i].cpu_funcs[0] = work;
    codelets[i].name = names[i];
    for (int round = 0; round < 3; ++round) starpu_task_insert(&codelets[i], 0);
  }
  chosen.cpu_funcs[0] = several.cpu_funcs[0] = work;
  chosen.name = "chosen";
  several.name = "several";
  chosen.color = 0x00aa55;
  for (int round = 0; round < 3; ++round) {
    starpu_task_insert(&chosen, 0);
    starpu_task_insert(&several, STARPU_TASK_COLOR, 0x112200 * (round + 1), STARPU_TAG,
                       (starpu_tag_t)(0x1000000000000006 + round), 0);
  }
  starpu_task_wait_for_all();
  starpu_shutdown();
  return 0;
}
