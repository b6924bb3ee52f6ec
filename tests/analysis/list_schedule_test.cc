// SPDX-License-Identifier: Apache-2.0
#include "analysis/list_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "analysis/execution_order.h"
#include "tests/analysis/random_run.h"
#include "tests/analysis/simulated_ranks.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

TEST(ListSchedule, PutsFirstWhatMostDependsOn) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  // Four tasks of 10, then a chain of two of 20: in the other order the chain is done beside them.
  for (int64_t i = 0; i < 4; ++i)
    trace.Task("a", i / 2 * 10, i / 2 * 10 + 10, {.worker = static_cast<uint32_t>(i % 2)});
  trace.Task("b", 20, 40, {.worker = 0}).Task("b", 40, 60, {.worker = 1}).Dep(5, 6);
  const ListSchedule found = ScheduleByList(trace.Build());
  EXPECT_EQ(found.span_ns, 40);
  EXPECT_EQ(found.independent_ns, 40);
  EXPECT_EQ(ScheduleByList(trace.Build(), nullptr, ListOrder::kOfTheRun).span_ns, 60);
}

TEST(ListSchedule, LeavesTasksOnTheKindOfWorkersThatRanThem) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CUDA 0");
  for (int64_t i = 0; i < 3; ++i) trace.Task("a", 10 * i, 10 * i + 10, {.worker = 1});
  trace.Task("a", 30, 35, {.worker = 0}).Dep(3, 4);
  const ListSchedule found = ScheduleByList(trace.Build());
  EXPECT_EQ(found.span_ns, 30) << "the third goes first, as another waits for it";
  EXPECT_EQ(found.independent_ns, 30);
}

// A relay between ranks: one task at a time, whatever the order.
TEST(ListSchedule, WaitsForMessagesAsLongAsTheyTook) {
  std::vector<testing::RankTask> tasks(6);
  for (size_t i = 0; i < tasks.size(); ++i) {
    tasks[i] = {.rank = static_cast<uint32_t>(i % 2), .length_ns = 1000};
    if (i > 0) tasks[i].after = {i - 1};
  }
  const TraceModel model =
      SimulateRanks(tasks, {.latency_ns = 300, .ns_per_byte = 0, .unsent_ns = 70}).Build();
  EXPECT_EQ(ScheduleByList(model).span_ns, 6 * 1000 + 5 * (70 + 300))
      << "no order sends them earlier";
}

TEST(ListSchedule, FollowsTags) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Task("a", 0, 10, {.worker = 0, .tag = 1}).Task("b", 10, 20, {.worker = 1, .tag = 2});
  trace.Event(0, EventKind::kTagDep, {2, 1});
  EXPECT_EQ(ScheduleByList(trace.Build()).span_ns, 20);
}

TEST(ListSchedule, OfNothingTakesNoTime) {
  EXPECT_EQ(ScheduleByList(TestTrace().Build()).span_ns, 0);
  EXPECT_EQ(ScheduleByList(TestTrace().Worker("CPU0").Build()).independent_ns, 0);
}

// No schedule is shorter than a chain of its tasks or than all of them shared evenly, and one that
// leaves no worker idle while a task is ready is no longer than both together (R. L. Graham).
TEST(ListSchedule, LiesBetweenTheBoundsOfAnyOnRandomRuns) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    const TraceModel model = testing::RandomRun(seed);
    const TaskTable& tasks = model.tasks;
    const ListSchedule found = ScheduleByList(model);
    int64_t all_ns = 0, longest_ns = 0;
    const ExecutionOrder order(model);
    std::vector<int64_t> chain_ns(tasks.size(), 0);
    for (const uint32_t task : order.tasks) {
      for (const DepEnd& dep : model.predecessors[task])
        if (order.Forward(tasks, dep.task, task))
          chain_ns[task] = std::max(chain_ns[task], chain_ns[dep.task]);
      chain_ns[task] += tasks.RunNs(task);
      all_ns += tasks.RunNs(task);
      longest_ns = std::max(longest_ns, chain_ns[task]);
    }
    const auto workers = static_cast<int64_t>(model.workers.size());
    EXPECT_GE(found.span_ns, std::max(longest_ns, found.independent_ns)) << seed;
    EXPECT_LE(found.span_ns, longest_ns + all_ns / workers + 1) << seed;
    const int64_t in_order_ns = ScheduleByList(model, nullptr, ListOrder::kOfTheRun).span_ns;
    EXPECT_GE(in_order_ns, std::max(longest_ns, found.independent_ns)) << seed;
    EXPECT_LE(in_order_ns, longest_ns + all_ns / workers + 1) << seed;
  }
}

}  // namespace
}  // namespace tasklens
