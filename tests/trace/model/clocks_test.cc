// SPDX-License-Identifier: Apache-2.0
// One clock for all ranks, and messages between them.
#include <gtest/gtest.h>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

constexpr uint64_t kRun = 77;

// A trace without an event at 0: the ranks have clocks of their own.
TestTrace Ranks() { return TestTrace(/*event_at_zero=*/false); }

// The time of the only user event with code `code`.
int64_t TimeOf(const TraceModel& model, uint64_t code) {
  for (size_t i = 0; i < model.points.size(); ++i)
    if (model.points.kind[i] == EventKind::kUserEvent && model.points.Args(i)[0] == code)
      return model.points.time_ns[i];
  return -1;
}

TEST(Clocks, TheFirstEventOfATraceIsAtZero) {
  const TraceModel model = Ranks()
                               .Event(5'000'000, EventKind::kUserEvent, {1})
                               .Event(5'000'300, EventKind::kUserEvent, {2})
                               .Build();
  EXPECT_EQ(TimeOf(model, 1), 0);
  EXPECT_EQ(TimeOf(model, 2), 300);
  EXPECT_EQ(model.duration_ns, 300);
  EXPECT_TRUE(model.ranks.aligned[0]);
  EXPECT_EQ(model.event_count, 2u);
}

TEST(Clocks, TimesBeforeZeroOfTheClockAreFine) {
  const TraceModel model = Ranks()
                               .Event(-500, EventKind::kUserEvent, {1})
                               .Event(100, EventKind::kUserEvent, {2})
                               .Build();
  EXPECT_EQ(TimeOf(model, 2), 600);
}

TEST(Clocks, OneCommonBarrierShiftsTheRanks) {
  Diagnostics diags;
  const TraceModel model = Ranks()
                               .Event(1000, EventKind::kUserEvent, {1})
                               .Event(1100, EventKind::kMpiBarrier, {0, 2, kRun, 0})
                               .Event(1200, EventKind::kUserEvent, {2})
                               .Rank(1)
                               .Event(70030, EventKind::kUserEvent, {3})
                               .Event(70040, EventKind::kMpiBarrier, {1, 2, kRun, 0})
                               .Event(70050, EventKind::kUserEvent, {4})
                               .Build(&diags);
  // Rank 0 had recorded for 100 ns before the barrier, longer than rank 1: it starts the trace.
  EXPECT_EQ(TimeOf(model, 1), 0);
  EXPECT_EQ(TimeOf(model, 2), 200);
  EXPECT_EQ(TimeOf(model, 3), 90);
  EXPECT_EQ(TimeOf(model, 4), 110);
  EXPECT_TRUE(model.ranks.aligned[0] && model.ranks.aligned[1]);
  EXPECT_EQ(model.ranks.clock_offset_ns[1], 100 - 70040);
  EXPECT_EQ(diags.Count("model_clocks_not_aligned"), 0u);
}

TEST(Clocks, TheBarriersOwnTimeCountsMoreThanItsEvents) {
  const TraceModel model = Ranks()
                               .Event(1000, EventKind::kUserEvent, {1})
                               .Event(1190, EventKind::kMpiBarrier, {0, 2, kRun, 1100})
                               .Rank(1)
                               .Event(70040, EventKind::kMpiBarrier, {1, 2, kRun, 70040})
                               .Event(70050, EventKind::kUserEvent, {4})
                               .Build();
  EXPECT_EQ(TimeOf(model, 4), 110);
}

