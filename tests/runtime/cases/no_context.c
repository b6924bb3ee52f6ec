// SPDX-License-Identifier: Apache-2.0
/* A thread in no context asks for the data of its context: there are none. */
#include <starpu.h>
#include <stdio.h>
int main(void) {
  if (starpu_init(NULL)) return 77;
  unsigned c = starpu_sched_ctx_get_context();
  printf("current context %u, STARPU_NMAX_SCHED_CTXS %d\n", c, STARPU_NMAX_SCHED_CTXS);
  printf("policy data %p\n", starpu_sched_ctx_get_policy_data(c));
  starpu_shutdown();
  return 0;
}
