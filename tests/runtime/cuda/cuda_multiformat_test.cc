// SPDX-License-Identifier: Apache-2.0
// multiformat data on CUDA devices: conversions are work in the streams of workers.
#include <atomic>
#include <vector>

#include "tests/runtime/cuda/cuda_machine.h"
#include "tests/runtime/on_devices.h"

namespace tasklens {
namespace {

using testing::CudaMachine;

// In the layout of devices each word is larger by so much.
constexpr uint64_t kMore = 1000;

std::atomic<int> to_cuda_calls, to_cpu_calls;

uint64_t* OnCpu(void* buffer) {
  return static_cast<uint64_t*>(STARPU_MULTIFORMAT_GET_CPU_PTR(buffer));
}
uint64_t Address(void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

void ToCuda(void** buffers, void*) {
  ++to_cuda_calls;
  uint64_t from = Address(STARPU_MULTIFORMAT_GET_CPU_PTR(buffers[0]));
  uint64_t to = Address(STARPU_MULTIFORMAT_GET_CUDA_PTR(buffers[0]));
  uint64_t count = STARPU_MULTIFORMAT_GET_NX(buffers[0]), more = kMore, ns = 2'000'000;
  CudaMachine::Get().Launch("stall", {&ns});
  CudaMachine::Get().Launch("fill", {&to, &count, &more});
  CudaMachine::Get().Launch("add", {&from, &to, &count});
}
void ToCpu(void** buffers, void*) {
  ++to_cpu_calls;
  const auto* from = static_cast<const uint64_t*>(STARPU_MULTIFORMAT_GET_CUDA_PTR(buffers[0]));
  for (uint32_t i = 0; i < STARPU_MULTIFORMAT_GET_NX(buffers[0]); ++i)
    OnCpu(buffers[0])[i] = from[i] - kMore;
}
void IncrementOnCuda(void** buffers, void*) {
  uint64_t address = Address(STARPU_MULTIFORMAT_GET_CUDA_PTR(buffers[0]));
  uint64_t count = STARPU_MULTIFORMAT_GET_NX(buffers[0]);
  CudaMachine::Get().Launch("increment", {&address, &count});
}
void IncrementOnCpu(void** buffers, void*) {
  for (uint32_t i = 0; i < STARPU_MULTIFORMAT_GET_NX(buffers[0]); ++i) ++OnCpu(buffers[0])[i];
}
// Adds the device's layout of the one to the device's layout of the other.
void AddOnCuda(void** buffers, void*) {
  uint64_t from = Address(STARPU_MULTIFORMAT_GET_CUDA_PTR(buffers[0]));
  uint64_t to = STARPU_VECTOR_GET_PTR(buffers[1]), count = STARPU_VECTOR_GET_NX(buffers[1]);
  CudaMachine::Get().Launch("add", {&from, &to, &count});
}

class CudaMultiformatTest : public testing::OnDevices<::testing::Test> {
 protected:
  void SetUp() override {
    CudaMachine::Get();
    setenv("STARPU_NCUDA", "1", 1);
    to_cuda_calls = to_cpu_calls = 0;
    to_cuda_ = Codelet(nullptr, ToCuda, {STARPU_RW});
    to_cuda_.cuda_flags[0] = STARPU_CUDA_ASYNC;
    to_cpu_ = Codelet(ToCpu, nullptr, {STARPU_RW});
    formats_.cpu_elemsize = formats_.cuda_elemsize = sizeof(uint64_t);
    formats_.cpu_to_cuda_cl = &to_cuda_;
    formats_.cuda_to_cpu_cl = &to_cpu_;
    increment_ = Codelet(IncrementOnCpu, IncrementOnCuda, {STARPU_RW});
    add_ = Codelet(nullptr, AddOnCuda, {STARPU_R, STARPU_RW});
    for (starpu_codelet* codelet : {&increment_, &add_}) codelet->cuda_flags[0] = STARPU_CUDA_ASYNC;
  }
  void TearDown() override {
    CudaMachine::Get().Forget();
    unsetenv("STARPU_NCUDA");
    unsetenv("STARPU_NWORKER_PER_CUDA");
  }
  starpu_data_handle_t Formatted(std::vector<uint64_t>& values) {
    starpu_data_handle_t handle;
    starpu_multiformat_data_register(&handle, STARPU_MAIN_RAM, values.data(),
                                     static_cast<uint32_t>(values.size()), &formats_);
    return handle;
  }

  starpu_codelet to_cuda_, to_cpu_, increment_, add_;
  starpu_multiformat_data_interface_ops formats_ = {};
};

TEST_F(CudaMultiformatTest, TasksFindTheirOwnLayout) {
  std::vector<uint64_t> values(1000, 1);
  {
    Started started(1);
    starpu_data_handle_t handle = Formatted(values);
    for (const int device : {0, 0, -1, 0, -1, -1, 0}) Run(increment_, {handle}, device);
    starpu_data_acquire(handle, STARPU_R);
    EXPECT_EQ(8u, values[999]);
    starpu_data_release(handle);
    starpu_data_unregister(handle);
  }
  EXPECT_EQ(std::vector<uint64_t>(1000, 8), values);
  EXPECT_EQ(3, to_cuda_calls);
  EXPECT_EQ(3, to_cpu_calls);
}

// The others' streams know nothing of the conversion in the first one's.
TEST_F(CudaMultiformatTest, WorkersOfADeviceWaitForTheOneThatConverts) {
  setenv("STARPU_NWORKER_PER_CUDA", "4", 1);
  constexpr size_t kSums = 12;
  std::vector<uint64_t> values(1000, 1);
  std::vector<std::vector<uint64_t>> sums(kSums, std::vector<uint64_t>(1000, 5));
  {
    Started started(1);
    starpu_data_handle_t handle = Formatted(values);
    std::vector<starpu_data_handle_t> handles;
    for (auto& sum : sums) handles.push_back(Register(sum));
    for (size_t i = 0; i < kSums; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = &add_;
      task->handles[0] = handle;
      task->handles[1] = handles[i];
      EXPECT_EQ(0, starpu_task_submit(task));
    }
    for (starpu_data_handle_t one : handles) starpu_data_unregister(one);
    starpu_data_unregister(handle);
  }
  EXPECT_EQ(1, to_cuda_calls);
  EXPECT_EQ(0, to_cpu_calls);
  for (const auto& sum : sums) EXPECT_EQ(std::vector<uint64_t>(1000, 5 + 1 + kMore), sum);
}

}  // namespace
}  // namespace tasklens
