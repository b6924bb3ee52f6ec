// SPDX-License-Identifier: Apache-2.0
// Whatever takes long ends early when it is told to, and the same without a word gives everything.
#include "analysis/stop.h"

#include <gtest/gtest.h>

#include <atomic>

#include "analysis/advice.h"
#include "analysis/bounds.h"
#include "analysis/compare.h"
#include "analysis/critical_path.h"
#include "analysis/idle.h"
#include "analysis/neighbourhood.h"
#include "analysis/statistics.h"
#include "analysis/timeline.h"
#include "analysis/timeline_arrows.h"
#include "analysis/timeline_curves.h"
#include "analysis/timeline_flags.h"
#include "analysis/topology.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

// A chain of a hundred tasks with a pause before each.
TraceModel Chain() {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int task = 0; task < 100; ++task) {
    trace.Task("t", 20 * task + 10, 20 * task + 20, {.submit_ns = 0, .flops = 10});
    trace.Event(20 * task, EventKind::kUserEvent, {1});
    if (task > 0) trace.Dep(static_cast<uint64_t>(task), static_cast<uint64_t>(task) + 1);
  }
  return trace.Build();
}

TEST(Stop, EndsEachAnalysisEarly) {
  const TraceModel model = Chain();
  const Topology topology(model);
  const std::atomic<bool> stop{true}, go_on{false};

  EXPECT_LT(Topology(model, &stop).levels, 100u);
  EXPECT_EQ(Topology(model, &go_on).levels, 100u);

  EXPECT_TRUE(ObservedCriticalPath(model, &stop).steps.empty());
  EXPECT_EQ(ObservedCriticalPath(model, &go_on).steps.size(), 100u);

  EXPECT_TRUE(LongestDependencyChain(model, &stop).tasks.empty());
  EXPECT_EQ(LongestDependencyChain(model, &go_on).tasks.size(), 100u);

  EXPECT_TRUE(ExplainIdleness(model, &stop).pauses.empty());
  EXPECT_FALSE(ExplainIdleness(model, &go_on).pauses.empty());

  EXPECT_TRUE(Statistics(model, StatisticsBy::kCodelet, &stop).empty());
  EXPECT_EQ(Statistics(model, StatisticsBy::kCodelet, &go_on).size(), 1u);

  EXPECT_TRUE(Compare(model, model, StatisticsBy::kCodelet, &stop).empty());
  EXPECT_EQ(Compare(model, model, StatisticsBy::kCodelet, &go_on).size(), 1u);

  EXPECT_EQ(ComputeBounds(model, &stop).critical_path_ns, 0);
  EXPECT_EQ(ComputeBounds(model, &go_on).critical_path_ns, 1000);

  EXPECT_TRUE(Advise(model, &stop).empty());
  EXPECT_FALSE(Advise(model, &go_on).empty());

  EXPECT_TRUE(AreaBounds(model, &stop).empty());
  EXPECT_EQ(AreaBounds(model, &go_on).size(), 1u);

  const TaskSelection all(model, true);
  EXPECT_TRUE(TasksAround(model, topology, all, 50, 3, &stop).empty());
  EXPECT_EQ(TasksAround(model, topology, all, 50, 3, &go_on).size(), 7u);
}

TEST(Stop, EndsTheIndexesOfATimelineEarly) {
  const TraceModel model = Chain();
  const TimelineRows rows(model);
  const std::atomic<bool> stop{true}, go_on{false};
  const uint32_t row = rows.of_worker[0], track = rows.rows[row].track;

  EXPECT_EQ(TimelineIndex(model, &stop).Depths(track), 0u);
  EXPECT_EQ(TimelineIndex(model, &go_on).Depths(track), 1u);

  EXPECT_TRUE(TimelineCurves(model, rows, &stop).curves().empty());
  EXPECT_FALSE(TimelineCurves(model, rows, &go_on).curves().empty());

  const auto flags = [&](Stop when) {
    return TimelineFlags(model, rows, false, when).Flags(rows.of_track[1], 0, 2000, 1000).size();
  };
  EXPECT_EQ(flags(&stop), 0u);
  EXPECT_EQ(flags(&go_on), 100u);

  EXPECT_EQ(TimelineArrows(model, rows, ArrowKind::kDependency, &stop).size(), 0u);
  EXPECT_EQ(TimelineArrows(model, rows, ArrowKind::kDependency, &go_on).size(), 99u);
}

}  // namespace
}  // namespace tasklens
