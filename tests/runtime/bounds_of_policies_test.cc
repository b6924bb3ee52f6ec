// SPDX-License-Identifier: Apache-2.0
// No policy makes a program shorter than the bound that is found from its run under another one:
// random programs in virtual time, on CPUs and GPUs, where a task takes as long each time.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/bounds.h"
#include "tests/runtime/simulated.h"

namespace tasklens {
namespace {

constexpr int kCodelets = 3, kDevices = 2;
double g_cost_us[kCodelets][2];  // on a CPU, on a GPU

template <int kCodelet>
double Cost(starpu_task*, starpu_perfmodel_arch* arch, unsigned) {
  return g_cost_us[kCodelet][arch->devices[0].type == STARPU_CUDA_WORKER];
}

class BoundsOfPolicies : public testing::Simulated {
 protected:
  struct Kernel {
    starpu_perfmodel model = {};
    starpu_codelet codelet = {};
  };

  void SetUp() override {
    Simulated::SetUp();
    Devices(kDevices);
    Buses(kDevices, /*latency_us=*/5, /*megabytes_per_s=*/5000);
    constexpr double (*kCosts[])(starpu_task*, starpu_perfmodel_arch*, unsigned) = {
        &Cost<0>, &Cost<1>, &Cost<2>};
    for (int i = 0; i < kCodelets; ++i) {
      Kernel& kernel = kernels_[i];
      kernel.model.type = STARPU_PER_ARCH;
      kernel.model.arch_cost_function = kCosts[i];
      kernel.codelet.cpu_funcs[0] = kernel.codelet.cuda_funcs[0] = [](void**, void*) {};
      kernel.codelet.model = &kernel.model;
      kernel.codelet.name = kNames[i];
      kernel.codelet.nbuffers = 2;
      kernel.codelet.modes[0] = STARPU_R;
      kernel.codelet.modes[1] = STARPU_RW;
    }
  }
  void TearDown() override {
    for (Kernel& kernel : kernels_) starpu_perfmodel_deinit(&kernel.model);
    Simulated::TearDown();
  }

  TraceModel Run(uint32_t seed, const char* policy) {
    return Recorded({.name = std::string("bounds_") + policy, .workers = 4, .policy = policy}, [&] {
      std::mt19937 random(seed);
      for (auto& of_codelet : g_cost_us)
        for (double& cost_us : of_codelet) cost_us = 100 + random() % 5000;
      const size_t count = 2 + random() % 12;
      std::vector<starpu_data_handle_t> data(count);
      std::vector<std::vector<float>> values(count, std::vector<float>(1000));
      for (size_t i = 0; i < count; ++i)
        starpu_vector_data_register(&data[i], STARPU_MAIN_RAM,
                                    reinterpret_cast<uintptr_t>(values[i].data()), 1000,
                                    sizeof(float));
      for (int i = 0; i < 60; ++i) {
        starpu_task* const task = starpu_task_create();
        task->cl = &kernels_[random() % kCodelets].codelet;
        const size_t read = random() % count;
        task->handles[0] = data[read];
        task->handles[1] = data[(read + 1 + random() % (count - 1)) % count];
        EXPECT_EQ(0, starpu_task_submit(task));
      }
      starpu_task_wait_for_all();
      for (const starpu_data_handle_t handle : data) starpu_data_unregister(handle);
    });
  }

  // Whether the run tells how long each codelet takes on each kind of worker.
  static bool TellsAll(const Bounds& bounds) {
    std::set<std::pair<StringId, WorkerArch>> known;
    for (const Placement& placement : bounds.area[0].placements)
      known.emplace(placement.codelet, placement.kind.arch);
    return known.size() == size_t{2} * kCodelets;
  }

  static constexpr const char* kNames[kCodelets] = {"first", "second", "third"};
  Kernel kernels_[kCodelets];
};

TEST_F(BoundsOfPolicies, AreAboveTheSpanOfNone) {
  constexpr const char* kPolicies[] = {"eager",        "ws",
                                       "lws",          "prio",
                                       "random",       "dm",
                                       "dmda",         "dmdar",
                                       "dmdas",        "dmdasd",
                                       "graph_test",   "modular-eager",
                                       "modular-prio", "modular-random",
                                       "modular-ws",   "modular-heft",
                                       "heteroprio"};
  constexpr uint32_t kPrograms = 100;
  size_t known = 0;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    double shortest_ns = 0, highest_ns = 0;
    std::string of_shortest, of_highest;
    for (const char* policy : kPolicies) {
      const Bounds bounds = ComputeBounds(Run(seed, policy));
      const auto span_ns = static_cast<double>(bounds.span_ns);
      if (of_shortest.empty() || span_ns < shortest_ns) shortest_ns = span_ns, of_shortest = policy;
      if (!TellsAll(bounds)) continue;
      ++known;
      if (bounds.best_ns() <= highest_ns) continue;
      highest_ns = bounds.best_ns();
      of_highest = policy;
    }
    EXPECT_LE(highest_ns, shortest_ns * (1 + 1e-6))
        << seed << ": bound of the run under " << of_highest << ", span under " << of_shortest;
  }
  EXPECT_GE(known, kPrograms * std::size(kPolicies) / 2);
}

}  // namespace
}  // namespace tasklens
