// SPDX-License-Identifier: Apache-2.0
/* What a per-codelet listener of performance counters is called with: the codelet. */
#include <starpu.h>
#include <stdio.h>
static void f(void* b[], void* a) {
  (void)b;
  (void)a;
}
static struct starpu_codelet cl = {.cpu_funcs = {f}, .name = "cl"};
static int wrong = 0;
static void cb(struct starpu_perf_counter_listener* l, struct starpu_perf_counter_sample* s,
               void* context) {
  (void)l;
  (void)s;
  wrong |= context != &cl;
}
int main(void) {
  if (starpu_init(NULL)) return 77;
  struct starpu_perf_counter_set* set =
      starpu_perf_counter_set_alloc(starpu_perf_counter_scope_per_codelet);
  starpu_perf_counter_set_enable_id(
      set, starpu_perf_counter_name_to_id(starpu_perf_counter_scope_per_codelet,
                                          "starpu.task.c_total_submitted"));
  struct starpu_perf_counter_listener* l = starpu_perf_counter_listener_init(set, cb, (void*)42);
  starpu_perf_counter_set_per_codelet_listener(&cl, l);
  starpu_perf_counter_collection_start();
  starpu_task_insert(&cl, 0);
  starpu_task_wait_for_all();
  starpu_perf_counter_unset_per_codelet_listener(&cl);
  starpu_perf_counter_listener_exit(l);
  starpu_perf_counter_set_disable_id(
      set, starpu_perf_counter_name_to_id(starpu_perf_counter_scope_per_codelet,
                                          "starpu.task.c_total_submitted"));
  starpu_perf_counter_set_free(set);
  starpu_shutdown();
  printf("wrong: %d\n", wrong);
  return wrong;
}
