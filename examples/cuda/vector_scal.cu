/* SPDX-License-Identifier: Apache-2.0
 * Tasks scale parts of a vector, on CPUs and on CUDA devices: the function for devices launches a
 * kernel into its worker's stream and returns. */
#include <starpu.h>
#include <starpu_cuda.h>
#include <stdio.h>

static void scale_cpu(void* buffers[], void* arg) {
  float* v = (float*)STARPU_VECTOR_GET_PTR(buffers[0]);
  unsigned n = STARPU_VECTOR_GET_NX(buffers[0]);
  for (unsigned i = 0; i < n; i++) v[i] *= *(float*)arg;
}

__global__ void scale_kernel(float* v, unsigned n, float factor) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= factor;
}

static void scale_cuda(void* buffers[], void* arg) {
  float* v = (float*)STARPU_VECTOR_GET_PTR(buffers[0]);
  unsigned n = STARPU_VECTOR_GET_NX(buffers[0]);
  scale_kernel<<<(n + 255) / 256, 256, 0, starpu_cuda_get_local_stream()>>>(v, n, *(float*)arg);
  cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) STARPU_CUDA_REPORT_ERROR(status);
}

int main(void) {
  const unsigned n = 1 << 22, parts = 16;
  static float factor = 3.0f;
  struct starpu_codelet scale;
  starpu_codelet_init(&scale);
  scale.cpu_funcs[0] = scale_cpu;
  scale.cuda_funcs[0] = scale_cuda;
  scale.cuda_flags[0] = STARPU_CUDA_ASYNC;
  scale.nbuffers = 1;
  scale.modes[0] = STARPU_RW;
  scale.name = "scale";
  if (starpu_init(NULL) != 0) return 77;
  printf("%u CUDA and %u CPU workers\n", starpu_cuda_worker_get_count(),
         starpu_cpu_worker_get_count());
  float* v;
  /* Pinned: devices copy it by themselves. */
  if (starpu_malloc((void**)&v, n * sizeof(*v)) != 0) return 1;
  for (unsigned i = 0; i < n; i++) v[i] = (float)(i % 1000);
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)v, n, sizeof(*v));
  struct starpu_data_filter cut = {};
  cut.filter_func = starpu_vector_filter_block;
  cut.nchildren = parts;
  starpu_data_partition(handle, &cut);
  for (unsigned i = 0; i < parts; i++)
    starpu_task_insert(&scale, STARPU_RW, starpu_data_get_sub_data(handle, 1, i),
                       STARPU_CL_ARGS_NFREE, &factor, sizeof(factor), 0);
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_data_unregister(handle);
  unsigned wrong = 0;
  for (unsigned i = 0; i < n; i++) wrong += v[i] != (float)(i % 1000) * factor;
  printf("%u of %u are wrong\n", wrong, n);
  starpu_free_noflag(v, n * sizeof(*v));
  starpu_shutdown();
  return wrong != 0;
}
