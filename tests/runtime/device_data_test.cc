// SPDX-License-Identifier: Apache-2.0
// What is special of data on devices: contributions to reductions, homes there, and values that are
// written through to other memory nodes.
#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "tests/runtime/simulated_devices.h"

namespace tasklens {
namespace {

constexpr size_t kMebibyte = 1 << 20;

class DeviceDataTest : public testing::SimulatedDevices {
 protected:
  void SetUp() override {
    SimulatedDevices::SetUp();
    zero_ = Computing(
        [](void** buffers, void*) { std::fill_n(Words(buffers[0]), Count(buffers[0]), 0); },
        {STARPU_W});
    reduce_ = Computing(
        [](void** buffers, void*) {
          for (size_t i = 0; i < Count(buffers[0]); ++i)
            Words(buffers[0])[i] += Words(buffers[1])[i];
        },
        {static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE), STARPU_R});
    contribute_ = add_;
    contribute_.modes[0] = STARPU_REDUX;
  }

  starpu_codelet zero_, reduce_, contribute_;
};

TEST_F(DeviceDataTest, ABubbleFunctionIsNamedOnce) {
  Devices(1);
  std::vector<uint64_t> values(8, 5);
  Started started(1);
  const starpu_data_handle_t data = Register(values);
  starpu_codelet bubble = add_;
  bubble.bubble_func = [](starpu_task*, void*) { return 1; };
  const auto told = [&] {
    ::testing::internal::CaptureStderr();
    Run(bubble, {data}, 0);
    starpu_task_wait_for_all();
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(told(), ::testing::HasSubstr("has a bubble function, which is not called"));
  EXPECT_EQ("", told());
  starpu_data_unregister(data);
  EXPECT_EQ(std::vector<uint64_t>(8, 7), values);
}

TEST_F(DeviceDataTest, ScratchMakesRoomWhileNobodyUsesIt) {
  Devices(1);
  setenv("STARPU_LIMIT_CUDA_MEM", "4", 1);
  starpu_codelet use = fill_;
  use.modes[0] = STARPU_SCRATCH;
  std::vector<uint64_t> values(3 * kMebibyte / 8, 5);
  Started started(1);
  const auto used = [] { return static_cast<size_t>(starpu_memory_get_used(Node(0))); };
  starpu_data_handle_t scratch, large = Register(values);
  starpu_vector_data_register(&scratch, -1, 0, 2 * kMebibyte / 8, sizeof(uint64_t));
  Run(use, {scratch}, 0);
  starpu_task_wait_for_all();
  EXPECT_EQ(2 * kMebibyte, used());
  Run(add_, {large}, 0);
  starpu_task_wait_for_all();
  EXPECT_EQ(3 * kMebibyte, used());
  // It is made again, and what was evicted for it comes back.
  Run(use, {scratch}, 0);
  starpu_task_wait_for_all();
  EXPECT_EQ(2 * kMebibyte, used());
  Run(add_, {large}, 0);
  starpu_data_unregister(large);
  EXPECT_EQ(std::vector<uint64_t>(3 * kMebibyte / 8, 7), values);
  starpu_data_unregister(scratch);
  EXPECT_EQ(0u, used());
}

TEST_F(DeviceDataTest, WorkersContributeToReductionsWhereTheyAre) {
  Devices(2);
  Buses(2, 10, 1000);
  reduce_.where = STARPU_CPU;
  std::vector<uint64_t> values(1000, 5);
  const TraceModel model = Recorded({.name = "contributions", .workers = 1}, [&] {
    starpu_data_handle_t handle = Register(values);
    starpu_data_set_reduction_methods(handle, &reduce_, &zero_);
    for (const int device : {0, 1, -1, 0, 1, 0}) Run(contribute_, {handle}, device);
    starpu_data_unregister(handle);
  });
  EXPECT_EQ(std::vector<uint64_t>(1000, 11), values);
  // Neutral elements are made on the devices; one contribution comes from each.
  std::vector<Hop> hops = Hops(model);
  std::sort(hops.begin(), hops.end());
  EXPECT_EQ((std::vector<Hop>{{1, 0}, {2, 0}}), hops);
}

TEST_F(DeviceDataTest, ReductionsAreMadeOnDevices) {
  Devices(1);
  Buses(1, 10, 1000);
  reduce_.where = STARPU_CUDA;
  uint64_t after[2] = {};
  const TraceModel model = Recorded({.name = "reduced", .workers = 1}, [&] {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, -1, 0, 10, sizeof(uint64_t));
    starpu_data_set_reduction_methods(handle, &reduce_, &zero_);
    for (uint64_t& value : after) {
      for (const int device : {0, -1, 0, 0, -1, 0}) Run(contribute_, {handle}, device);
      starpu_data_acquire(handle, STARPU_R);
      value = static_cast<uint64_t*>(starpu_data_get_local_ptr(handle))[9];
      starpu_data_release(handle);
    }
    starpu_data_unregister(handle);
  });
  EXPECT_EQ(6u, after[0]);
  EXPECT_EQ(12u, after[1]);
  // Each time the CPU's contribution, and the sum back.
  EXPECT_EQ((std::vector<Hop>{{0, 1}, {1, 0}, {0, 1}, {1, 0}}), Hops(model));
}

TEST_F(DeviceDataTest, ContributionsThatDoNotFitWaitInTheMainMemory) {
  Devices(1);
  setenv("STARPU_LIMIT_CUDA_MEM", "2", 1);
  Started started(1);
  std::vector<std::vector<uint64_t>> values(5, std::vector<uint64_t>(kMebibyte / 8, 5));
  std::vector<starpu_data_handle_t> handles;
  for (auto& piece : values) {
    handles.push_back(Register(piece));
    starpu_data_set_reduction_methods(handles.back(), &reduce_, &zero_);
  }
  for (int round = 0; round < 3; ++round) {
    for (starpu_data_handle_t handle : handles) Run(contribute_, {handle}, 0);
  }
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  for (const auto& piece : values) EXPECT_EQ(std::vector<uint64_t>(kMebibyte / 8, 8), piece);
}

TEST_F(DeviceDataTest, ReductionWithoutMethodsIsRefusedByALine) {
  Devices(1);
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        Started started(1);
        std::vector<uint64_t> values(10);
        Run(contribute_, {Register(values)}, 0);
        starpu_task_wait_for_all();
      },
      "handle .* is accessed with STARPU_REDUX but has no reduction methods");
}

