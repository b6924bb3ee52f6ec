// SPDX-License-Identifier: Apache-2.0
// Costs by submission site.
#include "analysis/sites.h"

#include <gtest/gtest.h>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

TraceModel ThreeSites() {
  return TestTrace()
      .Worker("CPU0")
      .Worker("CPU1")
      .Task("a", 0, 10, {.file = "x.c", .line = 5})
      .Task("b", 10, 40, {.worker = 1, .file = "x.c", .line = 7})
      .Task("a", 10, 30, {.file = "x.c", .line = 5})
      .Task("c", 40, 41, {.file = "y.c", .line = 5})
      .Task("no line", 41, 50)
      .Dep(1, 2)
      .Build();
}

TEST(CostBySite, ListsTheCostliestFirst) {
  const TraceModel model = ThreeSites();
  const std::vector<SiteCost> costs = CostBySite(model);
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_EQ(model.str(model.sites.file[costs[0].site]), "x.c");
  EXPECT_EQ(model.sites.line[costs[0].site], 5u);
  EXPECT_EQ(costs[0].tasks, 2u);
  EXPECT_EQ(costs[0].total_ns, 30);
  EXPECT_EQ(costs[0].MeanNs(), 15);
  EXPECT_EQ(costs[0].min_ns, 10);
  EXPECT_EQ(costs[0].max_ns, 20);
  ASSERT_EQ(costs[0].names.size(), 1u);
  EXPECT_EQ(model.str(costs[0].names[0]), "a");
  EXPECT_EQ(model.sites.line[costs[1].site], 7u);
  EXPECT_EQ(costs[2].total_ns, 1);
}

TEST(CostBySite, IsEmptyWhereNoTaskHasALine) {
  EXPECT_TRUE(CostBySite(TestTrace().Task("a", 0, 1).Build()).empty());
}

TEST(Summarize, CountsTasksWorkersAndTime) {
  const RunSummary run = Summarize(ThreeSites());
  EXPECT_EQ(run.tasks, 5u);
  EXPECT_EQ(run.ran, 5u);
  EXPECT_EQ(run.workers, 2u);
  EXPECT_EQ(run.dependencies, 1u);
  EXPECT_EQ(run.span_ns, 50);
  EXPECT_EQ(run.busy_ns, 70);
  EXPECT_DOUBLE_EQ(run.Efficiency(), 0.7);
}

TEST(Summarize, LeavesOutTheRuntimesOwnTasks) {
  const TraceModel model = TestTrace()
                               .Task("a", 0, 10)
                               .Task("acquire", 10, 90, {.submit_ns = 1, .type = kTaskDataAcquire})
                               .Dep(77, 1)
                               .Build();
  EXPECT_EQ(Summarize(model).tasks, 1u);
  EXPECT_EQ(Summarize(model).dependencies, 0u);
  EXPECT_EQ(Summarize(model).span_ns, 10);
  EXPECT_EQ(Summarize(model).busy_ns, 10);
}

TEST(Summarize, CountsTheRuntimesOwnWorkAsTimeAndNotAsATask) {
  const TraceModel model = TestTrace().Task("a", 0, 10).Task("_starpu_redux", 10, 95).Build();
  EXPECT_EQ(Summarize(model).tasks, 1u);
  EXPECT_EQ(Summarize(model).span_ns, 95);
  EXPECT_EQ(Summarize(model).busy_ns, 95);
}

TEST(Summarize, MeasuresFromTheFirstSubmission) {
  const TraceModel model = TestTrace().Worker("CPU0").Task("a", 60, 100, {.submit_ns = 20}).Build();
  EXPECT_EQ(Summarize(model).span_ns, 80);
  EXPECT_EQ(Summarize(model).measured_ns, 80);
  EXPECT_DOUBLE_EQ(Summarize(model).Efficiency(), 0.5);
}

}  // namespace
}  // namespace tasklens
