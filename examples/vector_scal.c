/* SPDX-License-Identifier: Apache-2.0
 * One task scales a vector; its data is registered, used and taken back. */
#include <starpu.h>
#include <stdio.h>

static void scale_cpu(void* buffers[], void* arg) {
  float* v = (float*)STARPU_VECTOR_GET_PTR(buffers[0]);
  unsigned n = STARPU_VECTOR_GET_NX(buffers[0]);
  float factor;
  starpu_codelet_unpack_args(arg, &factor);
  for (unsigned i = 0; i < n; i++) v[i] *= factor;
}

static struct starpu_codelet scale = {
    .cpu_funcs = {scale_cpu}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "scale"};

int main(void) {
  static float v[2048];
  float factor = 3.14f;
  starpu_data_handle_t handle;
  for (int i = 0; i < 2048; i++) v[i] = (float)(i + 1);
  if (starpu_init(NULL) != 0) return 77;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)v, 2048, sizeof(v[0]));
  starpu_task_insert(&scale, STARPU_RW, handle, STARPU_VALUE, &factor, sizeof(factor), 0);
  starpu_data_unregister(handle);
  starpu_shutdown();
  printf("first %.2f, last %.2f\n", v[0], v[2047]);
  return 0;
}
