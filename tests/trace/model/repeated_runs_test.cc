// SPDX-License-Identifier: Apache-2.0
// Parallel tasks, which several workers start, and tasks that run again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/test_trace.h"
#include "trace/model/executions.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

using testing::kMain;
using testing::TestTrace;

void Start(TestTrace& trace, int64_t time_ns, uint64_t job, uint64_t worker, uint64_t node = 0) {
  trace.Event(time_ns, EventKind::kTaskStart, {job, worker, node, 0}, 1000 + worker);
}

void End(TestTrace& trace, int64_t time_ns, uint64_t job, uint64_t worker) {
  trace.Event(time_ns, EventKind::kTaskEnd, {job, worker, 0, 0, ""}, 1000 + worker);
}

void Ready(TestTrace& trace, int64_t time_ns, uint64_t job) {
  trace.Event(time_ns, EventKind::kTaskReady, {job, 0}, kMain);
}

void Pop(TestTrace& trace, int64_t time_ns, uint64_t job, uint64_t worker) {
  trace.Event(time_ns, EventKind::kTaskPop, {job, 0}, 1000 + worker);
}

using Samples = std::vector<std::pair<int64_t, double>>;
Samples CounterOf(const TraceModel& model, CounterKind kind) {
  Samples samples;
  for (const CounterSeries& series : model.counters)
    if (series.kind == kind)
      for (size_t i = 0; i < series.time_ns.size(); ++i)
        samples.push_back({series.time_ns[i], series.value[i]});
  return samples;
}

TEST(RepeatedRuns, AParallelTaskRunsFromTheFirstStartToTheLastEnd) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Event(5, EventKind::kTaskSubmit, {uint64_t{1}, 1, -1, -1, 0, 0});
  for (const int64_t at_ns : {10, 11, 12}) Ready(trace, at_ns, 1);
  Pop(trace, 13, 1, 1);
  Start(trace, 20, 1, 1);
  Pop(trace, 21, 1, 0);
  Start(trace, 25, 1, 0);
  End(trace, 40, 1, 1);
  End(trace, 38, 1, 0);
  const TraceModel model = trace.Build();
  const TaskTable& tasks = model.tasks;
  EXPECT_EQ(tasks.ready_ns[0], 10);
  EXPECT_EQ(tasks.pop_ns[0], 13);
  EXPECT_EQ(tasks.start_ns[0], 20);
  EXPECT_EQ(tasks.end_ns[0], 40);
  EXPECT_EQ(model.workers.id[tasks.worker[0]], 1u);
  EXPECT_EQ(tasks.LastStartNs(0), 25);
  EXPECT_EQ(model.workers.id[tasks.LastWorker(0)], 0u);
  // One task was submitted, ready and taken, whatever its workers were given.
  EXPECT_EQ(CounterOf(model, CounterKind::kReadyTasks), (Samples{{10, 1}, {13, 0}}));
  EXPECT_EQ(CounterOf(model, CounterKind::kSubmittedTasks), (Samples{{5, 1}, {13, 0}}));
}

TEST(RepeatedRuns, ATaskThatRunsAgainTellsItsLastRun) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  for (const uint64_t run : {0, 1, 2}) {
    const auto at_ns = static_cast<int64_t>(100 * run);
    Ready(trace, at_ns + 10, 1);
    Pop(trace, at_ns + 12, 1, run % 2);
    Start(trace, at_ns + 20, 1, run % 2);
    End(trace, at_ns + 50, 1, run % 2);
  }
  const TraceModel model = trace.Build();
  const TaskTable& tasks = model.tasks;
  EXPECT_EQ(tasks.ready_ns[0], 210);
  EXPECT_EQ(tasks.pop_ns[0], 212);
  EXPECT_EQ(tasks.start_ns[0], 220);
  EXPECT_EQ(tasks.end_ns[0], 250);
  EXPECT_EQ(tasks.LastStartNs(0), 220);
  EXPECT_EQ(model.workers.id[tasks.worker[0]], 0u);
  EXPECT_EQ(CounterOf(model, CounterKind::kReadyTasks),
            (Samples{{10, 1}, {12, 0}, {110, 1}, {112, 0}, {210, 1}, {212, 0}}));
}

