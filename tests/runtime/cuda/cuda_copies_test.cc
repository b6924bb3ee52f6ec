// SPDX-License-Identifier: Apache-2.0
// Copies to and from CUDA devices that are made in unusual ways: by methods of the program's own
// interfaces, and on to a disk.
#include <algorithm>
#include <cerrno>
#include <memory>
#include <thread>
#include <vector>

#include "tests/runtime/cuda/cuda_machine.h"
#include "tests/runtime/on_devices.h"
#include "tests/runtime/on_disk.h"
#include "tests/runtime/slow_disk.h"

namespace tasklens {
namespace {

using testing::CudaMachine;

class CudaCopies : public testing::OnDevices<::testing::Test> {
 protected:
  void SetUp() override {
    CudaMachine::Get();
    setenv("STARPU_NCUDA", "1", 1);
  }
  void TearDown() override {
    CudaMachine::Get().Forget();
    unsetenv("STARPU_NCUDA");
  }
};

// An interface of the program's own, a block of bytes, with methods for each way; with any_to_any
// there would be nothing to choose.
struct Block {
  void* memory;
  size_t bytes;
};
Block& BlockOf(void* interface) { return *static_cast<Block*>(interface); }
size_t block_copies = 0;  // by the methods below
int CopyBlock(void* source, unsigned source_node, void* target, unsigned target_node) {
  ++block_copies;
  return starpu_cuda_copy_async_sync(BlockOf(source).memory, source_node, BlockOf(target).memory,
                                     target_node, BlockOf(source).bytes, nullptr, 0);
}
int CopyBlockAsync(void* source, unsigned source_node, void* target, unsigned target_node,
                   void* stream) {
  ++block_copies;
  return starpu_cuda_copy_async_sync(BlockOf(source).memory, source_node, BlockOf(target).memory,
                                     target_node, BlockOf(source).bytes,
                                     static_cast<CUstream_st*>(stream), 0);
}

TEST_F(CudaCopies, OfTheProgramsInterfacesAreMadeByTheirMethods) {
  for (const bool has_async : {false, true}) {
    starpu_data_copy_methods methods = {};
    methods.ram_to_cuda = methods.cuda_to_ram = CopyBlock;
    if (has_async) methods.ram_to_cuda_async = methods.cuda_to_ram_async = CopyBlockAsync;
    starpu_data_interface_ops ops = {};
    ops.interfaceid = STARPU_UNKNOWN_INTERFACE_ID;
    ops.interface_size = sizeof(Block);
    ops.copy_methods = &methods;
    ops.allocate_data_on_node = [](void* interface, unsigned node) -> starpu_ssize_t {
      Block& block = BlockOf(interface);
      block.memory = reinterpret_cast<void*>(starpu_malloc_on_node(node, block.bytes));
      return block.memory ? static_cast<starpu_ssize_t>(block.bytes) : -ENOMEM;
    };
    ops.free_data_on_node = [](void* interface, unsigned node) {
      const Block& block = BlockOf(interface);
      starpu_free_on_node(node, reinterpret_cast<uintptr_t>(block.memory), block.bytes);
    };
    ops.get_size = [](starpu_data_handle_t handle) {
      return BlockOf(starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM)).bytes;
    };
    std::vector<uint64_t> values(100, 4);
    Block block{values.data(), values.size() * sizeof(uint64_t)};
    block_copies = 0;
    {
      Started started(1);
      starpu_data_handle_t handle;
      starpu_data_register(&handle, STARPU_MAIN_RAM, &block, &ops);
      starpu_codelet increment =
          Codelet(nullptr,
                  [](void** buffers, void*) {
                    auto address = reinterpret_cast<uint64_t>(BlockOf(buffers[0]).memory);
                    uint64_t count = BlockOf(buffers[0]).bytes / sizeof(uint64_t);
                    CudaMachine::Get().Launch("increment", {&address, &count});
                  },
                  {STARPU_RW});
      increment.cuda_flags[0] = STARPU_CUDA_ASYNC;
      for (int i = 0; i < 3; ++i) Run(increment, {handle}, 0);
      starpu_data_unregister(handle);
    }
    CudaMachine::Get().Forget();
    EXPECT_EQ(std::vector<uint64_t>(100, 7), values) << has_async;
    EXPECT_EQ(2u, block_copies) << has_async;
  }
}

TEST_F(CudaCopies, WithinTheMainMemoryAreMadeForMethodsToo) {
  Started started(1);
  const std::vector<char> from = {1, 2, 3, 4, 5, 6};
  char not_asked;
  for (CUstream_st* stream :
       {static_cast<CUstream_st*>(nullptr), reinterpret_cast<CUstream_st*>(&not_asked)}) {
    std::vector<char> to(6);
    EXPECT_EQ(0, starpu_cuda_copy2d_async_sync(const_cast<char*>(from.data()), STARPU_MAIN_RAM,
                                               to.data(), STARPU_MAIN_RAM, 2, 2, 4, 3, stream, 0));
    EXPECT_EQ((std::vector<char>{1, 2, 0, 5, 6, 0}), to);
  }
}

// On devices that have room for one value each, of which the stand-in holds the copies.
class HeldCudaCopies : public CudaCopies {
 protected:
  void SetUp() override {
    CudaCopies::SetUp();
    if (!CudaMachine::Get().is_standin()) GTEST_SKIP() << "a real device holds no copies";
    setenv("STARPU_NCUDA", "2", 1);
    setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
    started_ = std::make_unique<Started>(1);
  }
  void TearDown() override {
    started_.reset();
    CudaCopies::TearDown();
    unsetenv("STARPU_LIMIT_CUDA_MEM");
  }
  static starpu_data_handle_t NewValue() {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, -1, 0, kWords, sizeof(uint64_t));
    return handle;
  }
  void Fill(starpu_data_handle_t handle, int device, uint64_t& value) {
    Run(fill_, {handle}, device, &value);
  }
  void FillAtOnce(starpu_data_handle_t handle, int device, uint64_t value) {
    starpu_task* task = starpu_task_create();
    task->cl = &fill_;
    task->cl_arg = &value;
    task->handles[0] = handle;
    task->execute_on_a_specific_worker = 1;
    task->workerid = WorkerOf(device);
    task->synchronous = 1;
    EXPECT_EQ(0, starpu_task_submit(task));
  }
  static void ExpectAll(uint64_t value, starpu_data_handle_t handle) {
    ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_R));
    const auto* words = reinterpret_cast<const uint64_t*>(starpu_vector_get_local_ptr(handle));
    EXPECT_EQ(std::vector<uint64_t>(kWords, value), std::vector<uint64_t>(words, words + kWords));
    starpu_data_release(handle);
  }
  static void Stand(bool whether) {
    CudaMachine::Get().Find<StandinCopiesStand>("standin_copies_stand")(whether);
  }
  static uint64_t CopiesHome() {
    return CudaMachine::Get().Find<StandinCalls>("standin_calls")("cuMemcpyDtoHAsync_v2");
  }

  static constexpr uint32_t kWords = (1 << 20) / sizeof(uint64_t);
  starpu_codelet fill_ = Codelet(
      [](void** buffers, void* value) {
        auto* const words = reinterpret_cast<uint64_t*>(STARPU_VECTOR_GET_PTR(buffers[0]));
        std::fill_n(words, kWords, *static_cast<const uint64_t*>(value));
      },
      [](void** buffers, void* value) {
        uint64_t address = STARPU_VECTOR_GET_PTR(buffers[0]);
        uint64_t count = STARPU_VECTOR_GET_NX(buffers[0]);
        CudaMachine::Get().Launch("fill", {&address, &count, value});
      },
      {STARPU_W});
  std::unique_ptr<Started> started_;
};

