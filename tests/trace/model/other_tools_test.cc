// SPDX-License-Identifier: Apache-2.0
// What only traces of other tools tell: tasks that pause, states with names, curves of rows, whole
// messages, tasks without numbers.
#include <gtest/gtest.h>

#include <string>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

constexpr uint64_t kFirst = 50, kSecond = 51;  // threads

TestTrace TwoWorkers() {
  return TestTrace()
      .Event(0, EventKind::kWorkerNew, {0, WorkerArch::kCpu, 0, 0, 0, /*sync=*/1, "A"}, kFirst)
      .Event(0, EventKind::kWorkerNew, {1, WorkerArch::kCpu, 0, 0, 0, /*sync=*/1, "B"}, kSecond);
}

TEST(OtherTools, ATaskThatGoesOnElsewhereRunsInStretches) {
  const TraceModel model = TwoWorkers()
                               .Event(100, EventKind::kTaskStart, {7, 0, 0, 0}, kFirst)
                               .Event(200, EventKind::kTaskEnd, {7, 0, 0, 0, ""}, kFirst)
                               .Event(400, EventKind::kTaskResume, {7, 1, 0, 0}, kSecond)
                               .Event(600, EventKind::kTaskEnd, {7, 1, 0, 0, ""}, kSecond)
                               .Build();
  ASSERT_EQ(model.tasks.size(), 1u);
  EXPECT_EQ(model.tasks.start_ns[0], 100);
  EXPECT_EQ(model.tasks.end_ns[0], 600);
  EXPECT_EQ(model.tasks.paused_ns[0], 200);
  EXPECT_EQ(model.tasks.RunNs(0), 300);
  EXPECT_EQ(model.tasks.worker[0], 0u);
  ASSERT_EQ(model.stretches.size(), 2u);
  EXPECT_EQ(model.stretches.worker[1], 1u);
  EXPECT_EQ(model.stretches.start_ns[1], 400);
  EXPECT_EQ(model.stretches.end_ns[1], 600);
}

TEST(OtherTools, ATaskThatWentOnUntilTheTraceEndedIsCutThere) {
  const TraceModel model = TwoWorkers()
                               .Event(100, EventKind::kTaskStart, {7, 0, 0, 0}, kFirst)
                               .Event(200, EventKind::kTaskEnd, {7, 0, 0, 0, ""}, kFirst)
                               .Event(400, EventKind::kTaskResume, {7, 0, 0, 0}, kFirst)
                               .Event(900, EventKind::kTaskCount)
                               .Build();
  EXPECT_EQ(model.tasks.end_ns[0], 900);
  EXPECT_EQ(model.tasks.RunNs(0), 600);
  EXPECT_EQ(model.tasks.cut[0], 1);
}

TEST(OtherTools, AStateIsCalledAsItsFileCallsIt) {
  const TraceModel model =
      TwoWorkers()
          .Event(10, EventKind::kNamedState, {StateKind::kUserDefined, "outer", 0}, kFirst)
          .Event(20, EventKind::kNamedState, {StateKind::kUserDefined, "inner", 1}, kFirst)
          .Event(30, EventKind::kStatePop, {}, kFirst)
          .Event(40, EventKind::kNamedState, {StateKind::kUserDefined, "other", 0}, kFirst)
          .Event(50, EventKind::kTaskCount)
          .Build();
  std::string names;
  for (uint32_t i = 0; i < model.states.first_of_track[1]; ++i)
    names += std::string(model.StateNameOf(i)) + ' ' + std::to_string(model.states.start_ns[i]) +
             '-' + std::to_string(model.states.end_ns[i]) + ' ';
  EXPECT_EQ(names, "Initializing 0-10 outer 10-40 inner 20-30 other 40-50 ");
}

TEST(OtherTools, ACounterIsACurveOfItsRow) {
  const TraceModel model =
      TwoWorkers()
          .Event(10, EventKind::kCounterValue, {"power", FromDouble(2.5)}, kSecond)
          .Event(20, EventKind::kCounterValue, {"power", FromDouble(-1)}, kSecond)
          .Event(20, EventKind::kCounterValue, {"power", FromDouble(7)}, 99)
          .Build();
  ASSERT_EQ(model.counters.size(), 2u);
  const CounterSeries& series = model.counters[0];
  EXPECT_EQ(series.kind, CounterKind::kOfFile);
  EXPECT_EQ(model.str(series.name), "power");
  EXPECT_EQ(model.str(model.tracks.name[series.track]), "B");
  ASSERT_EQ(series.value.size(), 2u);
  EXPECT_EQ(series.value[0], 2.5);
  EXPECT_EQ(series.value[1], -1);
  // A thread of which nothing else is known has a row for it.
  EXPECT_EQ(model.str(model.tracks.name[model.counters[1].track]), "thread 99");
}

TEST(OtherTools, AMessageKeepsItsRowsAndAllItsTimes) {
  Diagnostics diags;
  const TraceModel model =
      TwoWorkers()
          .Event(500, EventKind::kWholeMessage, {kSecond, 0, kFirst, 9, 4096, 20, -100, 90})
          .Build(&diags);
  ASSERT_EQ(model.messages.size(), 1u);
  EXPECT_EQ(model.messages.send_ns[0], 500);
  EXPECT_EQ(model.messages.left_ns[0], 520);
  EXPECT_EQ(model.messages.asked_ns[0], 400);
  EXPECT_EQ(model.messages.receive_ns[0], 590);
  EXPECT_EQ(model.str(model.tracks.name[model.messages.source_track[0]]), "B");
  EXPECT_EQ(model.str(model.tracks.name[model.messages.target_track[0]]), "A");
  EXPECT_EQ(diags.Summary(), "");
}

TEST(OtherTools, AMessageThatArrivesBeforeItLeftTellsOfClocks) {
  Diagnostics diags;
  TwoWorkers()
      .Event(500, EventKind::kWholeMessage, {kSecond, 0, kFirst, 9, 4096, 20, -400, -100})
      .Event(600, EventKind::kWholeMessage, {kSecond, 0, kFirst, 9, 4096, 0, 0, 0})
      .Build(&diags);
  EXPECT_EQ(diags.Count("model_message_backward"), 1u);
  EXPECT_NE(diags.Summary().find("120 ns"), std::string::npos) << diags.Summary();
}

TEST(OtherTools, TasksThatAReaderCountedFollowThoseOfTheFile) {
  const TraceModel model =
      TwoWorkers()
          .Event(10, EventKind::kTaskStart, {kCountedJobs + 1, 0, 0, 0}, kFirst)
          .Event(20, EventKind::kTaskStart, {41, 1, 0, 0}, kSecond)
          .Event(30, EventKind::kTaskCount)
          .Build();
  EXPECT_EQ(model.tasks.job[0], 42u);
  EXPECT_EQ(model.FindTask(0, 42), 0u);
  EXPECT_EQ(model.FindTask(0, 41), 1u);
}

}  // namespace
}  // namespace tasklens
