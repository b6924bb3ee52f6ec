/* SPDX-License-Identifier: Apache-2.0
 * What the device reaches without a runtime: alone N prints GFlop/s of cublasSgemm and of
 * cusolverDnSpotrf on matrices of N x N, the best of a few, each without and with the copies of
 * them from and to pinned memory: `sgemm RESIDENT COPIED`, `potrf RESIDENT COPIED`. */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    const int status_ = (int)(call);                                                        \
    if (status_ != 0) {                                                                     \
      fprintf(stderr, "alone: %s:%d: %s failed: %d\n", __FILE__, __LINE__, #call, status_); \
      exit(1);                                                                              \
    }                                                                                       \
  } while (0)

static cudaStream_t stream;

/* The least milliseconds of a few runs, by the times of the device. */
template <class Work>
static double best_ms(Work work) {
  cudaEvent_t start, end;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  float best = 1e30f;
  for (int i = 0; i < 4; i++) {
    float ms;
    CHECK(cudaEventRecord(start, stream));
    work();
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&ms, start, end));
    if (ms < best) best = ms;
  }
  return best;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 2048;
  const size_t bytes = (size_t)n * n * sizeof(float);
  float *host[3], *device[3];
  CHECK(cudaStreamCreate(&stream));
  for (int m = 0; m < 3; m++) {
    CHECK(cudaMallocHost(&host[m], bytes));
    CHECK(cudaMalloc(&device[m], bytes));
    for (size_t i = 0; i < (size_t)n * n; i++) host[m][i] = i % ((size_t)n + 1) ? 0.5f : (float)n;
    CHECK(cudaMemcpyAsync(device[m], host[m], bytes, cudaMemcpyHostToDevice, stream));
  }
  const auto to = [&](int m) {
    CHECK(cudaMemcpyAsync(device[m], host[m], bytes, cudaMemcpyHostToDevice, stream));
  };
  const auto from = [&](int m) {
    CHECK(cudaMemcpyAsync(host[m], device[m], bytes, cudaMemcpyDeviceToHost, stream));
  };

  cublasHandle_t cublas;
  CHECK(cublasCreate(&cublas));
  CHECK(cublasSetStream(cublas, stream));
  const auto sgemm = [&] {
    const float one = 1, zero = 0;
    CHECK(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, device[0], n, device[1], n,
                      &zero, device[2], n));
  };
  const double gflop = 2e-9 * n * n * (double)n;
  const double resident_ms = best_ms(sgemm);
  const double copied_ms = best_ms([&] { to(0), to(1), sgemm(), from(2); });
  printf("sgemm %.1f %.1f\n", 1e3 * gflop / resident_ms, 1e3 * gflop / copied_ms);

  cusolverDnHandle_t cusolver;
  int room = 0, *info;
  float* work;
  CHECK(cusolverDnCreate(&cusolver));
  CHECK(cusolverDnSetStream(cusolver, stream));
  CHECK(cusolverDnSpotrf_bufferSize(cusolver, CUBLAS_FILL_MODE_LOWER, n, device[0], n, &room));
  CHECK(cudaMalloc(&work, room * sizeof(float)));
  CHECK(cudaMalloc(&info, sizeof(int)));
  const auto potrf = [&] {
    CHECK(cusolverDnSpotrf(cusolver, CUBLAS_FILL_MODE_LOWER, n, device[0], n, work, room, info));
  };
  /* Each run factorises the matrix anew; that it is put back is not counted. */
  const double put_back_ms = best_ms([&] {
    CHECK(cudaMemcpyAsync(device[0], device[1], bytes, cudaMemcpyDeviceToDevice, stream));
  });
  const double potrf_ms = best_ms([&] {
    CHECK(cudaMemcpyAsync(device[0], device[1], bytes, cudaMemcpyDeviceToDevice, stream));
    potrf();
  });
  const double copied_potrf_ms = best_ms([&] { to(0), potrf(), from(1); });
  printf("potrf %.1f %.1f\n", 1e3 * gflop / 6 / (potrf_ms - put_back_ms),
         1e3 * gflop / 6 / copied_potrf_ms);
  return 0;
}
