// SPDX-License-Identifier: Apache-2.0
// Tasks on CUDA devices some of whose data stay in the main memory (specific_nodes).
#include <vector>

#include "tests/runtime/cuda/cuda_machine.h"
#include "tests/runtime/on_devices.h"

namespace tasklens {
namespace {

using testing::CudaMachine;

constexpr size_t kMebibyte = 1 << 20;

uint64_t* WordsOf(void* buffer) {
  return reinterpret_cast<uint64_t*>(STARPU_VECTOR_GET_PTR(buffer));
}
void IncrementOnCuda(void** buffers, void*) {
  uint64_t address = STARPU_VECTOR_GET_PTR(buffers[0]), count = STARPU_VECTOR_GET_NX(buffers[0]);
  CudaMachine::Get().Launch("increment", {&address, &count});
}
// Adds up in the main memory, and counts in a scratch buffer there.
void AddOnHost(void** buffers, void*) {
  for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); ++i)
    WordsOf(buffers[0])[i] += WordsOf(buffers[1])[i];
  ++WordsOf(buffers[2])[0];
}

class CudaNodesTest : public testing::OnDevices<::testing::Test> {
 protected:
  void SetUp() override {
    CudaMachine::Get();
    setenv("STARPU_NCUDA", "1", 1);
    setenv("STARPU_CUDA_PIPELINE", "4", 1);
  }
  void TearDown() override {
    CudaMachine::Get().Forget();
    unsetenv("STARPU_NCUDA");
    unsetenv("STARPU_CUDA_PIPELINE");
  }
};

TEST_F(CudaNodesTest, AFunctionFindsWhatAStreamWasStillComputing) {
  Started started(1);
  starpu_codelet increment = Codelet(nullptr, IncrementOnCuda, {STARPU_RW});
  starpu_codelet add = Codelet(nullptr, AddOnHost, {STARPU_RW, STARPU_R, STARPU_SCRATCH});
  increment.cuda_flags[0] = add.cuda_flags[0] = STARPU_CUDA_ASYNC;
  add.specific_nodes = 1;
  for (int i = 0; i < 3; ++i) add.nodes[i] = STARPU_SPECIFIC_NODE_CPU;
  std::vector<uint64_t> sum(kMebibyte / 8), values(kMebibyte / 8, 5);
  const starpu_data_handle_t to = Register(sum), from = Register(values);
  starpu_data_handle_t scratch;
  starpu_vector_data_register(&scratch, -1, 0, 10, sizeof(uint64_t));
  for (int i = 0; i < 10; ++i) {
    Run(increment, {from}, 0);
    Run(add, {to, from, scratch}, 0);
  }
  starpu_task_wait_for_all();
  EXPECT_EQ("+-", Having(to));
  for (starpu_data_handle_t each : {to, from, scratch}) starpu_data_unregister(each);
  EXPECT_EQ(std::vector<uint64_t>(kMebibyte / 8, 10 * 5 + 55), sum);
}

}  // namespace
}  // namespace tasklens