// The program's own memory on a device.
class Home {
 public:
  Home(unsigned node, size_t count)
      : node_(node),
        bytes_(count * sizeof(uint64_t)),
        memory_(starpu_malloc_on_node(node, bytes_)) {
    std::fill_n(words(), count, 7);  // a simulated device's memory is the process's
    starpu_vector_data_register(&handle_, static_cast<int>(node), memory_,
                                static_cast<uint32_t>(count), sizeof(uint64_t));
  }
  ~Home() { starpu_free_on_node(node_, memory_, bytes_); }
  starpu_data_handle_t handle() const { return handle_; }
  uint64_t* words() const { return reinterpret_cast<uint64_t*>(memory_); }

 private:
  const unsigned node_;
  const size_t bytes_;
  const uintptr_t memory_;
  starpu_data_handle_t handle_ = nullptr;
};

TEST_F(DeviceDataTest, LiveWhereTheProgramPutThemAndReturn) {
  Devices(2);
  Buses(2, 10, 1000);
  const TraceModel model = Recorded({.name = "home", .workers = 1}, [&] {
    const Home home(Node(0), 10);
    EXPECT_EQ("-+-", Having(home.handle()));
    EXPECT_EQ(static_cast<int>(Node(0)), starpu_data_get_home_node(home.handle()));
    Run(add_, {home.handle()}, 0);
    Run(add_, {home.handle()}, 1);
    starpu_task_wait_for_all();
    EXPECT_EQ("--+", Having(home.handle()));
    starpu_data_unregister(home.handle());
    EXPECT_EQ(std::vector<uint64_t>(10, 9), std::vector<uint64_t>(home.words(), home.words() + 10));
  });
  EXPECT_EQ((std::vector<Hop>{{1, 2}, {2, 1}}), Hops(model));
}