TEST_F(HeldCudaCopies, AreMadeBeforeTheirMemoryIsUsedForOthers) {
  starpu_data_handle_t first = NewValue(), second = NewValue();
  uint64_t five = 5, nine = 9;
  Fill(first, 0, five);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  Stand(true);
  ASSERT_EQ(0, starpu_data_prefetch_on_node(first, STARPU_MAIN_RAM, 1));
  Fill(second, 0, nine);
  // Time to take the memory too early. (The outcome is the same without.)
  for (int i = 0; i < 10'000; ++i) std::this_thread::yield();
  Stand(false);
  ExpectAll(5, first);
  ExpectAll(9, second);
  for (starpu_data_handle_t each : {first, second}) starpu_data_unregister(each);
}

TEST_F(HeldCudaCopies, ToTheMainMemoryAreWaitedForByFunctionsThatReadThere) {
  starpu_codelet copy = Codelet(
      nullptr,
      [](void** buffers, void*) {
        const auto* from = reinterpret_cast<const uint64_t*>(STARPU_VECTOR_GET_PTR(buffers[0]));
        std::copy_n(from, kWords, reinterpret_cast<uint64_t*>(STARPU_VECTOR_GET_PTR(buffers[1])));
      },
      {STARPU_R, STARPU_W});
  copy.cuda_flags[0] = STARPU_CUDA_ASYNC;
  copy.specific_nodes = 1;
  copy.nodes[0] = copy.nodes[1] = STARPU_SPECIFIC_NODE_CPU;
  starpu_data_handle_t from = NewValue(), to = NewValue();
  uint64_t five = 5;
  Fill(from, 0, five);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  Stand(true);
  Run(copy, {from, to}, 0);
  // Time to read too early. (The outcome is the same without.)
  for (int i = 0; i < 10'000; ++i) std::this_thread::yield();
  Stand(false);
  ExpectAll(5, to);
  for (starpu_data_handle_t each : {from, to}) starpu_data_unregister(each);
}

TEST_F(HeldCudaCopies, AreRequestedUntilTheyHaveArrived) {
  const auto is_coming = [](starpu_data_handle_t handle, unsigned node) {
    int allocated = 0, valid = -1, loading = -1, requested = -1;
    starpu_data_query_status2(handle, static_cast<int>(node), &allocated, &valid, &loading,
                              &requested);
    EXPECT_EQ(requested, loading);
    EXPECT_EQ(1, allocated);
    EXPECT_NE(valid, requested);
    return requested != 0;
  };
  starpu_data_handle_t handle = NewValue();
  uint64_t five = 5;
  Fill(handle, 0, five);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  const unsigned nodes[] = {STARPU_MAIN_RAM, Node(1)};
  for (const unsigned node : nodes) {
    EXPECT_FALSE(starpu_data_is_on_node(handle, node));
    Stand(true);
    ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, node, 1));
    EXPECT_TRUE(is_coming(handle, node));
    EXPECT_FALSE(is_coming(handle, Node(0)));
    Stand(false);
    ASSERT_EQ(0, starpu_data_fetch_on_node(handle, node, 0));
    EXPECT_FALSE(is_coming(handle, node));
  }
  ExpectAll(5, handle);
  starpu_data_unregister(handle);
}

