// SPDX-License-Identifier: Apache-2.0
// multiformat data on simulated devices: when they are converted, by whom, and what that takes.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/runtime/simulated_devices.h"

namespace tasklens {
namespace {

struct Point {
  uint32_t x, y;
};
// The layout of devices: all x, then all y, and each of them wider.
struct Coordinates {
  uint64_t *x, *y;
};

int to_cuda_calls, to_cpu_calls;

class MultiformatTest : public testing::SimulatedDevices {
 protected:
  static constexpr double kToCudaUs = 1000, kToCpuUs = 3000;

  void SetUp() override {
    SimulatedDevices::SetUp();
    to_cuda_calls = to_cpu_calls = 0;
    to_cuda_.cuda_funcs[0] = [](void** buffers, void*) {
      ++to_cuda_calls;
      const Coordinates to = OnCuda(buffers[0]);
      for (uint32_t i = 0; i < Size(buffers[0]); ++i) {
        to.x[i] = OnCpu(buffers[0])[i].x;
        to.y[i] = OnCpu(buffers[0])[i].y;
      }
    };
    to_cpu_.cpu_funcs[0] = [](void** buffers, void*) {
      ++to_cpu_calls;
      const Coordinates from = OnCuda(buffers[0]);
      for (uint32_t i = 0; i < Size(buffers[0]); ++i)
        OnCpu(buffers[0])[i] = {static_cast<uint32_t>(from.x[i]), static_cast<uint32_t>(from.y[i])};
    };
    for (starpu_codelet* codelet : {&to_cuda_, &to_cpu_}) {
      codelet->nbuffers = 1;
      codelet->modes[0] = STARPU_RW;
    }
    Takes(to_cuda_model_, to_cuda_, [](starpu_task*, unsigned) { return kToCudaUs; });
    Takes(to_cpu_model_, to_cpu_, [](starpu_task*, unsigned) { return kToCpuUs; });
    formats_.cpu_elemsize = sizeof(Point);
    formats_.cuda_elemsize = 2 * sizeof(uint64_t);
    formats_.cpu_to_cuda_cl = &to_cuda_;
    formats_.cuda_to_cpu_cl = &to_cpu_;
    // Each knows one layout only, that of its kind.
    step_ = Codelet(
        [](void** buffers, void*) {
          for (uint32_t i = 0; i < Size(buffers[0]); ++i) ++OnCpu(buffers[0])[i].x;
        },
        [](void** buffers, void*) {
          for (uint32_t i = 0; i < Size(buffers[0]); ++i) OnCuda(buffers[0]).x[i] += 10;
        },
        {STARPU_RW});
    set_ = Codelet(
        [](void** buffers, void*) {
          for (uint32_t i = 0; i < Size(buffers[0]); ++i) OnCpu(buffers[0])[i] = {100, 200};
        },
        [](void** buffers, void*) {
          for (uint32_t i = 0; i < Size(buffers[0]); ++i) {
            OnCuda(buffers[0]).x[i] = 1000;
            OnCuda(buffers[0]).y[i] = 2000;
          }
        },
        {STARPU_W});
    for (starpu_codelet* codelet : {&step_, &set_, &read_}) {
      codelet->flags = STARPU_CODELET_SIMGRID_EXECUTE;
      codelet->model = &model_;
    }
  }
  void TearDown() override {
    starpu_perfmodel_deinit(&to_cuda_model_);
    starpu_perfmodel_deinit(&to_cpu_model_);
    SimulatedDevices::TearDown();
  }
  static void Takes(starpu_perfmodel& model, starpu_codelet& codelet,
                    double (*cost)(starpu_task*, unsigned)) {
    model.type = STARPU_COMMON;
    model.cost_function = cost;
    codelet.model = &model;
  }
  static Point* OnCpu(void* buffer) {
    return static_cast<Point*>(STARPU_MULTIFORMAT_GET_CPU_PTR(buffer));
  }
  static Coordinates OnCuda(void* buffer) {
    auto* const first = static_cast<uint64_t*>(STARPU_MULTIFORMAT_GET_CUDA_PTR(buffer));
    return {first, first + Size(buffer)};
  }
  static uint32_t Size(void* buffer) { return STARPU_MULTIFORMAT_GET_NX(buffer); }
  starpu_data_handle_t Registered(std::vector<Point>& points) {
    starpu_data_handle_t handle;
    starpu_multiformat_data_register(&handle, STARPU_MAIN_RAM, points.data(),
                                     static_cast<uint32_t>(points.size()), &formats_);
    return handle;
  }
  // Runs it there, and says how many virtual microseconds that took.
  double TimeOf(starpu_codelet& codelet, starpu_data_handle_t handle, int device) {
    const double start_us = starpu_timing_now();
    Run(codelet, {handle}, device);
    starpu_task_wait_for_all();
    return starpu_timing_now() - start_us;
  }

