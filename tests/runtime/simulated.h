// SPDX-License-Identifier: Apache-2.0
// A simulated machine for tests, and a codelet for CPUs (a second a task) and CUDA (a tenth).
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "perfmodel/bus.h"
#include "tests/runtime/recorded.h"

namespace tasklens::testing {

class Simulated : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/simulated_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    setenv("STARPU_PERF_MODEL_DIR", folder_.c_str(), 1);
    setenv("STARPU_HOSTNAME", "simulated", 1);
    model_.type = STARPU_PER_ARCH;
    model_.arch_cost_function = [](starpu_task*, starpu_perfmodel_arch* arch, unsigned) {
      return arch->devices[0].type == STARPU_CUDA_WORKER ? 1e5 : 1e6;
    };
    codelet_.cpu_funcs[0] = codelet_.cuda_funcs[0] = [](void**, void*) {};
    codelet_.model = &model_;
    codelet_.name = "simulated";
  }
  void TearDown() override {
    starpu_perfmodel_deinit(&model_);
    unsetenv("STARPU_NSIM_CUDA");
  }
  static void Devices(int count) { setenv("STARPU_NSIM_CUDA", std::to_string(count).c_str(), 1); }
  // What transfers take between any two memory nodes.
  void Buses(uint32_t devices, double latency_us, double megabytes_per_s) {
    const size_t nodes = 1 + devices;
    const auto matrix = [nodes](double value) {
      BusMatrix matrix{"# to", true, {nodes, std::vector<double>(nodes, value)}};
      for (size_t i = 0; i < nodes; ++i) matrix.rows[i][i] = 0;
      return matrix;
    };
    std::filesystem::create_directories(folder_ + "/bus");
    const auto write = [this](const char* kind, const std::string& text) {
      std::ofstream(BusPath(folder_, "simulated", kind)) << text;
    };
    write("config", BusConfigText({{4, "Number of CPUs"},
                                   {1, "Number of NUMA nodes"},
                                   {devices, "Number of CUDA nodes"}}));
    write("bandwidth", BusMatrixText(matrix(megabytes_per_s)));
    write("latency", BusMatrixText(matrix(latency_us)));
    write("affinity", "# GPU\n");
  }

  starpu_task* Submit(int priority = 0) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet_;
    task->priority = priority;
    EXPECT_EQ(0, starpu_task_submit(task));
    return task;
  }
  // Runs tasks and says on which worker each did.
  std::vector<int> RunOn(int count) {
    std::vector<starpu_task*> tasks;
    for (int i = 0; i < count; ++i) {
      starpu_task* task = starpu_task_create();
      task->cl = &codelet_;
      task->destroy = 0;
      task->detach = 0;
      EXPECT_EQ(0, starpu_task_submit(task));
      tasks.push_back(task);
    }
    std::vector<int> workers;
    for (starpu_task* task : tasks) {
      EXPECT_EQ(0, starpu_task_wait(task));
      workers.push_back(static_cast<int>(task->workerid));
      starpu_task_destroy(task);
    }
    return workers;
  }

  std::string folder_;
  starpu_perfmodel model_ = {};
  starpu_codelet codelet_ = {};
};

}  // namespace tasklens::testing