TEST_F(HeldCudaCopies, OfWhatIsEvictedHoldUpNobodyElse) {
  starpu_data_handle_t first = NewValue(), second = NewValue(), other = NewValue();
  uint64_t five = 5, nine = 9;
  Fill(first, 0, five);
  ASSERT_EQ(0, starpu_task_wait_for_all());
  const uint64_t before = CopiesHome();
  Stand(true);
  Fill(second, 0, nine);
  while (CopiesHome() == before) std::this_thread::yield();
  FillAtOnce(other, 1, 7);
  Stand(false);
  ExpectAll(5, first);
  ExpectAll(9, second);
  ExpectAll(7, other);
  for (starpu_data_handle_t each : {first, second, other}) starpu_data_unregister(each);
}

TEST_F(HeldCudaCopies, OfWhatTheProgramEvictsHoldUpNobodyElse) {
  starpu_data_handle_t handle = NewValue(), other = NewValue();
  FillAtOnce(handle, 0, 5);
  const uint64_t before = CopiesHome();
  Stand(true);
  std::thread evicts([&] { EXPECT_EQ(0, starpu_data_evict_from_node(handle, Node(0))); });
  while (CopiesHome() == before) std::this_thread::yield();
  FillAtOnce(other, 1, 7);
  Stand(false);
  evicts.join();
  EXPECT_EQ(0u, starpu_memory_get_used(Node(0)));
  ExpectAll(5, handle);
  ExpectAll(7, other);
  for (starpu_data_handle_t each : {handle, other}) starpu_data_unregister(each);
}