  starpu_perfmodel to_cuda_model_ = {}, to_cpu_model_ = {};
  starpu_codelet to_cuda_ = {}, to_cpu_ = {}, step_, set_;
  starpu_multiformat_data_interface_ops formats_ = {};
};

TEST_F(MultiformatTest, TasksGetTheLayoutOfTheirKind) {
  Devices(2);
  Buses(2, 10, 1000);
  std::vector<Point> points(100, {1, 2});
  const TraceModel model = Recorded({.name = "layouts", .workers = 1}, [&] {
    starpu_data_handle_t handle = Registered(points);
    for (const int device : {-1, 0, 0, 1, -1, -1, 1}) Run(step_, {handle}, device);
    starpu_data_unregister(handle);
  });
  for (const Point& point : points) {
    EXPECT_EQ(1u + 3 + 40, point.x);
    EXPECT_EQ(2u, point.y);
  }
  EXPECT_EQ((std::vector<Hop>{{0, 1}, {1, 2}, {2, 0}, {0, 2}, {2, 0}}), Hops(model));
  EXPECT_EQ(2, to_cuda_calls) << "between devices nothing is converted";
  EXPECT_EQ(2, to_cpu_calls);
  // A copy carries the layout of its source.
  std::vector<uint64_t> bytes(model.transfers.size_bytes.begin(), model.transfers.size_bytes.end());
  EXPECT_EQ((std::vector<uint64_t>{800, 1600, 1600, 800, 1600}), bytes);
}

TEST_F(MultiformatTest, AConversionTakesWhatItsModelSays) {
  Devices(1);
  Buses(1, 10, 1000);
  Started started(1);
  std::vector<Point> points(1000, {1, 2});
  starpu_data_handle_t handle = Registered(points);
  EXPECT_NEAR(10 + 8 + kToCudaUs, TimeOf(step_, handle, 0), 0.01);
  EXPECT_NEAR(0, TimeOf(step_, handle, 0), 0.01);
  EXPECT_NEAR(10 + 16 + kToCpuUs, TimeOf(read_, handle, -1), 0.01);
  EXPECT_NEAR(0, TimeOf(read_, handle, -1), 0.01);
  EXPECT_NEAR(0, TimeOf(read_, handle, 0), 0.01) << "the device still has it";
  starpu_data_unregister(handle);
}

TEST_F(MultiformatTest, ReadersWaitForTheOneThatConverts) {
  Devices(1);
  Buses(1, 10, 1000);
  Started started(3);
  std::vector<Point> points(1000, {1, 2});
  starpu_data_handle_t handle = Registered(points);
  Run(step_, {handle}, 0);
  starpu_task_wait_for_all();
  const double start_us = starpu_timing_now();
  for (int cpu = 0; cpu < 3; ++cpu) {
    starpu_task* task = starpu_task_create();
    task->cl = &read_;
    task->handles[0] = handle;
    task->execute_on_a_specific_worker = 1;
    task->workerid = static_cast<unsigned>(starpu_worker_get_by_type(STARPU_CPU_WORKER, cpu));
    EXPECT_EQ(0, starpu_task_submit(task));
  }
  starpu_task_wait_for_all();
  EXPECT_NEAR(10 + 16 + kToCpuUs, starpu_timing_now() - start_us, 0.01);
  EXPECT_EQ(1, to_cpu_calls);
  starpu_data_unregister(handle);
}

TEST_F(MultiformatTest, WhatIsOnlyWrittenIsNotConverted) {
  Devices(1);
  Buses(1, 10, 1000);
  std::vector<Point> points(10, {1, 2});
  const TraceModel model = Recorded({.name = "written", .workers = 1}, [&] {
    starpu_data_handle_t handle = Registered(points);
    for (const int device : {0, -1, 0}) Run(set_, {handle}, device);
    starpu_task_wait_for_all();
    EXPECT_EQ(0, to_cuda_calls + to_cpu_calls);
    starpu_data_unregister(handle);
  });
  EXPECT_EQ(1, to_cpu_calls);
  EXPECT_EQ((std::vector<Hop>{{1, 0}}), Hops(model));
  for (const Point& point : points) EXPECT_TRUE(point.x == 1000 && point.y == 2000);
}

TEST_F(MultiformatTest, AcquiringConverts) {
  Devices(1);
  Buses(1, 10, 1000);
  Started started(1);
  std::vector<Point> points(1000, {1, 2});
  starpu_data_handle_t handle = Registered(points);
  Run(step_, {handle}, 0);
  starpu_task_wait_for_all();
  const double start_us = starpu_timing_now();
  starpu_data_acquire(handle, STARPU_RW);
  EXPECT_NEAR(10 + 16 + kToCpuUs, starpu_timing_now() - start_us, 0.01);
  EXPECT_EQ(11u, points[0].x);
  points[0].x = 5;
  starpu_data_release(handle);
  Run(step_, {handle}, 0);
  starpu_data_unregister(handle);
  EXPECT_EQ(15u, points[0].x);
  EXPECT_EQ(21u, points[1].x);
  EXPECT_EQ(2, to_cuda_calls);
}

TEST_F(MultiformatTest, EvictedDataAreConvertedWhenTheyAreUsed) {
  Devices(1);
  setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
  // Both layouts of a piece take 300 KiB on the device.
  std::vector<std::vector<Point>> points(8, std::vector<Point>(12'800, {1, 2}));
  {
    Started started(1);
    std::vector<starpu_data_handle_t> handles;
    for (auto& piece : points) handles.push_back(Registered(piece));
    for (int round = 0; round < 3; ++round)
      for (starpu_data_handle_t handle : handles) Run(step_, {handle}, 0);
    starpu_task_wait_for_all();
    EXPECT_LE(starpu_memory_get_used(1), size_t{1} << 20);
    EXPECT_EQ(8, to_cuda_calls) << "what comes back to a device needs no conversion";
    EXPECT_EQ(0, to_cpu_calls) << "nobody has used it";
    for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  }
  EXPECT_EQ(8, to_cpu_calls);
  for (const auto& piece : points)
    for (const Point& point : piece) ASSERT_TRUE(point.x == 31 && point.y == 2);
}

TEST_F(MultiformatTest, DataOfTheRuntimesOwnAreConverted) {
  Devices(1);
  Started started(1);
  starpu_data_handle_t handle;
  starpu_multiformat_data_register(&handle, -1, nullptr, 50, &formats_);
  for (int round = 0; round < 2; ++round) {
    Run(set_, {handle}, 0);
    Run(step_, {handle}, -1);
    Run(step_, {handle}, 0);
    starpu_data_acquire(handle, STARPU_R);
    const auto* points = static_cast<const Point*>(starpu_data_get_local_ptr(handle));
    EXPECT_EQ(1011u, points[49].x);
    starpu_data_release(handle);
  }
  starpu_data_unregister(handle);
  EXPECT_EQ(4, to_cpu_calls);
  EXPECT_EQ(2, to_cuda_calls);
}

TEST_F(MultiformatTest, PoliciesWeighConversions) {
  Devices(1);
  Buses(1, 10, 1000);
  // A tenth of a second on the device, a tenth and two milliseconds on a CPU.
  model_.cost_function = nullptr;
  model_.type = STARPU_PER_ARCH;
  model_.arch_cost_function = [](starpu_task*, starpu_perfmodel_arch* arch, unsigned) {
    return arch->devices[0].type == STARPU_CUDA_WORKER ? 1e5 : 1.005e5;
  };
  for (const bool is_slow : {false, true}) {
    to_cuda_model_.cost_function = is_slow ? [](starpu_task*, unsigned) { return 1000.; }
                                           : [](starpu_task*, unsigned) { return 100.; };
    Started started(1, "dmda");
    std::vector<Point> points(1000, {1, 2});
    starpu_data_handle_t handle = Registered(points);
    codelet_ = read_;
    starpu_task* task = starpu_task_create();
    task->cl = &codelet_;
    task->handles[0] = handle;
    task->destroy = 0;
    task->detach = 0;
    EXPECT_EQ(0, starpu_task_submit(task));
    EXPECT_EQ(0, starpu_task_wait(task));
    EXPECT_EQ(is_slow ? STARPU_CPU_WORKER : STARPU_CUDA_WORKER,
              starpu_worker_get_type(static_cast<int>(task->workerid)));
    starpu_task_destroy(task);
    starpu_data_unregister(handle);
  }
}

TEST_F(MultiformatTest, WithoutAFunctionTheProgramEndsWithALine) {
  Devices(1);
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  formats_.cpu_to_cuda_cl = nullptr;
  EXPECT_DEATH(
      {
        Started started(1);
        std::vector<Point> points(10);
        Run(step_, {Registered(points)}, 0);
        starpu_task_wait_for_all();
      },
      "handle .* cannot be converted to the layout of CUDA devices: its cpu_to_cuda_cl has no "
      "function for them");
}

}  // namespace
}  // namespace tasklens