// "task worker start-end run order"
std::vector<std::string> ExecutionsOf(const TraceModel& model) {
  std::vector<std::string> lines;
  ForEachExecution(model, [&](const Execution& x) {
    lines.push_back(std::to_string(model.tasks.job[x.task]) + " on " +
                    std::to_string(model.workers.id[x.worker]) + " " + std::to_string(x.start_ns) +
                    "-" + std::to_string(x.end_ns) + " order " + std::to_string(x.submit_order) +
                    (x.cut ? " cut" : ""));
  });
  return lines;
}

TEST(RepeatedRuns, EachExecutionIsARowOfItsOwn) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  const auto submit = [&](int64_t at_ns, uint64_t job, uint64_t order) {
    trace.Event(at_ns, EventKind::kTaskSubmit, {job, order, -1, -1, 0, 0});
  };
  submit(1, 7, 1);
  Start(trace, 2, 7, 0);
  End(trace, 4, 7, 0);
  for (const uint64_t run : {0, 1, 2}) {
    const auto at_ns = static_cast<int64_t>(100 * run);
    submit(at_ns + 10, 1, run + 2);
    Start(trace, at_ns + 20, 1, run % 2);
    End(trace, at_ns + 50, 1, run % 2);
  }
  const TraceModel model = trace.Build();
  EXPECT_EQ(ExecutionsOf(model),
            (std::vector<std::string>{"7 on 0 2-4 order 1", "1 on 0 20-50 order 2",
                                      "1 on 1 120-150 order 3", "1 on 0 220-250 order 4"}));
  EXPECT_EQ(model.tasks.size(), 2u);
  EXPECT_EQ(model.tasks.resubmissions[0], 0u);
  EXPECT_EQ(model.tasks.resubmissions[1], 2u);
  // The row of the task tells its last run, from its submission on.
  EXPECT_EQ(model.tasks.submit_ns[1], 210);
  EXPECT_EQ(model.tasks.submit_order[1], 4u);
  EXPECT_EQ(ExecutionAt(model, 1, 1, 130).submit_order, 3u);
  EXPECT_EQ(ExecutionAt(model, 0, 0, 3).submit_order, 1u);
  EXPECT_EQ(EndedExecutions(model).size(), 4u);
}

TEST(RepeatedRuns, WorkersOfAParallelTaskAreExecutionsOfOneRun) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  for (const int64_t at_ns : {0, 100}) {
    Start(trace, at_ns + 20, 1, 1);
    Start(trace, at_ns + 25, 1, 0);
    End(trace, at_ns + 38, 1, 0);
    End(trace, at_ns + 40, 1, 1);
  }
  const TraceModel model = trace.Build();
  EXPECT_EQ(ExecutionsOf(model),
            (std::vector<std::string>{"1 on 1 20-40 order 0", "1 on 0 25-38 order 0",
                                      "1 on 1 120-140 order 0", "1 on 0 125-138 order 0"}));
  std::vector<int64_t> earlier;
  ForEachEarlierRun(model, [&](const EarlierRun& run) {
    earlier.insert(earlier.end(), {run.start_ns, run.end_ns});
  });
  EXPECT_EQ(earlier, (std::vector<int64_t>{20, 40}));
}

// Each run says anew which data it takes.
TEST(RepeatedRuns, HaveTheDataOfTheLastOne) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (const uint64_t run : {0, 1, 2}) {
    const auto at_ns = static_cast<int64_t>(100 * run);
    Start(trace, at_ns + 20, 1, 0);
    for (const uint64_t handle : {0xa0, 0xb0}) {
      trace.Event(at_ns + 21, EventKind::kTaskParameter, {uint64_t{1}, "v4"});
      trace.Event(at_ns + 21, EventKind::kTaskAccess, {uint64_t{1}, handle + run, 4, 1});
    }
    End(trace, at_ns + 50, 1, 0);
  }
  const TraceModel model = trace.Build();
  EXPECT_EQ(model.parameters[0].size(), 2u);
  ASSERT_EQ(model.accesses[0].size(), 2u);
  EXPECT_EQ(model.handles.address[model.accesses[0][0].handle], 0xa2u);
  EXPECT_EQ(model.handles.address[model.accesses[0][1].handle], 0xb2u);
}