TEST_F(HeldCudaCopies, OfWhatGoesToADiskHoldUpNobodyElse) {
  testing::on_disk::Folder folder;
  const int disk = starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1);
  ASSERT_GT(disk, 0);
  starpu_data_handle_t handle = NewValue(), other = NewValue();
  FillAtOnce(handle, 0, 5);
  const uint64_t before = CopiesHome();
  Stand(true);
  std::thread moves([&] {
    EXPECT_EQ(0, starpu_data_acquire_on_node(handle, disk, STARPU_RW));
    starpu_data_release_on_node(handle, disk);
  });
  while (CopiesHome() == before) std::this_thread::yield();
  FillAtOnce(other, 1, 7);
  Stand(false);
  moves.join();
  ExpectAll(5, handle);
  ExpectAll(7, other);
  for (starpu_data_handle_t each : {handle, other}) starpu_data_unregister(each);
  started_.reset();  // before its folder is gone
}

// The copy is made while its caller waits.
TEST_F(HeldCudaCopies, OfMemoryThatIsNotPinnedHoldUpNobodyElse) {
  std::vector<uint64_t> values(kWords);
  starpu_data_handle_t handle = Register(values), other = NewValue();
  FillAtOnce(handle, 0, 5);
  const uint64_t before = CopiesHome();
  Stand(true);
  std::thread reads([&] { ExpectAll(5, handle); });
  while (CopiesHome() == before) std::this_thread::yield();
  FillAtOnce(other, 1, 7);
  Stand(false);
  reads.join();
  ExpectAll(7, other);
  for (starpu_data_handle_t each : {handle, other}) starpu_data_unregister(each);
}

// Where the main memory is full as well, what it has goes to a disk first.
class HeldCudaCopiesAndADisk : public HeldCudaCopies {
 protected:
  void SetUp() override {
    setenv("STARPU_LIMIT_CPU_MEM", "1", 1);
    HeldCudaCopies::SetUp();
    unsetenv("STARPU_LIMIT_CPU_MEM");
    if (IsSkipped()) return;
    testing::on_disk::gate = &gate_;
    ASSERT_LT(0, starpu_disk_register(&disk_, this, -1));
  }
  testing::on_disk::Gate gate_;
  starpu_disk_ops disk_ = testing::on_disk::kSlowDisk;
};

TEST_F(HeldCudaCopiesAndADisk, OfWhatIsEvictedHoldUpNobodyElseWhileTheDiskWrites) {
  starpu_data_handle_t in_memory = NewValue(), first = NewValue(), second = NewValue(),
                       other = NewValue();
  FillAtOnce(in_memory, -1, 3);
  FillAtOnce(first, 0, 5);
  gate_.Close();
  uint64_t nine = 9;
  Fill(second, 0, nine);
  gate_.AwaitSomebody();
  FillAtOnce(other, 1, 7);
  gate_.Open();
  ExpectAll(3, in_memory);
  ExpectAll(5, first);
  ExpectAll(9, second);
  ExpectAll(7, other);
  for (starpu_data_handle_t each : {in_memory, first, second, other}) starpu_data_unregister(each);
}

