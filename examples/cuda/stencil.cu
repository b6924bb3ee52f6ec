/* SPDX-License-Identifier: Apache-2.0
 * Heat spreads along a line: each step is a task a part, which reads its neighbours' parts. */
#include <math.h>
#include <starpu.h>
#include <starpu_cuda.h>
#include <stdio.h>

enum { kParts = 8, kSize = 1 << 16, kSteps = 50 };

__host__ __device__ static float mean(float left, float here, float right) {
  return 0.25f * left + 0.5f * here + 0.25f * right;
}

#define AT(i) ((float*)STARPU_VECTOR_GET_PTR(buffers[i]))
static void step_cpu(void* buffers[], void*) {
  const float *left = AT(0), *here = AT(1), *right = AT(2);
  float* next = AT(3);
  for (int i = 0; i < kSize; i++)
    next[i] =
        mean(i ? here[i - 1] : left[kSize - 1], here[i], i < kSize - 1 ? here[i + 1] : right[0]);
}
__global__ void step_kernel(const float* left, const float* here, const float* right, float* next) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSize)
    next[i] =
        mean(i ? here[i - 1] : left[kSize - 1], here[i], i < kSize - 1 ? here[i + 1] : right[0]);
}
static void step_cuda(void* buffers[], void*) {
  step_kernel<<<kSize / 256, 256, 0, starpu_cuda_get_local_stream()>>>(AT(0), AT(1), AT(2), AT(3));
  cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) STARPU_CUDA_REPORT_ERROR(status);
}

int main(void) {
  struct starpu_codelet step;
  starpu_codelet_init(&step);
  step.cpu_funcs[0] = step_cpu;
  step.cuda_funcs[0] = step_cuda;
  step.cuda_flags[0] = STARPU_CUDA_ASYNC;
  step.nbuffers = 4;
  step.modes[0] = step.modes[1] = step.modes[2] = STARPU_R;
  step.modes[3] = STARPU_W;
  step.name = "step";
  if (starpu_init(NULL) != 0) return 77;
  const size_t bytes = (size_t)kParts * kSize * sizeof(float);
  float* v[2];
  starpu_data_handle_t part[2][kParts];
  double sum[2] = {0, 0};
  for (int side = 0; side < 2; side++) {
    if (starpu_malloc((void**)&v[side], bytes) != 0) return 1;
    for (int i = 0; i < kParts * kSize; i++)
      sum[0] += v[side][i] = side ? 0 : (float)(i % 100 == 0);
    for (int p = 0; p < kParts; p++)
      starpu_vector_data_register(&part[side][p], STARPU_MAIN_RAM, (uintptr_t)(v[side] + p * kSize),
                                  kSize, sizeof(float));
  }
  for (int s = 0; s < kSteps; s++)
    for (int p = 0; p < kParts; p++) /* in a ring */
      starpu_task_insert(&step, STARPU_R, part[s % 2][(p + kParts - 1) % kParts], STARPU_R,
                         part[s % 2][p], STARPU_R, part[s % 2][(p + 1) % kParts], STARPU_W,
                         part[(s + 1) % 2][p], 0);
  for (int side = 0; side < 2; side++)
    for (int p = 0; p < kParts; p++) starpu_data_unregister(part[side][p]);
  for (int i = 0; i < kParts * kSize; i++) sum[1] += v[kSteps % 2][i];
  printf("heat before %.3f, after %d steps %.3f\n", sum[0], kSteps, sum[1]);
  for (int side = 0; side < 2; side++) starpu_free_noflag(v[side], bytes);
  starpu_shutdown();
  return fabs(sum[0] - sum[1]) > 1e-3 * sum[0];
}
