// SPDX-License-Identifier: Apache-2.0
// Factors of efficiency: a run worked out by hand, and the product on random runs.
#include "analysis/efficiency.h"

#include <gtest/gtest.h>

#include "analysis/bounds.h"
#include "analysis/sites.h"
#include "tests/analysis/random_run.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::RandomRun;
using testing::TestTrace;

// One worker from 0 to 100: a 0-40; 10 nothing submitted; b submitted at 50, taken at 55, fetched
// 60-80, run 80-100.
TEST(Efficiency, IsSplitAsByHand) {
  TestTrace trace;
  trace.MemoryNode("NUMA 0").MemoryNode("NUMA 1");
  trace.Worker("CPU0").Task("a", 0, 40, {.submit_ns = 0}).Task("b", 80, 100, {.submit_ns = 50});
  trace.State(40, StateKind::kScheduling).State(60, StateKind::kFetchingInput);
  trace.Event(55, EventKind::kTaskPop, {2, 0}, 1000);
  const TraceModel model = trace.Build();
  const Efficiency whole = SplitEfficiency(model, ExplainIdleness(model)).whole;
  EXPECT_EQ(whole.task_ns, 60);
  EXPECT_EQ(whole.transfer_ns, 20);
  EXPECT_EQ(whole.scheduling_ns, 5);
  EXPECT_EQ(whole.runtime_ns, 5);
  EXPECT_EQ(whole.no_work_ns, 10);
  EXPECT_DOUBLE_EQ(whole.Locality(), 60. / 80);
  EXPECT_DOUBLE_EQ(whole.Scheduling(), 80. / 85);
  EXPECT_DOUBLE_EQ(whole.Runtime(), 85. / 90);
  EXPECT_DOUBLE_EQ(whole.Parallelism(), 90. / 100);
  EXPECT_DOUBLE_EQ(whole.Total(), 0.6);
}

TEST(Efficiency, WhatTheTraceDoesNotTellTheCauseOfIsAFactorOfItsOwn) {
  TestTrace trace;
  trace.Event(0, EventKind::kProgramInfo, {"dependencies", "not recorded"}).Worker("CPU0");
  trace.Task("a", 0, 40, {.submit_ns = 0}).Task("b", 80, 100, {.submit_ns = 50});
  const TraceModel model = trace.Build();
  const Efficiency whole = SplitEfficiency(model, ExplainIdleness(model)).whole;
  EXPECT_EQ(whole.not_known_ns, 30);
  EXPECT_DOUBLE_EQ(whole.Scheduling(), 1);
  EXPECT_DOUBLE_EQ(whole.Parallelism(), 60. / 70);
  EXPECT_DOUBLE_EQ(whole.Known(), 70. / 100);
  EXPECT_DOUBLE_EQ(whole.Parallelism() * whole.Known(), whole.Total());
}

TEST(Efficiency, FactorsMultiplyOutToTheWholeAndPartsAddUp) {
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const TraceModel model = RandomRun(seed);
    const IdleReport idle = ExplainIdleness(model);
    const EfficiencyReport report = SplitEfficiency(model, idle);
    const Efficiency& e = report.whole;
    for (double factor : {e.Locality(), e.Scheduling(), e.Runtime(), e.Parallelism()}) {
      EXPECT_GE(factor, 0);
      EXPECT_LE(factor, 1);
    }
    EXPECT_NEAR(e.Locality() * e.Scheduling() * e.Runtime() * e.Parallelism(), e.Total(), 1e-12);
    int64_t measured_ns = 0, of_ranks_ns = 0;
    for (const WorkerTime& time : idle.workers) measured_ns += time.measured.length_ns();
    for (const Efficiency& rank : report.ranks) of_ranks_ns += rank.all_ns();
    EXPECT_EQ(e.all_ns(), measured_ns);
    // One run, one number: what the summary says is the product of the factors.
    const RunSummary run = Summarize(model);
    EXPECT_EQ(run.measured_ns, measured_ns);
    EXPECT_EQ(run.span_ns, ComputeBounds(model).span_ns);
    if (measured_ns > 0) {
      EXPECT_NEAR(run.Efficiency(), e.Total(), 1e-12) << "seed " << seed;
    }
    EXPECT_EQ(of_ranks_ns, measured_ns);
  }
}

// As beside a GPU, for which alone there are tasks.
TEST(Efficiency, IsThatOfTheWorkersThatCanRunTasks) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1").Worker("CUDA 0");
  trace.Task("a", 0, 60, {.worker = 2, .submit_ns = 0}).Task("a", 60, 100, {.worker = 2});
  const TraceModel model = trace.Build();
  const Efficiency whole = SplitEfficiency(model, ExplainIdleness(model)).whole;
  EXPECT_DOUBLE_EQ(whole.Total(), 1);
  EXPECT_EQ(whole.not_counted_ns, 2 * 100);
  EXPECT_DOUBLE_EQ(Summarize(model).Efficiency(), whole.Total());
}

TEST(Efficiency, OfNothingLosesNothing) {
  const TraceModel model = TestTrace().Build();
  EXPECT_EQ(SplitEfficiency(model, ExplainIdleness(model)).whole.Total(), 1);
}

}  // namespace
}  // namespace tasklens