// Its memory is free when the copy of it has been made, and who wants it waits for that.
TEST_F(HeldCudaCopiesAndADisk, OfWhatIsToLeaveAreWaitedForByWhoNeedsItsRoom) {
  starpu_data_handle_t handle = NewValue();
  FillAtOnce(handle, -1, 3);
  Stand(true);
  ASSERT_EQ(0, starpu_data_prefetch_on_node(handle, Node(0), 1));
  std::thread allocates([] {
    void* memory = nullptr;
    EXPECT_EQ(0, starpu_malloc_flags(&memory, 1 << 20, STARPU_MALLOC_COUNT));
    starpu_free_flags(memory, 1 << 20, STARPU_MALLOC_COUNT);
  });
  // Time to wait. (The outcome is the same without.)
  for (int i = 0; i < 10'000; ++i) std::this_thread::yield();
  Stand(false);
  allocates.join();
  ExpectAll(3, handle);
  starpu_data_unregister(handle);
}

TEST_F(HeldCudaCopies, ToTheirHomeHoldUpNobodyElse) {
  constexpr size_t kBytes = kWords * sizeof(uint64_t);
  const uintptr_t at_home = starpu_malloc_on_node(Node(0), kBytes);
  starpu_data_handle_t handle, other = NewValue();
  starpu_vector_data_register(&handle, static_cast<int>(Node(0)), at_home, kWords,
                              sizeof(uint64_t));
  FillAtOnce(handle, -1, 5);
  const auto copies = [] {
    return CudaMachine::Get().Find<StandinCalls>("standin_calls")("cuMemcpyHtoDAsync_v2");
  };
  const uint64_t before = copies();
  Stand(true);
  std::thread evicts([&] { EXPECT_EQ(0, starpu_data_evict_from_node(handle, STARPU_MAIN_RAM)); });
  while (copies() == before) std::this_thread::yield();
  FillAtOnce(other, 1, 7);
  Stand(false);
  evicts.join();
  EXPECT_EQ(0u, starpu_memory_get_used(STARPU_MAIN_RAM));
  ExpectAll(5, handle);
  ExpectAll(7, other);
  for (starpu_data_handle_t each : {handle, other}) starpu_data_unregister(each);
  starpu_free_on_node(Node(0), at_home, kBytes);
}

TEST_F(CudaCopies, GoOnToADiskOnceTheyHaveArrived) {
  const auto slow = CudaMachine::Get().Find<StandinCopyNs>("standin_copy_ns");  // of the stand-in
  testing::on_disk::Folder folder;
  {
    Started started(1);
    const int disk = starpu_disk_register(&starpu_disk_unistd_ops, folder.path(), -1);
    ASSERT_GT(disk, 0);
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, -1, 0, 1 << 20, sizeof(uint64_t));
    starpu_codelet fill = Codelet(nullptr,
                                  [](void** buffers, void*) {
                                    uint64_t address = STARPU_VECTOR_GET_PTR(buffers[0]);
                                    uint64_t count = STARPU_VECTOR_GET_NX(buffers[0]), value = 5;
                                    CudaMachine::Get().Launch("fill", {&address, &count, &value});
                                  },
                                  {STARPU_W});
    fill.cuda_flags[0] = STARPU_CUDA_ASYNC;
    Run(fill, {handle}, 0);
    ASSERT_EQ(0, starpu_task_wait_for_all());
    if (slow) slow(50'000'000);
    ASSERT_EQ(0, starpu_data_acquire_on_node(handle, disk, STARPU_RW));
    starpu_data_release_on_node(handle, disk);
    if (slow) slow(0);
    ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_R));
    const auto* words = reinterpret_cast<const uint64_t*>(starpu_vector_get_local_ptr(handle));
    EXPECT_EQ(std::vector<uint64_t>(1 << 20, 5), std::vector<uint64_t>(words, words + (1 << 20)));
    starpu_data_release(handle);
    starpu_data_unregister(handle);
  }
}

}  // namespace
}  // namespace tasklens
