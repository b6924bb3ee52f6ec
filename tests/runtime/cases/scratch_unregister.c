// SPDX-License-Identifier: Apache-2.0
/* Scratch data that is given back with starpu_data_unregister_submit() right after the tasks that
 * use it were submitted (a usual idiom). Every task must see a buffer of its own size. */
#include <starpu.h>
#include <stdio.h>
static int bad;
static int go; /* the first task ends, which all others wait for */
static void slow(void* b[], void* a) {
  (void)b;
  (void)a;
  while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) STARPU_SYNCHRONIZE();
}
static void use(void* b[], void* a) {
  int m;
  starpu_codelet_unpack_args(a, &m);
  unsigned nx = STARPU_MATRIX_GET_NX(b[1]), ld = STARPU_MATRIX_GET_LD(b[1]);
  if ((int)nx != m || (int)ld < m) {
    if (bad++ < 5)
      fprintf(stderr, "task wants a scratch matrix of %d rows and sees nx %u ld %u\n", m, nx, ld);
  } else
    for (unsigned j = 0; j < STARPU_MATRIX_GET_NY(b[1]); j++)
      for (int i = 0; i < m; i++) ((double*)STARPU_MATRIX_GET_PTR(b[1]))[j * ld + i] = i;
}
static struct starpu_codelet slow_cl = {
    .cpu_funcs = {slow}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "slow"};
static struct starpu_codelet use_cl = {
    .cpu_funcs = {use}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_SCRATCH}, .name = "use"};
int main(void) {
  double x = 0;
  starpu_data_handle_t hx, h;
  if (starpu_init(NULL)) return 77;
  starpu_variable_data_register(&hx, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
  starpu_task_insert(&slow_cl, STARPU_RW, hx, 0);
  for (int k = 0; k < 50; k++) {
    int m = 16 + 8 * k;
    starpu_matrix_data_register(&h, -1, 0, m, m, 10, sizeof(double));
    for (int t = 0; t < 3; t++)
      starpu_task_insert(&use_cl, STARPU_RW, hx, STARPU_SCRATCH, h, STARPU_VALUE, &m, sizeof m, 0);
    starpu_data_unregister_submit(h);
  }
  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
  starpu_task_wait_for_all();
  starpu_data_unregister(hx);
  starpu_shutdown();
  printf("%d tasks saw a wrong scratch buffer\n", bad);
  return bad != 0;
}