TEST(Clocks, TwoCommonBarriersCorrectTheDriftBetweenThem) {
  const TraceModel model = Ranks()
                               .Event(0, EventKind::kMpiBarrier, {0, 2, kRun, 0})
                               .Event(1'000'000, EventKind::kMpiBarrier, {0, 2, kRun, 0})
                               .Event(1'500'000, EventKind::kUserEvent, {9})
                               .Rank(1)  // its clock runs at half the speed
                               .Event(100, EventKind::kMpiBarrier, {1, 2, kRun, 0})
                               .Event(100 + 250'000, EventKind::kUserEvent, {1})
                               .Event(100 + 500'000, EventKind::kMpiBarrier, {1, 2, kRun, 0})
                               .Event(100 + 500'300, EventKind::kUserEvent, {2})
                               .Build();
  EXPECT_EQ(TimeOf(model, 1), 500'000);
  EXPECT_EQ(TimeOf(model, 2), 1'000'300);  // after the last barrier at its own speed
}

TEST(Clocks, ARankWithFewerBarriersIsAlignedOnThoseItHas) {
  const TraceModel model = Ranks()
                               .Event(0, EventKind::kMpiBarrier, {0, 2, kRun, 0})
                               .Event(1000, EventKind::kMpiBarrier, {0, 2, kRun, 0})
                               .Rank(1)
                               .Event(100, EventKind::kMpiBarrier, {1, 2, kRun, 0})
                               .Event(150, EventKind::kUserEvent, {1})
                               .Build();
  EXPECT_EQ(TimeOf(model, 1), 50);
}

TEST(Clocks, RanksWithoutABarrierStartAtTheirOwnZero) {
  Diagnostics diags;
  const TraceModel model = Ranks()
                               .Event(1000, EventKind::kUserEvent, {1})
                               .Rank(1)
                               .Event(70000, EventKind::kUserEvent, {2})
                               .Event(70010, EventKind::kUserEvent, {3})
                               .Build(&diags);
  EXPECT_EQ(TimeOf(model, 1), 0);
  EXPECT_EQ(TimeOf(model, 2), 0);
  EXPECT_EQ(TimeOf(model, 3), 10);
  EXPECT_FALSE(model.ranks.aligned[1]);
  EXPECT_EQ(diags.Count("model_clocks_not_aligned"), 1u);
}

// Two ranks whose clocks show 0 at `first_unix_ns` and `second_unix_ns`; they run from 1000 to
// 9000.
TestTrace RanksThatKnowTheTime(int64_t first_unix_ns, int64_t second_unix_ns) {
  return Ranks()
      .Event(0, EventKind::kWallClock, {first_unix_ns})
      .Event(1000, EventKind::kUserEvent, {1})
      .Event(9000, EventKind::kUserEvent, {2})
      .Rank(1)
      .Event(0, EventKind::kWallClock, {second_unix_ns})
      .Event(1000, EventKind::kUserEvent, {3})
      .Event(9000, EventKind::kUserEvent, {4});
}

TEST(Clocks, RanksWithoutABarrierAreComparedByTheTimeOfDay) {
  constexpr int64_t kNow = 1'700'000'000'000'000'000;
  Diagnostics diags;
  const TraceModel model = RanksThatKnowTheTime(kNow + 500, kNow).Build(&diags);
  EXPECT_EQ(TimeOf(model, 3), 0);
  EXPECT_EQ(TimeOf(model, 1), 500);
  EXPECT_EQ(TimeOf(model, 4), 8000);
  EXPECT_EQ(TimeOf(model, 2), 8500);
  EXPECT_TRUE(model.ranks.aligned[0] && model.ranks.aligned[1]);
  EXPECT_EQ(model.wall_clock_ns, kNow + 1000);
  EXPECT_EQ(diags.Count("model_clocks_by_time_of_day"), 1u);
}

TEST(Clocks, ATimeOfDayBeforeTheRanksOwnZeroIsFine) {
  const TraceModel model = Ranks()
                               .Event(5000, EventKind::kWallClock, {int64_t{7}})
                               .Event(1000, EventKind::kUserEvent, {1})
                               .Rank(1)
                               .Event(5000, EventKind::kWallClock, {int64_t{4}})
                               .Event(1000, EventKind::kUserEvent, {2})
                               .Build();
  EXPECT_EQ(TimeOf(model, 2), 0);
  EXPECT_EQ(TimeOf(model, 1), 3);
}

TEST(Clocks, RanksThatRanOneAfterTheOtherStartAtTheirOwnZero) {
  constexpr int64_t kOneSecondAfterTheEnd = 1'000'000'000 + 8000;
  EXPECT_EQ(TimeOf(RanksThatKnowTheTime(kOneSecondAfterTheEnd + 1, 1).Build(), 1),
            kOneSecondAfterTheEnd);
  Diagnostics diags;
  const TraceModel model = RanksThatKnowTheTime(kOneSecondAfterTheEnd + 2, 1).Build(&diags);
  EXPECT_EQ(TimeOf(model, 1), 0);
  EXPECT_EQ(TimeOf(model, 3), 0);
  EXPECT_EQ(diags.Count("model_clocks_not_aligned"), 1u);
}

TEST(Clocks, ARankWithoutTheTimeOfDayLeavesAllAtTheirOwnZero) {
  Diagnostics diags;
  const TraceModel model =
      RanksThatKnowTheTime(5000, 1).Rank(2).Event(123, EventKind::kUserEvent, {5}).Build(&diags);
  EXPECT_EQ(TimeOf(model, 1), 0);
  EXPECT_EQ(TimeOf(model, 3), 0);
  EXPECT_EQ(TimeOf(model, 5), 0);
  EXPECT_EQ(diags.Count("model_clocks_not_aligned"), 1u);
}

TEST(Clocks, RanksOfDifferentRunsAreToldAndNotMatched) {
  Diagnostics diags;
  const TraceModel model = Ranks()
                               .Event(0, EventKind::kMpiBarrier, {0, 2, kRun, 0})
                               .Event(5, EventKind::kMpiSend, {1, 3, 64, 0, 1, 0, 0})
                               .Rank(1)
                               .Event(0, EventKind::kMpiBarrier, {1, 2, kRun + 1, 0})
                               .Event(9, EventKind::kMpiReceived, {0, 3, 1, 0})
                               .Build(&diags);
  EXPECT_EQ(diags.Count("model_different_runs"), 1u);
  ASSERT_EQ(model.messages.size(), 2u);
  EXPECT_EQ(model.messages.receive_ns[0], kNever);
  EXPECT_EQ(model.messages.send_ns[1], kNever);
}

TEST(Clocks, TheWallClockOfTheLowestRankIsThatOfTheTrace) {
  const TraceModel model = Ranks()
                               .Rank(3)
                               .Event(0, EventKind::kWallClock, {int64_t{5}})
                               .Event(10, EventKind::kUserEvent, {1})
                               .Rank(2)
                               .Event(1000, EventKind::kWallClock, {int64_t{1'700'000'000'000}})
                               .Event(1300, EventKind::kUserEvent, {2})
                               .Build();
  EXPECT_EQ(model.wall_clock_ns, 1'700'000'000'300);
  EXPECT_EQ(model.event_count, 2u);
}

TEST(Clocks, TheWallClockIsUnknownWhenNobodySaysIt) {
  EXPECT_EQ(TestTrace().Build().wall_clock_ns, -1);
}

TEST(Clocks, AnImpossibleTimeIsSkippedAndCounted) {
  Diagnostics diags;
  const TraceModel model = TestTrace()
                               .Event(std::numeric_limits<int64_t>::max(), EventKind::kTaskCount)
                               .Event(std::numeric_limits<int64_t>::min(), EventKind::kTaskCount)
                               .Event(10, EventKind::kTaskCount)
                               .Build(&diags);
  EXPECT_EQ(model.duration_ns, 10);
  EXPECT_EQ(diags.Count("model_bad_event"), 2u);
}

// --- Messages ----------------------------------------------------------------------------------

TestTrace TwoRanks() {
  return Ranks()
      .Rank(0)
      .Event(0, EventKind::kMpiBarrier, {0, 2, kRun, 0})
      .Rank(1)
      .Event(0, EventKind::kMpiBarrier, {1, 2, kRun, 0})
      .Rank(0);
}

TEST(Messages, ASendMeetsTheReceiveOfItsTargetSourceAndTag) {
  const TraceModel model =
      TwoRanks()
          .Event(10, EventKind::kMpiSend, {1, 5, 64, MessageType::kCollective, 7, 0xa, 3})
          .Event(11, EventKind::kMpiSendNuma, {1, 7, 2})
          .Rank(1)
          .Event(20, EventKind::kMpiReceived, {0, 5, 8, 0xb})
          .Build();
  ASSERT_EQ(model.messages.size(), 1u);
  const MessageTable& m = model.messages;
  EXPECT_EQ(m.source[0], 0u);
  EXPECT_EQ(m.target[0], 1u);
  EXPECT_EQ(m.send_ns[0], 10);
  EXPECT_EQ(m.receive_ns[0], 20);
  EXPECT_EQ(m.tag[0], 5);
  EXPECT_EQ(m.size_bytes[0], 64u);
  EXPECT_EQ(m.type[0], MessageType::kCollective);
  EXPECT_EQ(m.priority[0], 3);
  EXPECT_EQ(m.send_job[0], 7u);
  EXPECT_EQ(m.receive_job[0], 8u);
  EXPECT_EQ(m.send_handle[0], 0xau);
  EXPECT_EQ(m.receive_handle[0], 0xbu);
  EXPECT_EQ(m.send_numa[0], 2);
  EXPECT_EQ(m.receive_numa[0], -1);
}

TEST(Messages, OfOneSourceAndTagAreMatchedInTheirOrder) {
  const TraceModel model = TwoRanks()
                               .Event(10, EventKind::kMpiSend, {1, 5, 1, 0, 1, 0, 0})
                               .Event(12, EventKind::kMpiSend, {1, 5, 2, 0, 2, 0, 0})
                               .Rank(1)
                               .Event(20, EventKind::kMpiReceived, {0, 5, 11, 0})
                               .Event(30, EventKind::kMpiReceived, {0, 5, 12, 0})
                               .Build();
  ASSERT_EQ(model.messages.size(), 2u);
  EXPECT_EQ(model.messages.receive_job[0], 11u);
  EXPECT_EQ(model.messages.receive_job[1], 12u);
}

TEST(Messages, TheSameTagFromAnotherRankIsAnotherMessage) {
  const TraceModel model = TwoRanks()
                               .Rank(2)
                               .Event(0, EventKind::kMpiBarrier, {2, 3, kRun, 0})
                               .Event(10, EventKind::kMpiSend, {1, 5, 1, 0, 2, 0, 0})
                               .Rank(0)
                               .Event(20, EventKind::kMpiSend, {1, 5, 1, 0, 1, 0, 0})
                               .Rank(1)
                               .Event(30, EventKind::kMpiReceived, {0, 5, 0, 0})
                               .Event(40, EventKind::kMpiReceived, {2, 5, 0, 0})
                               .Build();
  ASSERT_EQ(model.messages.size(), 2u);
  EXPECT_EQ(model.messages.send_job[0], 2u);
  EXPECT_EQ(model.messages.receive_ns[0], 40);
  EXPECT_EQ(model.messages.receive_ns[1], 30);
}

TEST(Messages, AnUnmatchedSideIsKept) {
  const TraceModel model = TwoRanks()
                               .Event(10, EventKind::kMpiSend, {9, 5, 64, 0, 1, 0, 0})
                               .Rank(1)
                               .Event(20, EventKind::kMpiReceived, {0, 6, 0, 0})
                               .Build();
  ASSERT_EQ(model.messages.size(), 2u);
  EXPECT_EQ(model.messages.target[0], kNone);  // rank 9 has no trace
  EXPECT_EQ(model.messages.receive_ns[0], kNever);
  EXPECT_EQ(model.messages.source[1], 0u);
  EXPECT_EQ(model.messages.send_ns[1], kNever);
}

}  // namespace
}  // namespace tasklens
