// SPDX-License-Identifier: Apache-2.0
// What was expected of tasks, beside what they took.
#include "analysis/task_estimates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

// When the tasks of a worker's row were expected to end, -1 for those nobody knows of.
std::vector<int64_t> ExpectedEnds(const TraceModel& model, uint32_t pixels) {
  std::vector<int64_t> ends;
  const std::vector<double> estimates = EstimatesOfTasks(model);
  for (const TimelineSlice& slice :
       TimelineIndex(model).Slices(model.workers.track[0], 0, 0, 1000, pixels)) {
    if (model.states.task[slice.state] == kNone) continue;
    ends.push_back(ExpectedEnd(model, estimates, slice).value_or(-1));
  }
  return ends;
}

TEST(TaskEstimates, AreThoseOfTheWorkerThatRanTheTask) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("a", 0, 100)
                               .Task("b", 100, 200)
                               .Task("c", 200, 300)
                               .Event(0, EventKind::kTaskEstimate, {1, 1, 1000.0, 0.0})
                               .Event(0, EventKind::kTaskEstimate, {1, 0, 80.0, 0.0})
                               .Event(0, EventKind::kTaskEstimate, {1, -1, 60.0, 0.0})
                               .Event(0, EventKind::kTaskEstimate, {2, -1, 150.4, 0.0})
                               .Event(0, EventKind::kTaskEstimate, {3, 1, 70.0, 0.0})
                               .Build();
  const std::vector<double> estimates = EstimatesOfTasks(model);
  ASSERT_EQ(3u, estimates.size());
  EXPECT_EQ(80, estimates[0]);
  EXPECT_EQ(150.4, estimates[1]);
  EXPECT_TRUE(std::isnan(estimates[2]));
  EXPECT_EQ((std::vector<int64_t>{80, 250, -1}), ExpectedEnds(model, 1000));
}

TEST(TaskEstimates, AreNotShownOfOneOfSeveralTasksInAPixel) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a", 0, 10)
                               .Task("b", 10, 30)
                               .Event(0, EventKind::kTaskEstimate, {2, 0, 5.0, 0.0})
                               .Build();
  EXPECT_EQ((std::vector<int64_t>{-1}), ExpectedEnds(model, 1));
}

TEST(TaskEstimates, OfATraceThatHasNoneAreNone) {
  const TraceModel model = TestTrace().Worker("CPU0").Task("a", 0, 10).Build();
  EXPECT_TRUE(EstimatesOfTasks(model).empty());
  EXPECT_EQ((std::vector<int64_t>{-1}), ExpectedEnds(model, 1000));
}

TEST(TaskEstimates, ThatAreNoLengthAreNone) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a", 0, 100)
                               .Task("b", 100, 200)
                               .Task("c", 200, 300)
                               .Event(0, EventKind::kTaskEstimate, {1, 0, 1e300, 0.0})
                               .Event(0, EventKind::kTaskEstimate, {2, 0, -5.0, 0.0})
                               .Event(0, EventKind::kTaskEstimate, {3, 0, double{NAN}, 0.0})
                               .Build();
  EXPECT_EQ((std::vector<int64_t>{-1, -1, -1}), ExpectedEnds(model, 1000));
}

}  // namespace
}  // namespace tasklens
