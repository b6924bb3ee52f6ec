// SPDX-License-Identifier: Apache-2.0
// Tasks on CUDA devices: their data, their order, their number under way, and what goes wrong.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/runtime/cuda/cuda_machine.h"

namespace tasklens {
namespace {

using testing::CudaMachine;

constexpr size_t kMebibyte = 1 << 20;

uint64_t AddressOf(void* buffer) { return STARPU_VECTOR_GET_PTR(buffer); }
uint64_t CountOf(void* buffer) { return STARPU_VECTOR_GET_NX(buffer); }
uint64_t* WordsOf(void* buffer) { return reinterpret_cast<uint64_t*>(AddressOf(buffer)); }

void FillOnCuda(void** buffers, void*) {
  uint64_t address = AddressOf(buffers[0]), count = CountOf(buffers[0]), value = 1;
  CudaMachine::Get().Launch("fill", {&address, &count, &value});
}
void FillOnCpu(void** buffers, void*) { std::fill_n(WordsOf(buffers[0]), CountOf(buffers[0]), 1); }
void IncrementOnCuda(void** buffers, void*) {
  uint64_t address = AddressOf(buffers[0]), count = CountOf(buffers[0]);
  CudaMachine::Get().Launch("increment", {&address, &count});
}
void IncrementOnCpu(void** buffers, void*) {
  for (size_t i = 0; i < CountOf(buffers[0]); ++i) ++WordsOf(buffers[0])[i];
}
void AddOnCuda(void** buffers, void*) {  // the shorter onto the longer
  uint64_t from = AddressOf(buffers[0]), to = AddressOf(buffers[1]), count = CountOf(buffers[0]);
  CudaMachine::Get().Launch("add", {&from, &to, &count});
}
void AddOnCpu(void** buffers, void*) {
  for (size_t i = 0; i < CountOf(buffers[0]); ++i) WordsOf(buffers[1])[i] += WordsOf(buffers[0])[i];
}
void Nothing(void**, void*) {}
// Takes so many nanoseconds on the device.
void StallOnCuda(void**, void* argument) {
  uint64_t ns = reinterpret_cast<uintptr_t>(argument);
  CudaMachine::Get().Launch("stall", {&ns});
}

class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    CudaMachine::Get();
    setenv("STARPU_NCUDA", "1", 1);
    fill_ = Codelet(FillOnCpu, FillOnCuda, {STARPU_W});
    increment_ = Codelet(IncrementOnCpu, IncrementOnCuda, {STARPU_RW});
    read_ = Codelet(Nothing, Nothing, {STARPU_R});
    add_ = Codelet(AddOnCpu, AddOnCuda, {STARPU_R, STARPU_RW});
    stall_ = Codelet(Nothing, StallOnCuda, {});
  }
  void TearDown() override {
    CudaMachine::Get().Forget();
    for (const char* name : {"STARPU_NCUDA", "STARPU_NWORKER_PER_CUDA", "STARPU_CUDA_PIPELINE",
                             "STARPU_LIMIT_CUDA_MEM", "STARPU_WORKERS_CUDAID"})
      unsetenv(name);
  }
  static starpu_codelet Codelet(starpu_cpu_func_t cpu, starpu_cuda_func_t cuda,
                                std::vector<starpu_data_access_mode> modes) {
    starpu_codelet codelet = {};
    codelet.cpu_funcs[0] = cpu;
    codelet.cuda_funcs[0] = cuda;
    codelet.cuda_flags[0] = STARPU_CUDA_ASYNC;
    codelet.nbuffers = static_cast<int>(modes.size());
    std::copy(modes.begin(), modes.end(), codelet.modes);
    return codelet;
  }
  static unsigned WorkerOf(int device) {
    return static_cast<unsigned>(device < 0
                                     ? starpu_worker_get_by_type(STARPU_CPU_WORKER, 0)
                                     : starpu_worker_get_by_devid(STARPU_CUDA_WORKER, device));
  }
  static unsigned Node(int device) { return starpu_worker_get_memory_node(WorkerOf(device)); }
  // On a device, or a CPU (-1).
  static void Run(starpu_codelet& codelet, std::vector<starpu_data_handle_t> handles, int device,
                  void* argument = nullptr) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = argument;
    std::copy(handles.begin(), handles.end(), task->handles);
    task->execute_on_a_specific_worker = 1;
    task->workerid = WorkerOf(device);
    EXPECT_EQ(0, starpu_task_submit(task));
  }
  static starpu_data_handle_t Register(std::vector<uint64_t>& values) {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM,
                                reinterpret_cast<uintptr_t>(values.data()),
                                static_cast<uint32_t>(values.size()), sizeof(uint64_t));
    return handle;
  }
  // Who has a value: the main memory, then devices.
  static std::string Having(starpu_data_handle_t handle) {
    std::string text;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); ++node)
      text += starpu_data_is_on_node(handle, node) ? '+' : '-';
    return text;
  }

  starpu_codelet fill_, increment_, read_, add_, stall_;
};

TEST_F(CudaTest, ScaleAVectorThatTheHostHas) {
  Started started(1);
  std::vector<float> values(1000, 2);
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values.data()),
                              1000, sizeof(float));
  starpu_codelet scale = Codelet(nullptr,
                                 [](void** buffers, void*) {
                                   uint64_t address = AddressOf(buffers[0]),
                                            count = CountOf(buffers[0]);
                                   float factor = 3.5f;
                                   CudaMachine::Get().Launch("scale", {&address, &count, &factor});
                                 },
                                 {STARPU_RW});
  Run(scale, {handle}, 0);
  starpu_data_unregister(handle);
  EXPECT_EQ(std::vector<float>(1000, 7), values);
}

}  // namespace
}  // namespace tasklens
