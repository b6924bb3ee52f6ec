// SPDX-License-Identifier: Apache-2.0
// What the driver of CUDA devices takes it gives back: when the runtime stops, also with work under
// way, and when it cannot start.
#include <map>
#include <string>
#include <vector>

#include "tests/runtime/cuda/cuda_machine.h"
#include "tests/runtime/on_devices.h"

namespace tasklens {
namespace {

using testing::CudaMachine;

// What is made and what ends it.
constexpr const char* kPairs[][2] = {
    {"cuStreamCreate", "cuStreamDestroy_v2"},
    {"cuEventCreate", "cuEventDestroy_v2"},
    {"cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"},
};

class CudaLifetimeTest : public testing::OnDevices<::testing::Test> {
 protected:
  void SetUp() override {
    if (!CudaMachine::Get().is_standin()) GTEST_SKIP() << "a real device does not count calls";
    setenv("STARPU_NCUDA", "2", 1);
    setenv("STARPU_NWORKER_PER_CUDA", "2", 1);
    for (const auto& [made, ended] : kPairs) before_[made] = Calls(made) - Calls(ended);
  }
  void TearDown() override {
    CudaMachine::Get().Forget();
    for (const char* name : {"STARPU_NCUDA", "STARPU_NWORKER_PER_CUDA", "STARPU_LIMIT_CUDA_MEM"})
      unsetenv(name);
    if (IsSkipped()) return;
    for (const auto& [made, ended] : kPairs)
      EXPECT_EQ(before_[made], Calls(made) - Calls(ended)) << made << " without " << ended;
    EXPECT_EQ(0u, Bytes("standin_pinned_bytes"));
    EXPECT_EQ(0u, Bytes("standin_allocated_bytes"));
  }
  static uint64_t Calls(const char* symbol) {
    return CudaMachine::Get().Find<StandinCalls>("standin_calls")(symbol);
  }
  static uint64_t Bytes(const char* which) {
    return CudaMachine::Get().Find<StandinBytes>(which)();
  }
  // The next call of the function but so many.
  static void Fail(const char* symbol, int error, int but = 0) {
    auto* const fail = CudaMachine::Get().Find<StandinFail>("standin_fail");
    fail(symbol, 0, but);
    fail(symbol, error, 1);
  }
  // A run that has no device, and what it says.
  static std::string SaidWithoutDevice() {
    ::testing::internal::CaptureStderr();
    {
      Started started(1);
      EXPECT_EQ(0u, starpu_cuda_worker_get_count());
    }
    return ::testing::internal::GetCapturedStderr();
  }
  static void Increment(void** buffers, void*) {
    uint64_t address = STARPU_VECTOR_GET_PTR(buffers[0]), count = STARPU_VECTOR_GET_NX(buffers[0]);
    uint64_t ns = 200'000;
    CudaMachine::Get().Launch("stall", {&ns});
    CudaMachine::Get().Launch("increment", {&address, &count});
  }

  std::map<std::string, uint64_t> before_;
};

// Nobody waits before the end: tasks are in streams, copies on their way, data being evicted.
TEST_F(CudaLifetimeTest, ShuttingDownEndsWhatIsUnderWay) {
  setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
  starpu_codelet increment = Codelet(nullptr, Increment, {STARPU_RW});
  increment.cuda_flags[0] = STARPU_CUDA_ASYNC;
  for (int run = 0; run < 3; ++run) {
    constexpr size_t kPieces = 8, kWords = 300'000 / sizeof(uint64_t);
    std::vector<std::vector<uint64_t>> values(kPieces, std::vector<uint64_t>(kWords));
    {
      Started started(1, "dmda");
      std::vector<starpu_data_handle_t> handles;
      for (auto& piece : values) handles.push_back(Register(piece));
      for (int step = 0; step < 4; ++step)
        for (starpu_data_handle_t handle : handles) Run(increment, {handle}, step % 2);
      void* pinned = nullptr;
      EXPECT_EQ(0, starpu_malloc(&pinned, 100'000));
      EXPECT_LT(0u, Bytes("standin_pinned_bytes"));
      for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
      // These are in no one's way when the runtime stops.
      starpu_data_handle_t left;
      starpu_vector_data_register(&left, -1, 0, 1000, sizeof(uint64_t));
      starpu_codelet fill = Codelet(nullptr, Increment, {STARPU_W});
      fill.cuda_flags[0] = STARPU_CUDA_ASYNC;
      for (int i = 0; i < 6; ++i) Run(fill, {left}, 1);
      starpu_data_unregister_submit(left);
      starpu_shutdown();
      starpu_free(pinned);
      EXPECT_EQ(0, starpu_init(nullptr));  // for the end of `started`
    }
    CudaMachine::Get().Forget();
    for (const auto& piece : values) EXPECT_EQ(std::vector<uint64_t>(kWords, 4), piece);
  }
}

TEST_F(CudaLifetimeTest, WhatCannotStartIsGivenBack) {
  for (const char* symbol : {"cuDevicePrimaryCtxRetain", "cuStreamCreate"}) {
    for (int device = 0; device < 2; ++device) {
      // What failed has made nothing.
      ++before_[symbol];
      Fail(symbol, 999);
    }
    EXPECT_NE(std::string::npos, SaidWithoutDevice().find("there is no CUDA device to use: "))
        << symbol;
  }
  Fail("cuDeviceGetCount", 999);
  EXPECT_NE(std::string::npos, SaidWithoutDevice().find("cuDeviceGetCount said "));
}

}  // namespace
}  // namespace tasklens
