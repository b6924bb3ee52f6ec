// SPDX-License-Identifier: Apache-2.0
// The critical path as a view shows it: all of it, however coarse the view.
#include "analysis/path_view.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

// A chain over three workers, some tasks longer than others.
TraceModel Chain(int count) {
  std::mt19937 random(5);
  TestTrace trace;
  for (int worker = 0; worker < 3; ++worker) trace.Worker("CPU" + std::to_string(worker));
  int64_t now_ns = 0;
  for (int i = 0; i < count; ++i) {
    const int64_t start_ns = now_ns + random() % 20;
    now_ns = start_ns + 1 + random() % 40;
    trace.Task("t", start_ns, now_ns, {.worker = static_cast<uint32_t>(random() % 3)});
    if (i > 0) trace.Dep(static_cast<uint64_t>(i), static_cast<uint64_t>(i) + 1);
  }
  return trace.Build();
}

TEST(PathIndex, ShowsEveryStepOfAPathThatIsLongerThanThePicture) {
  const TraceModel model = Chain(5000);
  const TimelineRows rows(model);
  const CriticalPath path = ObservedCriticalPath(model);
  const PathIndex index(model, rows, path);
  ASSERT_EQ(index.size(), 5000u);
  for (const uint32_t pixels : {1u, 7u, 300u}) {
    const std::vector<PathStretch> view = index.View(0, model.duration_ns, pixels);
    uint64_t steps = 0;
    for (const PathStretch& one : view) steps += one.count;
    EXPECT_EQ(steps, 5000u);
    EXPECT_LE(view.size(), 3 * pixels);
  }
}

TEST(PathIndex, OfAFineViewGivesTheStepsThemselvesAndTheirNeighbours) {
  const TraceModel model = Chain(100);
  const TimelineRows rows(model);
  const CriticalPath path = ObservedCriticalPath(model);
  const PathIndex index(model, rows, path);
  const TaskTable& tasks = model.tasks;
  const uint32_t first = path.steps[40].task, last = path.steps[44].task;
  const std::vector<PathStretch> view =
      index.View(tasks.start_ns[first], tasks.end_ns[last], 100'000);
  ASSERT_EQ(view.size(), 7u);
  for (size_t i = 0; i < view.size(); ++i) {
    const uint32_t task = path.steps[39 + i].task;
    EXPECT_EQ(view[i].row, rows.of_worker[tasks.worker[task]]);
    EXPECT_EQ(view[i].start_ns, tasks.start_ns[task]);
    EXPECT_EQ(view[i].end_ns, tasks.end_ns[task]);
    EXPECT_EQ(view[i].count, 1u);
  }
}

TEST(PathIndex, IsEmptyWhereNothingRan) {
  const TraceModel model;
  const TimelineRows rows(model);
  EXPECT_TRUE(PathIndex(model, rows, ObservedCriticalPath(model)).View(0, 1, 1).empty());
}

TEST(PathIndex, OfAnyWindowNamesStepsThatMeetIt) {
  const TraceModel model = Chain(400);
  const TimelineRows rows(model);
  const PathIndex index(model, rows, ObservedCriticalPath(model));
  std::mt19937 random(6);
  for (int round = 0; round < 300; ++round) {
    const auto from_ns = static_cast<int64_t>(random() % static_cast<uint64_t>(model.duration_ns));
    const int64_t to_ns = from_ns + 1 + static_cast<int64_t>(random() % 3000);
    const uint32_t pixels = 1 + random() % 200;
    const std::vector<PathStretch> view = index.View(from_ns, to_ns, pixels);
    uint64_t met = 0;
    for (uint32_t task = 0; task < model.tasks.size(); ++task)
      met += model.tasks.start_ns[task] < to_ns && model.tasks.end_ns[task] >= from_ns;
    uint64_t shown = 0;
    for (const PathStretch& one : view) shown += one.count;
    EXPECT_GE(shown, met);
    EXPECT_LE(shown, met + 2);  // and one before and one behind
  }
}

}  // namespace
}  // namespace tasklens
