// SPDX-License-Identifier: Apache-2.0
/* Tasks are submitted until there is no memory for them: the submission says so and goes on. */
#include <errno.h>
#include <starpu.h>
#include <stdio.h>
#include <sys/resource.h>

static void nothing(void* buffers[], void* argument) {
  (void)buffers;
  (void)argument;
}
static struct starpu_codelet codelet = {.cpu_funcs = {nothing}, .name = "nothing"};

int main(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  printf("a sanitizer ends a program that has no memory\n");
  return 77;
#endif
  struct starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 1;
  if (starpu_init(&conf)) return 77;
  starpu_pause();                                /* so that none of them ends */
  const struct rlimit used = {1, RLIM_INFINITY}; /* nothing more of the system */
  if (setrlimit(RLIMIT_DATA, &used) || setrlimit(RLIMIT_AS, &used)) return 77;
  int error = 0;
  for (int i = 0; !error && i < 100000000; i++) error = starpu_task_insert(&codelet, 0);
  const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_DATA, &all);
  setrlimit(RLIMIT_AS, &all);
  starpu_resume();
  starpu_task_wait_for_all();
  starpu_shutdown();
  printf("returned %s\n", error == -ENOMEM ? "-ENOMEM" : "another thing");
  return error != -ENOMEM;
}
