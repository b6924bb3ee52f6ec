// SPDX-License-Identifier: Apache-2.0
// The bound of a machine whose workers are not alike.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/runtime/simulated.h"

namespace tasklens {
namespace {

class BoundOfKinds : public testing::Simulated {};

// A CPU takes a second a task, a device a tenth: twelve tasks.
TEST_F(BoundOfKinds, SharesTasksAsWorkersAreFast) {
  Devices(1);
  {
    Started started(1);
    starpu_bound_start(0, 0);
    for (int i = 0; i < 12; ++i) Submit();
    starpu_task_wait_for_all();
    starpu_bound_stop();
    double relaxed = 0, whole = 0;
    starpu_bound_compute(&relaxed, &whole, 1);
    EXPECT_NEAR(12e3 / 11, relaxed, 1e-6);
    EXPECT_NEAR(1100, whole, 1e-6);
  }
}

TEST_F(BoundOfKinds, GivesATaskOnlyToWorkersThatRunIt) {
  Devices(1);
  {
    Started started(1);
    codelet_.where = STARPU_CPU;
    starpu_bound_start(0, 0);
    for (int i = 0; i < 12; ++i) Submit();
    starpu_task_wait_for_all();
    starpu_bound_stop();
    double relaxed = 0;
    starpu_bound_compute(&relaxed, nullptr, 0);
    EXPECT_NEAR(12e3, relaxed, 1e-6);
  }
}

// A task on the device, and one that only the CPU runs and that needs its data, 1 MB at 1 MB/s.
// What the first one puts in the main memory need not come from the device.
TEST_F(BoundOfKinds, CountsTransfersBetweenTasks) {
  Devices(1);
  Buses(1, /*latency_us=*/0, /*megabytes_per_s=*/2);
  for (const bool stays : {false, true}) {
    Started started(1);
    static char megabyte[1000000];
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(megabyte),
                                sizeof(megabyte), 1);
    starpu_codelet codelets[2] = {codelet_, codelet_};
    codelets[0].where = STARPU_CUDA;
    codelets[0].specific_nodes = stays;
    codelets[0].nodes[0] = STARPU_SPECIFIC_NODE_CPU;
    codelets[1].where = STARPU_CPU;
    starpu_bound_start(1, 0);
    for (starpu_codelet& codelet : codelets) {
      codelet.nbuffers = 1;
      codelet.modes[0] = STARPU_RW;
      EXPECT_EQ(0, starpu_task_insert(&codelet, STARPU_RW, handle, 0));
    }
    starpu_task_wait_for_all();
    starpu_bound_stop();
    double relaxed = 0, whole = 0;
    starpu_bound_compute(&relaxed, &whole, 1);
    const double transfer_ms = starpu_transfer_predict(1, 0, sizeof(megabyte)) / 1e3;
    EXPECT_GT(transfer_ms, 400);
    EXPECT_NEAR(100 + (stays ? 0 : transfer_ms) + 1000, whole, 1e-3);
    EXPECT_NEAR(whole, relaxed, 1e-3) << "where each runs is no choice";
    starpu_data_unregister(handle);
  }
}

// Twenty tasks of a model that the program frees before it asks for the bound, which is what they
// took in all, as there is one worker.
TEST_F(BoundOfKinds, RemembersWhatAModelMeasuredThatIsGone) {
  setenv("STARPU_CALIBRATE", "1", 1);
  {
    Started started(1);
    auto model = std::make_unique<starpu_perfmodel>();
    model->type = STARPU_HISTORY_BASED;
    model->symbol = "freed_before_the_bound";
    auto codelet = std::make_unique<starpu_codelet>();
    codelet->cpu_funcs[0] = [](void**, void*) {
      for (const double begin_us = starpu_timing_now(); starpu_timing_now() < begin_us + 2000;) {
      }
    };
    codelet->model = model.get();
    starpu_bound_start(0, 0);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(0, starpu_task_insert(codelet.get(), 0));
    starpu_task_wait_for_all();
    starpu_bound_stop();
    starpu_perfmodel_deinit(model.get());
    memset(static_cast<void*>(model.get()), 0xff, sizeof(*model));
    model.reset();
    memset(static_cast<void*>(codelet.get()), 0xff, sizeof(*codelet));
    codelet.reset();
    double relaxed = 0;
    starpu_bound_compute(&relaxed, nullptr, 0);
    EXPECT_GE(relaxed, 20 * 2.);
  }
  unsetenv("STARPU_CALIBRATE");
}

// Two tasks, a tenth of a second each on the device, one after the other: between them stand others
// that do nothing.
TEST_F(BoundOfKinds, FollowsDependenciesThroughManyTasksWithoutAFunction) {
  Devices(1);
  Started started(1);
  starpu_bound_start(1, 0);
  std::vector<starpu_task*> chain;
  for (int i = 0; i < 100'000; ++i) {
    starpu_task* const task = chain.emplace_back(starpu_task_create());
    if (i > 0) starpu_task_declare_deps_array(task, 1, &chain[chain.size() - 2]);
  }
  chain.front()->cl = chain.back()->cl = &codelet_;
  for (starpu_task* task : chain) EXPECT_EQ(0, starpu_task_submit(task));
  starpu_task_wait_for_all();
  starpu_bound_stop();
  double relaxed = 0;
  starpu_bound_compute(&relaxed, nullptr, 0);
  EXPECT_NEAR(200, relaxed, 1e-3) << "2000 / 11 without the dependency";
}

}  // namespace
}  // namespace tasklens
