// SPDX-License-Identifier: Apache-2.0
// Costs by submission site.
#include "analysis/sites.h"

#include <gtest/gtest.h>

#include "analysis/idle.h"
#include "analysis/statistics.h"
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

TEST(Summarize, CountsTheRuntimesOwnWorkAsTimeOfWorkersAndNotAsATask) {
  const TraceModel model = TestTrace().Task("a", 0, 10).Task("_starpu_redux", 10, 95).Build();
  EXPECT_EQ(Summarize(model).tasks, 1u);
  EXPECT_EQ(Summarize(model).span_ns, 95);
  EXPECT_EQ(Summarize(model).busy_ns, 10);
  EXPECT_EQ(Summarize(model).worked_ns, 95);
}

// One that two workers execute together, and one that one of them executes.
TraceModel ParallelTask() {
  return TestTrace()
      .Worker("CPU0")
      .Worker("CPU1")
      .Event(0, EventKind::kTaskSite, {1, 5, "x.c", "main"})
      .Event(0, EventKind::kTaskSite, {2, 6, "x.c", "main"})
      .Event(10, EventKind::kTaskStart, {1, 0, 0, 0}, 1000)
      .Event(10, EventKind::kTaskStart, {1, 1, 0, 0}, 1001)
      .Event(30, EventKind::kTaskEnd, {1, 0, 0, 0, ""}, 1000)
      .Event(30, EventKind::kTaskEnd, {1, 1, 0, 0, ""}, 1001)
      .Event(30, EventKind::kTaskStart, {2, 0, 0, 0}, 1000)
      .Event(35, EventKind::kTaskEnd, {2, 0, 0, 0, ""}, 1000)
      .Build();
}

TEST(Summarize, CountsAParallelTaskOnceAndTheTimeOfEachOfItsWorkers) {
  const RunSummary run = Summarize(ParallelTask());
  EXPECT_EQ(run.tasks, 2u);
  EXPECT_EQ(run.ran, 2u);
  EXPECT_EQ(run.busy_ns, 25);
  EXPECT_EQ(run.worked_ns, 45);
}

TEST(Summarize, HasTheTimeOfTasksThatTablesAndLinesHave) {
  const TraceModel model = ParallelTask();
  const auto all_ns = [](const auto& rows, const auto& ns) {
    int64_t sum_ns = 0;
    for (const auto& row : rows) sum_ns += ns(row);
    return sum_ns;
  };
  const auto total_ns = [](const StatisticsRow& row) { return row.durations.total_ns; };
  EXPECT_EQ(all_ns(CostBySite(model), [](const SiteCost& cost) { return cost.total_ns; }), 25);
  EXPECT_EQ(all_ns(Statistics(model, StatisticsBy::kCodelet), total_ns), 25);
  EXPECT_EQ(all_ns(Statistics(model, StatisticsBy::kSite), total_ns), 25);
  EXPECT_EQ(all_ns(Statistics(model, StatisticsBy::kKind), total_ns), 25);
  // Each worker for itself.
  EXPECT_EQ(all_ns(Statistics(model, StatisticsBy::kWorker), total_ns), 45);
}

// One that pauses while its worker executes another.
TEST(Summarize, CountsATaskThatPausedForAsLongAsItsWorkerWasAtIt) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Event(0, EventKind::kTaskSite, {1, 5, "x.c", "main"})
                               .Event(0, EventKind::kTaskSite, {2, 6, "x.c", "main"})
                               .Event(10, EventKind::kTaskStart, {1, 0, 0, 0}, 1000)
                               .Event(20, EventKind::kTaskStart, {2, 0, 0, 0}, 1000)
                               .Event(50, EventKind::kTaskEnd, {2, 0, 0, 0, ""}, 1000)
                               .Event(50, EventKind::kTaskStart, {1, 0, 0, 0}, 1000)
                               .Event(57, EventKind::kTaskEnd, {1, 0, 0, 0, ""}, 1000)
                               .Build();
  const RunSummary run = Summarize(model);
  EXPECT_EQ(run.tasks, 2u);
  EXPECT_EQ(run.busy_ns, 47);
  EXPECT_EQ(run.worked_ns, 47);
  EXPECT_EQ(ExplainIdleness(model).workers[0].busy_ns, 47);
  const std::vector<SiteCost> costs = CostBySite(model);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].total_ns, 30);
  EXPECT_EQ(costs[1].total_ns, 17);
  EXPECT_EQ(costs[1].max_ns, 17);
  for (const StatisticsBy by : {StatisticsBy::kSite, StatisticsBy::kWorker}) {
    int64_t total_ns = 0;
    for (const StatisticsRow& row : Statistics(model, by)) total_ns += row.durations.total_ns;
    EXPECT_EQ(total_ns, 47);
  }
}

TEST(Summarize, MeasuresFromTheFirstSubmission) {
  const TraceModel model = TestTrace().Worker("CPU0").Task("a", 60, 100, {.submit_ns = 20}).Build();
  EXPECT_EQ(Summarize(model).span_ns, 80);
  EXPECT_EQ(Summarize(model).measured_ns, 80);
  EXPECT_DOUBLE_EQ(Summarize(model).Efficiency(), 0.5);
}

}  // namespace
}  // namespace tasklens
