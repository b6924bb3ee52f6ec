/* SPDX-License-Identifier: Apache-2.0 */
/* Three tasks on one vector: greet, scale it, print it. */
#include <starpu.h>
#include <stdio.h>

static void greet_cpu(void* buffers[], void* cl_arg) {
  int answer;
  (void)buffers;
  starpu_codelet_unpack_args(cl_arg, &answer);
  printf("Hello world, the answer is %d\n", answer);
}

static void scale_cpu(void* buffers[], void* cl_arg) {
  int factor;
  unsigned n = STARPU_VECTOR_GET_NX(buffers[0]);
  int* v = (int*)STARPU_VECTOR_GET_PTR(buffers[0]);
  starpu_codelet_unpack_args(cl_arg, &factor);
  for (unsigned i = 0; i < n; i++) v[i] *= factor;
}

static void print_cpu(void* buffers[], void* cl_arg) {
  unsigned n = STARPU_VECTOR_GET_NX(buffers[0]);
  int* v = (int*)STARPU_VECTOR_GET_PTR(buffers[0]);
  (void)cl_arg;
  for (unsigned i = 0; i < n; i++) printf("v[%u] = %d\n", i, v[i]);
}

static struct starpu_codelet greet = {.cpu_funcs = {greet_cpu}, .nbuffers = 0, .name = "greet"};
static struct starpu_codelet scale = {
    .cpu_funcs = {scale_cpu}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "scale"};
static struct starpu_codelet print = {
    .cpu_funcs = {print_cpu}, .nbuffers = 1, .modes = {STARPU_R}, .name = "print"};

int main(void) {
  int v[5] = {1, 2, 3, 4, 5};
  int answer = 42;
  starpu_data_handle_t h;
  if (starpu_init(NULL) != 0) return 77;
  starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)v, 5, sizeof(v[0]));
  starpu_task_insert(&greet, STARPU_VALUE, &answer, sizeof(answer), 0);
  starpu_task_insert(&scale, STARPU_RW, h, STARPU_VALUE, &answer, sizeof(answer), 0);
  starpu_task_insert(&print, STARPU_R, h, 0);
  starpu_data_unregister(h);
  starpu_shutdown();
  return 0;
}
