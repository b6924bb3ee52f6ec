// SPDX-License-Identifier: Apache-2.0
/* Data given back while tasks use them, whose accesses make no order: scratch, RW without
 * sequential consistency (tasks ordered by tags/none), then unregister(_submit). */
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
  unsigned nx = STARPU_VECTOR_GET_NX(b[1]);
  if ((int)nx != m) {
    if (bad++ < 3) fprintf(stderr, "task wants a vector of %d and sees nx %u\n", m, nx);
  } else
    for (int i = 0; i < m; i++) ((double*)STARPU_VECTOR_GET_PTR(b[1]))[i] = i;
}
static struct starpu_codelet slow_cl = {
    .cpu_funcs = {slow}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "slow"};
static struct starpu_codelet use_cl = {
    .cpu_funcs = {use}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_W}, .name = "use"};
static struct starpu_codelet sc_cl = {
    .cpu_funcs = {use}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_SCRATCH}, .name = "usescratch"};
int main(int argc, char** argv) {
  int how = argc > 1 ? atoi(argv[1]) : 0;
  double x = 0;
  starpu_data_handle_t hx, h;
  if (starpu_init(NULL)) return 77;
  starpu_variable_data_register(&hx, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
  starpu_task_insert(&slow_cl, STARPU_RW, hx, 0);
  for (int k = 0; k < 20; k++) {
    int m = 16 + 8 * k;
    starpu_vector_data_register(&h, -1, 0, m, sizeof(double));
    if (how < 2) starpu_data_set_sequential_consistency_flag(h, 0);
    starpu_task_insert(how < 2 ? &use_cl : &sc_cl, STARPU_RW, hx,
                       how < 2 ? STARPU_W : STARPU_SCRATCH, h, STARPU_VALUE, &m, sizeof m, 0);
    if (how % 2 == 0)
      starpu_data_unregister_submit(h);
    else {
      __atomic_store_n(&go, 1, __ATOMIC_RELEASE); /* it waits */
      starpu_data_unregister(h);
    }
  }
  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
  starpu_task_wait_for_all();
  starpu_data_unregister(hx);
  starpu_shutdown();
  printf("how %d: %d tasks saw another vector\n", how, bad);
  return bad != 0;
}
