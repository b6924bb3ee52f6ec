// SPDX-License-Identifier: Apache-2.0
// Bounds worked out by hand, against every whole-numbered placement, and never above the run.
#include "analysis/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "analysis/execution_order.h"
#include "analysis/sites.h"
#include "tests/analysis/random_run.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::RandomRun;
using testing::TestTrace;

// Workers 0..cpus-1 are CPUs, the next `gpus` are GPUs.
TestTrace Machine(uint32_t cpus, uint32_t gpus) {
  TestTrace trace;
  for (uint32_t w = 0; w < cpus + gpus; ++w) {
    const bool gpu = w >= cpus;
    trace.Event(0, EventKind::kWorkerNew,
                {w, gpu ? WorkerArch::kCuda : WorkerArch::kCpu, static_cast<int>(w), 0,
                 static_cast<int>(w), 1, "w" + std::to_string(w)},
                1000 + w);
    trace.Event(0, EventKind::kWorkerReady, {w}, 1000 + w);
  }
  return trace;
}

TEST(AreaBound, WithOneKindIsTheTotalOverTheWorkers) {
  TestTrace trace = Machine(3, 0);
  trace.Task("a", 0, 10).Task("a", 10, 40).Task("b", 40, 45).Task("a", 0, 15, {.worker = 1});
  const AreaBound bound = AreaBounds(trace.Build())[0];
  EXPECT_EQ(bound.status, BoundStatus::kOptimal);
  EXPECT_NEAR(bound.bound_ns, 60. / 3, 1e-6);
}

TEST(AreaBound, CountsTheTimeOfEveryWorkerOfAParallelTask) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  for (const uint64_t worker : {0, 1}) {
    const auto start_ns = static_cast<int64_t>(10 + 5 * worker);
    trace.Event(start_ns, EventKind::kTaskStart, {uint64_t{1}, worker, 0, 0}, 1000 + worker);
    trace.Event(50, EventKind::kTaskEnd, {uint64_t{1}, worker, 0, 0, ""}, 1000 + worker);
  }
  const TraceModel model = trace.Build();
  const std::vector<AreaBound> bounds = AreaBounds(model);
  ASSERT_EQ(bounds.size(), 1u);
  EXPECT_DOUBLE_EQ(bounds[0].bound_ns, (40 + 35) / 2.);
  EXPECT_EQ(Summarize(model).worked_ns, 40 + 35);
}

// Four a: 8 on a CPU, 2 on the GPU; two b: 6 and 6. One CPU, one GPU. a saves more on the GPU: with
// both b (12) on the CPU and all a (8) on the GPU, T = 12; better, the GPU takes x of the b:
// 12 - 6x = 8 + 6x, x = 1/3, T = 10.
TEST(AreaBound, WithTwoKindsIsTheLinearProgramsOptimum) {
  TestTrace trace = Machine(1, 1);
  trace.Task("a", 0, 8).Task("b", 8, 14);
  trace.Task("a", 0, 2, {.worker = 1})
      .Task("a", 2, 4, {.worker = 1})
      .Task("a", 4, 6, {.worker = 1});
  trace.Task("b", 6, 12, {.worker = 1});
  ::testing::internal::CaptureStdout();
  const AreaBound bound = AreaBounds(trace.Build())[0];
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_NEAR(bound.bound_ns, 10, 1e-6);
  ASSERT_EQ(bound.placements.size(), 4u);
  EXPECT_NEAR(bound.placements[0].best, 0, 1e-6);       // a on the CPU
  EXPECT_NEAR(bound.placements[1].best, 4, 1e-6);       // a on the GPU
  EXPECT_NEAR(bound.placements[2].best, 5. / 3, 1e-6);  // b on the CPU
}

TEST(AreaBound, DoesNotMoveACodeletWhereItWasNeverSeen) {
  TestTrace trace = Machine(1, 1);
  trace.Task("a", 0, 30).Task("b", 0, 1, {.worker = 1});
  EXPECT_NEAR(AreaBounds(trace.Build())[0].bound_ns, 30, 1e-6);
}

// Tasks of one codelet, back to back on a GPU; they say of which architecture of the models.
void RunOnGpu(TestTrace& trace, uint32_t worker, const std::string& arch, int count,
              int64_t length_ns) {
  static uint64_t job = 100;
  for (int i = 0; i < count; ++i, ++job) {
    trace.Event(i * length_ns, EventKind::kTaskName, {job, "a"}, 1000 + worker);
    trace.Event(i * length_ns, EventKind::kTaskStart, {job, worker, 0, 0}, 1000 + worker);
    trace.Event((i + 1) * length_ns, EventKind::kTaskEnd,
                {job, worker, 0, 0, arch + "_impl0 (Comb1)"}, 1000 + worker);
  }
}

