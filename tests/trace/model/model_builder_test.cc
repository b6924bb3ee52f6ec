// SPDX-License-Identifier: Apache-2.0
// What ModelBuilder makes of tasks, workers and dependencies.
#include "trace/model/model_builder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/testing/model_check.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::kMain;
using testing::TestTrace;

TEST(ModelBuilder, ATaskHasItsNameTimesWorkerAndSite) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("potrf", 10, 30,
                                     {.worker = 1,
                                      .submit_ns = 5,
                                      .file = "a.c",
                                      .line = 7,
                                      .function = "main",
                                      .model = "m",
                                      .priority = -3,
                                      .iteration = 2,
                                      .tag = 9,
                                      .size_bytes = 100,
                                      .flops = 2.5,
                                      .footprint = 0xabc})
                               .Build();
  ASSERT_EQ(model.tasks.size(), 1u);
  EXPECT_EQ(model.TaskNameOf(0), "potrf");
  EXPECT_EQ(model.str(model.tasks.model[0]), "m");
  EXPECT_EQ(model.tasks.submit_ns[0], 5);
  EXPECT_EQ(model.tasks.start_ns[0], 10);
  EXPECT_EQ(model.tasks.end_ns[0], 30);
  EXPECT_EQ(model.workers.id[model.tasks.worker[0]], 1u);
  EXPECT_EQ(model.tasks.priority[0], -3);
  EXPECT_EQ(model.tasks.iteration[0], 2);
  EXPECT_EQ(model.tasks.tag[0], 9u);
  EXPECT_EQ(model.tasks.footprint[0], 0xabcu);
  EXPECT_EQ(model.tasks.flops[0], 2.5);
  const uint32_t site = model.tasks.site[0];
  ASSERT_LT(site, model.sites.size());
  EXPECT_EQ(model.str(model.sites.file[site]), "a.c");
  EXPECT_EQ(model.sites.line[site], 7u);
  EXPECT_EQ(model.str(model.sites.function[site]), "main");
}

TEST(ModelBuilder, DependenciesAreSeenFromBothEndsOnceEach) {
  const TraceModel model = TestTrace()
                               .Task("a", 0, 10)
                               .Task("b", 10, 20)
                               .Task("c", 20, 30)
                               .Dep(1, 3, "task")
                               .Dep(2, 3, "task")
                               .Dep(1, 3, "ghost")
                               .Build();
  const uint32_t a = model.FindTask(0, 1), b = model.FindTask(0, 2), c = model.FindTask(0, 3);
  ASSERT_EQ(model.predecessors[c].size(), 2u);
  EXPECT_EQ(model.predecessors[c][0].task, a);
  EXPECT_EQ(model.str(model.predecessors[c][0].label), "task");
  EXPECT_EQ(model.predecessors[c][1].task, b);
  ASSERT_EQ(model.successors[a].size(), 1u);
  EXPECT_EQ(model.successors[a][0].task, c);
  EXPECT_TRUE(model.successors[c].empty());
}

// Beyond some ten thousands they are kept on another thread.
TEST(ModelBuilder, ManyPointsAndCountsAreKeptInTheirOrder) {
  constexpr uint64_t kCount = 200'000;
  Diagnostics diags;
  ModelBuilder builder(diags);
  for (uint64_t i = 0; i < kCount; ++i) {
    const uint64_t job[] = {i + 1, 0}, code[] = {i * i};
    const auto time_ns = static_cast<int64_t>(10 * i);
    const uint64_t thread = 100 + i % 5;
    builder.OnEvent({time_ns, EventKind::kTaskReady, 0, thread, job});
    builder.OnEvent({time_ns + 1, EventKind::kUserEvent, 0, thread, code});
    builder.OnEvent({time_ns + 2, EventKind::kTaskPop, 0, thread, job});
  }
  const auto model = std::move(builder).Finish();
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(testing::BrokenPromise(*model), "");
  const PointTable& points = model->points;
  ASSERT_EQ(points.size(), 3 * kCount);
  for (uint64_t row = 0; row < points.size(); ++row) {
    const uint64_t i = row / 3;
    constexpr EventKind kKinds[] = {EventKind::kTaskReady, EventKind::kUserEvent,
                                    EventKind::kTaskPop};
    ASSERT_EQ(points.time_ns[row], static_cast<int64_t>(10 * i + row % 3)) << row;
    ASSERT_EQ(points.kind[row], kKinds[row % 3]) << row;
    ASSERT_EQ(points.args[row][0], row % 3 == 1 ? i * i : i + 1) << row;
    ASSERT_EQ(model->tracks.id[points.track[row]], 100 + i % 5) << row;
  }
  size_t changes = 0;
  for (const CounterSeries& series : model->counters)
    if (series.kind == CounterKind::kReadyTasks) {
      EXPECT_EQ(series.value.back(), 0);
      EXPECT_EQ(*std::max_element(series.value.begin(), series.value.end()), 1);
      changes += series.value.size();
    }
  EXPECT_EQ(changes, 2 * kCount);
}

TEST(ModelBuilder, ATraceWithoutEventsIsAnError) {
  Diagnostics diags;
  ModelBuilder builder(diags);
  const auto model = std::move(builder).Finish();
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().message(), "the trace holds no event; was recording ever on?");
}

}  // namespace
}  // namespace tasklens
