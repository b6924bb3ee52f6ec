// SPDX-License-Identifier: Apache-2.0
// Explicit tasks of OpenMP's on a device, between others on processors: they wait for each other by
// their data, are waited for as all tasks are, and what they wrote is at home when the region ends.
#include <vector>

#include "tests/runtime/cuda/cuda_machine.h"
#include "tests/runtime/in_openmp.h"

namespace tasklens {
namespace {

using testing::CudaMachine;

constexpr size_t kCount = 100;
constexpr int kRounds = 10;

void IncrementOnCuda(void** buffers, void*) {
  uint64_t address = STARPU_VECTOR_GET_PTR(buffers[0]), count = STARPU_VECTOR_GET_NX(buffers[0]);
  EXPECT_EQ(STARPU_CUDA_WORKER, starpu_worker_get_type(starpu_worker_get_id()));
  CudaMachine::Get().Launch("increment", {&address, &count});
}
void DoubleOnCpu(void** buffers, void*) {
  EXPECT_EQ(STARPU_CPU_WORKER, starpu_worker_get_type(starpu_worker_get_id()));
  auto* const values = reinterpret_cast<uint64_t*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  for (size_t i = 0; i < kCount; ++i) values[i] *= 2;
}

void MakeTaskOf(starpu_data_handle_t handle, starpu_cpu_func_t cpu, starpu_cuda_func_t cuda,
                bool if_clause) {
  starpu_omp_task_region_attr attr = {};
  attr.cl.cpu_funcs[0] = cpu;
  attr.cl.cuda_funcs[0] = cuda;
  attr.cl.cuda_flags[0] = STARPU_CUDA_ASYNC;
  attr.cl.where = cuda ? STARPU_CUDA : STARPU_CPU;
  attr.cl.nbuffers = 1;
  attr.cl.modes[0] = STARPU_RW;
  attr.handles = &handle;
  attr.if_clause = if_clause;
  starpu_omp_task_region(&attr);
}

TEST(CudaOpenmp, TasksOnADeviceAreWaitedForAndTheirDataComeHome) {
  CudaMachine::Get();
  for (const int threads : {1, 2}) {
    std::vector<uint64_t> values(kCount, 1);
    {
      OpenMp openmp(2, "lws", {{"STARPU_NCUDA", "1"}});
      Parallel(threads, [&] {
        if (!starpu_omp_single_inline()) return;
        starpu_data_handle_t handle;
        starpu_vector_data_register(&handle, STARPU_MAIN_RAM,
                                    reinterpret_cast<uintptr_t>(values.data()), kCount,
                                    sizeof(values[0]));
        starpu_omp_handle_register(handle);
        for (int i = 0; i < kRounds; ++i) {
          MakeTaskOf(handle, nullptr, IncrementOnCuda, /*if_clause=*/i % 3 != 0);
          if (i % 4 == 0) starpu_omp_taskwait();
          MakeTaskOf(handle, DoubleOnCpu, nullptr, /*if_clause=*/true);
        }
        MakeTaskOf(handle, nullptr, IncrementOnCuda, /*if_clause=*/true);
      });
      uint64_t expected = 1;
      for (int i = 0; i < kRounds; ++i) expected = 2 * (expected + 1);
      EXPECT_EQ(std::vector<uint64_t>(kCount, expected + 1), values);
    }
    CudaMachine::Get().Forget();
  }
}

}  // namespace
}  // namespace tasklens