// A run that begins when the one before ends is another one.
TEST(RepeatedRuns, ATaskThatRunsAgainAtOnceIsNotParallel) {
  TestTrace trace;
  trace.Worker("CPU0");
  Start(trace, 10, 1, 0);
  End(trace, 20, 1, 0);
  Start(trace, 20, 1, 0);
  End(trace, 35, 1, 0);
  const TraceModel model = trace.Build();
  EXPECT_EQ(model.tasks.start_ns[0], 20);
  EXPECT_EQ(model.tasks.last_start_ns[0], kNever);
}

TEST(RepeatedRuns, ALastRunThatWasCutIsToldAsCut) {
  TestTrace trace;
  trace.Worker("CPU0");
  Start(trace, 10, 1, 0);
  End(trace, 20, 1, 0);
  Start(trace, 30, 1, 0);
  trace.Event(60, EventKind::kUserEvent, {uint64_t{7}}, kMain);
  Diagnostics diags;
  const TraceModel model = trace.Build(&diags);
  EXPECT_EQ(model.tasks.start_ns[0], 30);
  EXPECT_EQ(model.tasks.end_ns[0], 60);
  EXPECT_TRUE(model.tasks.cut[0]);
}

// Threads' events come in any order: the model is the same for each of them.
TEST(RepeatedRuns, TheOrderOfArrivalDoesNotMatter) {
  using Step = void (*)(TestTrace&);
  std::vector<Step> steps = {
      [](TestTrace& trace) { Ready(trace, 10, 1); },
      [](TestTrace& trace) { Ready(trace, 11, 1); },
      [](TestTrace& trace) { Pop(trace, 13, 1, 0); },
      [](TestTrace& trace) { Pop(trace, 15, 1, 1); },
      [](TestTrace& trace) { Start(trace, 20, 1, 0); },
      [](TestTrace& trace) { Start(trace, 25, 1, 1); },
      [](TestTrace& trace) { End(trace, 40, 1, 0); },
      [](TestTrace& trace) { End(trace, 42, 1, 1); },
  };
  std::vector<size_t> order = {0, 1, 2, 3, 4, 5, 6, 7};
  do {
    TestTrace trace;
    trace.Worker("CPU0").Worker("CPU1");
    std::string shown;
    for (const size_t step : order) {
      steps[step](trace);
      shown += std::to_string(step);
    }
    const TraceModel model = trace.Build();
    const TaskTable& tasks = model.tasks;
    ASSERT_EQ(tasks.ready_ns[0], 10) << shown;
    ASSERT_EQ(tasks.pop_ns[0], 13) << shown;
    ASSERT_EQ(tasks.start_ns[0], 20) << shown;
    ASSERT_EQ(tasks.LastStartNs(0), 25) << shown;
    ASSERT_EQ(tasks.end_ns[0], 42) << shown;
    ASSERT_EQ(CounterOf(model, CounterKind::kReadyTasks), (Samples{{10, 1}, {13, 0}})) << shown;
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(RepeatedRuns, ThatHaveNoLengthEndWhereTheyBegan) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  for (const int64_t at_ns : {10, 20}) {
    Start(trace, at_ns, 1, 0);
    Start(trace, at_ns, 1, 1);
    End(trace, at_ns, 1, 0);
    End(trace, at_ns, 1, 1);
  }
  Start(trace, 30, 1, 0);
  End(trace, 40, 1, 0);
  const TraceModel model = trace.Event(90, EventKind::kTaskCount).Build();
  std::string text;
  ForEachExecution(model, [&](const Execution& run) {
    text += std::to_string(model.workers.id[run.worker]) + ": " + std::to_string(run.start_ns) +
            "-" + std::to_string(run.end_ns) + "\n";
  });
  EXPECT_EQ(text, "0: 10-10\n1: 10-10\n0: 20-20\n1: 20-20\n0: 30-40\n");
  EXPECT_EQ(model.executions.run[4], 2u);
}

}  // namespace
}  // namespace tasklens