TEST_F(DeviceDataTest, NeverLoseTheirHomeToOthers) {
  Devices(1);
  setenv("STARPU_LIMIT_CUDA_MEM", "2", 1);
  Started started(1);
  std::vector<std::vector<uint64_t>> values(4, std::vector<uint64_t>(kMebibyte / 8));
  std::vector<starpu_data_handle_t> others;
  for (auto& piece : values) others.push_back(Register(piece));
  {
    const Home home(Node(0), kMebibyte / 8);
    for (starpu_data_handle_t other : others) {
      Run(add_, {home.handle()}, 0);
      Run(add_, {other}, 0);
    }
    starpu_data_acquire(home.handle(), STARPU_RW);
    EXPECT_EQ(11u, *static_cast<uint64_t*>(starpu_data_get_local_ptr(home.handle())));
    *static_cast<uint64_t*>(starpu_data_get_local_ptr(home.handle())) = 20;
    starpu_data_release(home.handle());
    EXPECT_FALSE(starpu_data_can_evict(home.handle(), Node(0), 0));
    EXPECT_EQ(-1, starpu_data_evict_from_node(home.handle(), Node(0)));
    starpu_data_unregister(home.handle());
    EXPECT_EQ(20u, home.words()[0]);
    EXPECT_EQ(11u, home.words()[kMebibyte / 8 - 1]);
  }
  for (starpu_data_handle_t other : others) starpu_data_unregister(other);
  for (const auto& piece : values) EXPECT_EQ(std::vector<uint64_t>(kMebibyte / 8, 1), piece);
}

TEST_F(DeviceDataTest, AreWrittenThroughToTheNodesOfTheirMask) {
  Devices(2);
  Buses(2, 10, 1000);
  std::vector<uint64_t> values(10, 5);
  const TraceModel model = Recorded({.name = "through", .workers = 1}, [&] {
    starpu_data_handle_t handle = Register(values);
    const auto having = [&] {
      starpu_task_wait_for_all();
      return Having(handle);
    };
    starpu_data_set_wt_mask(handle, 1u << STARPU_MAIN_RAM);
    Run(add_, {handle}, 0);
    EXPECT_EQ("++-", having());
    starpu_data_set_wt_mask(handle, 1u << Node(1));
    Run(add_, {handle}, 0);
    EXPECT_EQ("-++", having());
    Run(add_, {handle}, -1);
    EXPECT_EQ("+-+", having());
    starpu_data_acquire(handle, STARPU_RW);
    EXPECT_EQ("+--", Having(handle));
    starpu_data_release(handle);
    EXPECT_EQ("+-+", having());
    Run(read_, {handle}, 0);
    EXPECT_EQ("+++", having());
    starpu_data_unregister(handle);
  });
  EXPECT_EQ(std::vector<uint64_t>(10, 8), values);
  EXPECT_EQ(7u, model.transfers.size());
}

TEST_F(DeviceDataTest, PassTheirMaskToTheirParts) {
  Devices(1);
  Started started(1);
  std::vector<uint64_t> values(10, 5);
  starpu_data_handle_t handle = Register(values);
  starpu_data_set_wt_mask(handle, 1u << STARPU_MAIN_RAM);
  starpu_data_filter halves = {};
  halves.filter_func = starpu_vector_filter_block;
  halves.nchildren = 2;
  starpu_data_partition(handle, &halves);
  starpu_data_handle_t half = starpu_data_get_sub_data(handle, 1, 1);
  Run(add_, {half}, 0);
  starpu_task_wait_for_all();
  EXPECT_EQ("++", Having(half));
  starpu_data_unpartition(handle, STARPU_MAIN_RAM);
  starpu_data_unregister(handle);
  EXPECT_EQ((std::vector<uint64_t>{5, 5, 5, 5, 5, 6, 6, 6, 6, 6}), values);
}

}  // namespace
}  // namespace tasklens