// Worker 0 is the CPU, workers 1 and on are GPUs 0 and on.
TestTrace GpuMachine(uint32_t gpus) {
  TestTrace trace;
  for (uint32_t w = 0; w <= gpus; ++w) {
    const uint64_t arch = static_cast<uint64_t>(w ? WorkerArch::kCuda : WorkerArch::kCpu);
    trace.Event(0, EventKind::kWorkerNew,
                {w, arch, w ? static_cast<int>(w) - 1 : 0, 0, static_cast<int>(w), 1, "w"},
                1000 + w);
    trace.Event(0, EventKind::kWorkerReady, {w}, 1000 + w);
  }
  return trace;
}

// Eight a, of 2 on one GPU and of 6 on the other: x and 8 - x with 2x = 6(8 - x), so 6 and 2, T
// = 12. As if both took the mean of 4, T was 8 * 4 / 2 = 16, above what a schedule reaches.
TEST(AreaBound, TellsUnlikeGpusApart) {
  TestTrace trace = GpuMachine(2);
  RunOnGpu(trace, 1, "cuda0", 4, 2);
  RunOnGpu(trace, 2, "cuda1", 4, 6);
  const AreaBound bound = AreaBounds(trace.Build())[0];
  EXPECT_NEAR(bound.bound_ns, 12, 1e-6);
  ASSERT_EQ(bound.placements.size(), 2u);
  EXPECT_EQ(WorkerKindName(bound.placements[0].kind), "CUDA 0");
  EXPECT_NEAR(bound.placements[0].best, 6, 1e-6);
  EXPECT_EQ(WorkerKindName(bound.placements[1].kind), "CUDA 1");
  EXPECT_NEAR(bound.placements[1].best, 2, 1e-6);
}

// (4 * 2 + 4 * 6) / 2, as the models have one time for both.
TEST(AreaBound, TakesGpusForAlikeWhereTheModelsDo) {
  TestTrace trace = GpuMachine(2);
  RunOnGpu(trace, 1, "cuda0", 4, 2);
  RunOnGpu(trace, 2, "cuda0", 4, 6);
  const AreaBound bound = AreaBounds(trace.Build())[0];
  EXPECT_NEAR(bound.bound_ns, 16, 1e-6);
  ASSERT_EQ(bound.placements.size(), 1u);
  EXPECT_EQ(WorkerKindName(bound.placements[0].kind), "CUDA");
}

// The third may be as fast as the first: (x + y) in 2 and z in 6, x + y + z = 8. T = x * 2 = y * 2
// = z * 6, so 3.5 T / 3 = 8, T = 48 / 7.
TEST(AreaBound, CountsAnIdleGpuAsFastAsTheFastest) {
  TestTrace trace = GpuMachine(3);
  RunOnGpu(trace, 1, "cuda0", 4, 2);
  RunOnGpu(trace, 2, "cuda1", 4, 6);
  const AreaBound bound = AreaBounds(trace.Build())[0];
  EXPECT_NEAR(bound.bound_ns, 48. / 7, 1e-6);
  ASSERT_EQ(bound.placements.size(), 3u);
  EXPECT_EQ(bound.placements[2].ran, 0u);
}

TEST(AreaBound, OfARankWithoutTasksIsEmpty) {
  const TraceModel model = Machine(1, 0).Build();
  EXPECT_EQ(AreaBounds(model)[0].status, BoundStatus::kEmpty);
  const Bounds bounds = ComputeBounds(model);
  EXPECT_EQ(bounds.best_ns(), 0);
  EXPECT_EQ(bounds.BoundOverSpan(), 1);
}

TEST(AreaBound, OfTasksWithoutDurationIsZero) {
  TestTrace trace = Machine(1, 1);
  trace.Task("a", 5, 5).Task("a", 5, 5, {.worker = 1});
  const AreaBound bound = AreaBounds(trace.Build())[0];
  EXPECT_EQ(bound.status, BoundStatus::kOptimal);
  EXPECT_NEAR(bound.bound_ns, 0, 1e-9);
}

TEST(AreaBound, IsPerRank) {
  TestTrace trace;
  trace.Rank(0).Worker("CPU0").Worker("CPU1").Task("a", 0, 10);
  trace.Rank(1).Worker("CPU0").Task("a", 0, 40);
  const Bounds bounds = ComputeBounds(trace.Build());
  ASSERT_EQ(bounds.area.size(), 2u);
  EXPECT_NEAR(bounds.area[0].bound_ns, 5, 1e-6);
  EXPECT_NEAR(bounds.area[1].bound_ns, 40, 1e-6);
  EXPECT_NEAR(bounds.best_ns(), 40, 1e-6);
}

