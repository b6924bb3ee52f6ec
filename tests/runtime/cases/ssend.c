// SPDX-License-Identifier: Apache-2.0
/* STARPU_SSEND says how MPI sends the data: without MPI it changes nothing. */
#include <starpu.h>
#include <stdio.h>
static void f(void* d[], void* a) {
  (void)a;
  (*(int*)STARPU_VARIABLE_GET_PTR(d[0]))++;
}
static struct starpu_codelet cl = {
    .cpu_funcs = {f}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "f"};
int main(void) {
  int x = 0;
  starpu_data_handle_t h;
  if (starpu_init(NULL)) return 77;
  starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
  int a = starpu_task_insert(&cl, STARPU_RW, h, 0),
      b = starpu_task_insert(&cl, STARPU_RW | STARPU_SSEND, h, 0),
      c = starpu_task_insert(&cl, STARPU_RW, h, STARPU_EXECUTE_ON_NODE, 0, 0);
  starpu_task_wait_for_all();
  starpu_data_unregister(h);
  starpu_shutdown();
  printf("returned %d %d %d, x = %d\n", a, b, c, x);
}
