// SPDX-License-Identifier: Apache-2.0
/* A listener of counters may submit tasks. */
#include <starpu.h>
#include <starpu_perf_monitoring.h>
#include <stdio.h>
static void nop(void* b[], void* a) {
  (void)b;
  (void)a;
}
static struct starpu_codelet cl = {.cpu_funcs = {nop}, .name = "nop"};
static int calls;
static void cb(struct starpu_perf_counter_listener* l, struct starpu_perf_counter_sample* s,
               void* ctx) {
  (void)l;
  (void)s;
  (void)ctx;
  if (calls++ == 0) {
    fprintf(stderr, "listener submits a task\n");
    starpu_task_insert(&cl, 0);
    fprintf(stderr, "submitted\n");
  }
}
int main(void) {
  struct starpu_conf c;
  starpu_conf_init(&c);
  c.ncpus = 1;
  c.start_perf_counter_collection = 1;
  if (starpu_init(&c)) return 1;
  struct starpu_perf_counter_set* set =
      starpu_perf_counter_set_alloc(starpu_perf_counter_scope_global);
  int id = starpu_perf_counter_name_to_id(starpu_perf_counter_scope_global,
                                          "starpu.task.g_total_submitted");
  fprintf(stderr, "id %d\n", id);
  starpu_perf_counter_set_enable_id(set, id);
  struct starpu_perf_counter_listener* l = starpu_perf_counter_listener_init(set, cb, NULL);
  starpu_perf_counter_set_global_listener(l);
  starpu_task_insert(&cl, 0);
  starpu_task_wait_for_all();
  fprintf(stderr, "done, calls %d\n", calls);
  starpu_perf_counter_unset_global_listener();
  starpu_perf_counter_listener_exit(l);
  starpu_perf_counter_set_free(set);
  starpu_shutdown();
  return 0;
}
