/* SPDX-License-Identifier: Apache-2.0 */
/* One-dimensional heat stencil in blocks: stencil [blocks [steps [cells_per_block]]]. Iterations
 * are pushed; blocks carry coordinates; a reduction closes each ten steps. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

static void step_cpu(void* b[], void* arg) {
  double *l = (double*)STARPU_VECTOR_GET_PTR(b[0]), *c = (double*)STARPU_VECTOR_GET_PTR(b[1]),
         *r = (double*)STARPU_VECTOR_GET_PTR(b[2]), *o = (double*)STARPU_VECTOR_GET_PTR(b[3]);
  unsigned n = STARPU_VECTOR_GET_NX(b[1]);
  (void)arg;
  for (unsigned i = 0; i < n; i++) {
    double west = i ? c[i - 1] : l[n - 1], east = i + 1 < n ? c[i + 1] : r[0];
    o[i] = c[i] + 0.25 * (west - 2 * c[i] + east);
  }
}

static void sum_cpu(void* b[], void* arg) {
  double *c = (double*)STARPU_VECTOR_GET_PTR(b[0]), *s = (double*)STARPU_VARIABLE_GET_PTR(b[1]);
  (void)arg;
  for (unsigned i = 0; i < STARPU_VECTOR_GET_NX(b[0]); i++) *s += c[i];
}

static void zero_cpu(void* b[], void* arg) {
  (void)arg;
  *(double*)STARPU_VARIABLE_GET_PTR(b[0]) = 0;
}

static void add_cpu(void* b[], void* arg) {
  (void)arg;
  *(double*)STARPU_VARIABLE_GET_PTR(b[0]) += *(double*)STARPU_VARIABLE_GET_PTR(b[1]);
}

static struct starpu_codelet step = {.cpu_funcs = {step_cpu},
                                     .nbuffers = 4,
                                     .modes = {STARPU_R, STARPU_R, STARPU_R, STARPU_W},
                                     .name = "step"};
static struct starpu_codelet sum = {
    .cpu_funcs = {sum_cpu}, .nbuffers = 2, .modes = {STARPU_R, STARPU_REDUX}, .name = "sum"};
static struct starpu_codelet zero = {
    .cpu_funcs = {zero_cpu}, .nbuffers = 1, .modes = {STARPU_W}, .name = "zero"};
static struct starpu_codelet add = {.cpu_funcs = {add_cpu},
                                    .nbuffers = 2,
                                    .modes = {STARPU_RW | STARPU_COMMUTE, STARPU_R},
                                    .name = "add"};

int main(int argc, char** argv) {
  int nb = argc > 1 ? atoi(argv[1]) : 8, steps = argc > 2 ? atoi(argv[2]) : 20,
      n = argc > 3 ? atoi(argv[3]) : 4096;
  double total = 0, *cells = calloc(2 * (size_t)nb * n, sizeof(*cells));
  starpu_data_handle_t s, h[2 * nb]; /* two generations of blocks */
  if (starpu_init(NULL) != 0) return 77;
  for (int b = 0; b < 2 * nb; b++) {
    double* block = cells + (size_t)b * n;
    block[n / 2] = b < nb ? b : 0;
    starpu_vector_data_register(&h[b], STARPU_MAIN_RAM, (uintptr_t)block, n, sizeof(*block));
    starpu_data_set_coordinates(h[b], 2, b % nb, b / nb);
  }
  starpu_variable_data_register(&s, STARPU_MAIN_RAM, (uintptr_t)&total, sizeof(total));
  starpu_data_set_reduction_methods(s, &add, &zero);
  for (int t = 0; t < steps; t++) {
    starpu_data_handle_t *in = h + t % 2 * nb, *out = h + (t + 1) % 2 * nb;
    starpu_iteration_push(t / 10);
    starpu_iteration_push(t % 10);
    for (int i = 0; i < nb; i++)
      starpu_task_insert(&step, STARPU_R, in[(i + nb - 1) % nb], STARPU_R, in[i], STARPU_R,
                         in[(i + 1) % nb], STARPU_W, out[i], 0);
    for (int i = 0; i < nb && t % 10 == 9; i++)
      starpu_task_insert(&sum, STARPU_R, out[i], STARPU_REDUX, s, 0);
    starpu_iteration_pop();
    starpu_iteration_pop();
  }
  starpu_task_wait_for_all();
  for (int b = 0; b < 2 * nb; b++) starpu_data_unregister(h[b]);
  starpu_data_unregister(s);
  starpu_shutdown();
  printf("sum = %g\n", total);
  free(cells);
}