TEST(Bounds, CriticalPathWinsWhereAChainIsLongerThanTheArea) {
  TestTrace trace = Machine(2, 0);
  trace.Task("a", 0, 10).Task("a", 10, 20).Task("a", 20, 35).Dep(1, 2).Dep(2, 3);
  const Bounds bounds = ComputeBounds(trace.Build());
  EXPECT_EQ(bounds.critical_path_ns, 35);
  EXPECT_EQ(bounds.critical_chain, (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_NEAR(bounds.BoundOverSpan(), 1, 1e-12);
}

// The best of all ways to place whole tasks, each at the mean of its codelet there.
double BestOfAllPlacements(const std::vector<Placement>& p, size_t cpus, size_t gpus) {
  double best = INFINITY;
  const uint64_t a = p[0].ran + p[1].ran, b = p[2].ran + p[3].ran;
  for (uint64_t a_cpu = 0; a_cpu <= a; ++a_cpu) {
    for (uint64_t b_cpu = 0; b_cpu <= b; ++b_cpu) {
      const auto n = [](uint64_t count) { return static_cast<double>(count); };
      const double cpu = (n(a_cpu) * p[0].mean_ns + n(b_cpu) * p[2].mean_ns) / n(cpus);
      const double gpu = (n(a - a_cpu) * p[1].mean_ns + n(b - b_cpu) * p[3].mean_ns) / n(gpus);
      best = std::min(best, std::max(cpu, gpu));
    }
  }
  return best;
}

TEST(AreaBound, IsCloseBelowTheBestWholePlacement) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const uint32_t cpus = 1 + random() % 4, gpus = 1 + random() % 2;
    TestTrace trace = Machine(cpus, gpus);
    double longest_ns = 0;
    for (const char* name : {"a", "b"}) {
      for (uint32_t worker : {0u, cpus}) {
        const int64_t length_ns = 10 + static_cast<int64_t>(random() % 90);
        longest_ns = std::max(longest_ns, static_cast<double>(length_ns));
        for (int64_t i = 1 + static_cast<int64_t>(random() % 20); i > 0; --i)
          trace.Task(name, i * 1000, i * 1000 + length_ns, {.worker = worker});
      }
    }
    const AreaBound bound = AreaBounds(trace.Build())[0];
    ASSERT_EQ(bound.placements.size(), 4u);
    const double whole = BestOfAllPlacements(bound.placements, cpus, gpus);
    EXPECT_LE(bound.bound_ns, whole * (1 + 1e-9));
    EXPECT_GE(bound.bound_ns, whole - 2 * longest_ns);
  }
}

// Three tasks in a chain took 100 on a CPU; one of their like took 10 on a GPU.
TEST(Bounds, OfAChainDoNotDependOnWhereItsTasksHappenedToRun) {
  TestTrace trace = Machine(1, 1);
  for (int64_t i = 0; i < 3; ++i) trace.Task("a", 100 * i, 100 * (i + 1));
  trace.Dep(1, 2).Dep(2, 3);
  trace.Task("a", 0, 10, {.worker = 1});
  const Bounds bounds = ComputeBounds(trace.Build());
  EXPECT_EQ(bounds.critical_path_ns, 3 * 10);
  EXPECT_EQ(bounds.critical_chain, (std::vector<uint32_t>{0, 1, 2}));
}

// Nothing ran on the GPU, but a model knew.
TEST(Bounds, CountWhatModelsExpectedWhereNothingRan) {
  TestTrace trace = Machine(1, 1);
  for (int64_t i = 0; i < 3; ++i) trace.Task("a", 100 * i, 100 * (i + 1));
  trace.Dep(1, 2).Dep(2, 3);
  trace.Event(0, EventKind::kTaskEstimate, {uint64_t{1}, 0, 100., 0.});
  trace.Event(0, EventKind::kTaskEstimate, {uint64_t{1}, 1, 20., 0.});
  const Bounds bounds = ComputeBounds(trace.Build());
  EXPECT_EQ(bounds.critical_path_ns, 3 * 20);
  // 0.5 on the CPU, 2.5 on the GPU.
  EXPECT_NEAR(bounds.area[0].bound_ns, 50, 1e-6);
  ASSERT_EQ(bounds.area[0].placements.size(), 2u);
  EXPECT_FALSE(bounds.area[0].placements[0].expected);
  EXPECT_TRUE(bounds.area[0].placements[1].expected);
}

TEST(Bounds, AreNeverAboveTheRunOfOneKindOfWorker) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const TraceModel model = RandomRun(seed);
    const Bounds bounds = ComputeBounds(model);
    EXPECT_LE(bounds.best_ns(), static_cast<double>(bounds.span_ns) * (1 + 1e-9)) << seed;
    double total_ns = 0;
    for (uint32_t task = 0; task < model.tasks.size(); ++task)
      total_ns += static_cast<double>(model.tasks.end_ns[task] - model.tasks.start_ns[task]);
    EXPECT_NEAR(bounds.area[0].bound_ns, total_ns / static_cast<double>(model.workers.size()),
                1e-6);
  }
}

}  // namespace
}  // namespace tasklens
