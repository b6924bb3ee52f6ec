// SPDX-License-Identifier: Apache-2.0
/* Data that outlive a run of the runtime: run 1: tasks on h leave JobRefs {job,id}; run 2 restarts
   ids. A task of run 2 with the same job memory and id, not submitted yet and waiting for a task on
   h, is taken for the predecessor of that task, if a handle remembers jobs by memory and id alone.
 */
#include <starpu.h>
#include <stdio.h>
static void nop(void* b[], void* a) {
  (void)b;
  (void)a;
}
static struct starpu_codelet rw = {
    .cpu_funcs = {nop}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "rw"};
static struct starpu_codelet empty = {.cpu_funcs = {nop}, .name = "empty"};
int main(void) {
  int v = 0;
  starpu_data_handle_t h;
  struct starpu_conf c;
  starpu_conf_init(&c);
  c.ncpus = 1;
  if (starpu_init(&c)) return 1;
  starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&v, sizeof v);
  struct starpu_task* t = starpu_task_create();
  t->cl = &rw;
  t->handles[0] = h;
  t->detach = 0;
  t->destroy = 0;
  starpu_task_submit(t);
  void* p1 = t->starpu_private;
  if (starpu_task_wait(t)) return 1;
  starpu_task_destroy(t);
  starpu_shutdown();
  starpu_conf_init(&c);
  c.ncpus = 1;
  if (starpu_init(&c)) return 1;
  /* the first id of the new run again, and the job memory that was freed last */
  struct starpu_task* a = starpu_task_create();
  a->cl = &empty;
  struct starpu_task* b = starpu_task_create();
  b->cl = &rw;
  b->handles[0] = h;
  starpu_task_declare_deps_array(a, 1, &b); /* a after b: gives both an id */
  printf("job memory %p then a %p b %p, ids a %lu b %lu\n", p1, a->starpu_private,
         b->starpu_private, (unsigned long)starpu_task_get_job_id(a),
         (unsigned long)starpu_task_get_job_id(b));
  fflush(stdout);
  printf("submit b: %d\n", starpu_task_submit(b));
  printf("submit a: %d\n", starpu_task_submit(a));
  fflush(stdout);
  starpu_task_wait_for_all();
  puts("done");
  starpu_data_unregister(h);
  starpu_shutdown();
  return 0;
}
