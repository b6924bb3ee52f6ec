// SPDX-License-Identifier: Apache-2.0
// The program's own events as flags.
#include "analysis/timeline_flags.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::kMain;
using testing::TestTrace;

uint32_t RowOfMain(const TraceModel& model, const TimelineRows& rows) {
  for (uint32_t i = 0; i < rows.rows.size(); ++i)
    if (rows.rows[i].track != kNone && model.tracks.id[rows.rows[i].track] == kMain) return i;
  return kNone;
}

TEST(TimelineFlags, StandOnTheThreadThatRaisedThemWithTheirText) {
  TestTrace trace;
  trace.Worker("CPU0").Event(5, EventKind::kUserEvent, {42});
  trace.Event(7, EventKind::kUserEvent, {43}, 1000);
  trace.Event(9, EventKind::kMessage, {"phase\ntwo"});
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);
  const TimelineFlags flags(model, rows);
  const auto on_main = flags.Flags(RowOfMain(model, rows), 0, 100, 100);
  ASSERT_EQ(on_main.size(), 2u);
  EXPECT_EQ(on_main[0].time_ns, 5);
  EXPECT_EQ(FlagText(model, on_main[0].point), "user event 42");
  EXPECT_EQ(FlagText(model, on_main[1].point), "phase\\ntwo");
  const auto on_worker = flags.Flags(rows.of_worker[0], 0, 100, 100);
  ASSERT_EQ(on_worker.size(), 1u);
  EXPECT_EQ(FlagText(model, on_worker[0].point), "user event 43");
}

TEST(TimelineFlags, TasksOfTheSchedulerAreShownOnlyWhenAskedFor) {
  TestTrace trace;
  trace.Task("a", 10, 20).Event(1, EventKind::kTaskReady, {1, 0});
  trace.Event(2, EventKind::kTaskPop, {1, 0});
  const TraceModel model = trace.Build();
  const TimelineRows rows(model);
  const uint32_t scheduler = rows.scheduler[0];
  EXPECT_TRUE(TimelineFlags(model, rows).Flags(scheduler, 0, 50, 50).empty());
  EXPECT_EQ(TimelineFlags(model, rows, true).Flags(scheduler, 0, 50, 50).size(), 2u);
}

TEST(TimelineFlags, EveryFlagIsCountedInThePixelItLiesIn) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(round);
    TestTrace trace;
    std::vector<int64_t> times;
    for (int i = 0; i < 100; ++i) {
      times.push_back(static_cast<int64_t>(random() % 300));
      trace.Event(times.back(), EventKind::kUserEvent, {i});
    }
    const TraceModel model = trace.Build();
    const TimelineRows rows(model);
    const auto begin_ns = static_cast<int64_t>(random() % 100);
    const int64_t end_ns = begin_ns + 1 + static_cast<int64_t>(random() % 400);
    const uint32_t pixels = 1 + random() % 60;
    const auto flags =
        TimelineFlags(model, rows).Flags(RowOfMain(model, rows), begin_ns, end_ns, pixels);
    EXPECT_LE(flags.size(), pixels);
    const auto in_view = std::count_if(times.begin(), times.end(), [&](int64_t time_ns) {
      return begin_ns <= time_ns && time_ns < end_ns;
    });
    int64_t counted = 0;
    for (const TimelineFlag& flag : flags) counted += flag.count;
    EXPECT_EQ(counted, in_view);
  }
}

}  // namespace
}  // namespace tasklens
