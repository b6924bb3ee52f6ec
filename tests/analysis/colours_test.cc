// SPDX-License-Identifier: Apache-2.0
// Legends: what a colour stands for is true of every task that has it.
#include "analysis/colours.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "analysis/critical_path.h"
#include "tests/analysis/random_run.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::RandomRun;
using testing::TestTrace;

TEST(TaskColours, GiveTheCostliestNamesTheFirstColours) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("short", 0, 1)
                               .Task("long", 1, 100)
                               .Task("short", 100, 101)
                               .Build();
  const TaskColours colours(model, ColourBy::kCodelet);
  EXPECT_EQ(colours.legend().entries[colours.EntryOf(1)].label, "long");
  EXPECT_EQ(colours.EntryOf(1), 1u);
  EXPECT_EQ(colours.EntryOf(0), 2u);
  EXPECT_EQ(colours.EntryOf(0), colours.EntryOf(2));
}

TEST(TaskColours, KeepWhatTheProgramChose) {
  const TraceModel model = TestTrace().Worker("CPU0").Task("red", 0, 1, {.rgb = 0xFF0102}).Build();
  const TaskColours colours(model, ColourBy::kCodelet);
  EXPECT_EQ(colours.legend().entries[colours.EntryOf(0)].rgb, 0xFF0102u);
}

TraceModel HundredCodelets() {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int i = 0; i < 100; ++i) trace.Task("t" + std::to_string(i), i, i + 1);
  return trace.Build();
}

TEST(TaskColours, ShareOneBeyondTheMost) {
  const TraceModel model = HundredCodelets();
  const TaskColours colours(model, ColourBy::kCodelet);
  EXPECT_EQ(colours.legend().entries.size(), kMostColours);
  EXPECT_EQ(colours.legend().entries[colours.EntryOf(99)].label, "other");
}

// What the legend has no room for is painted in its own colour all the same.
TEST(TaskColours, OfEveryCodeletAreThoseOfItsName) {
  const TraceModel model = HundredCodelets();
  const TaskColours colours(model, ColourBy::kCodelet);
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    EXPECT_EQ(colours.PaintOf(task).rgb, NameRgb(model.TaskNameOf(task)));
    const LegendEntry& entry = colours.legend().entries[colours.EntryOf(task)];
    if (entry.is_of_many) continue;
    EXPECT_EQ(entry.rgb, colours.PaintOf(task).rgb);
    EXPECT_EQ(entry.stripes, colours.PaintOf(task).stripes);
  }
}

TEST(TaskColours, OfATaskWithItsOwnAreNotThoseOfItsGroup) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a", 0, 1, {.rgb = 0x010203})
                               .Task("a", 1, 2, {.rgb = 0x040506})
                               .Build();
  const TaskColours colours(model, ColourBy::kCodelet);
  EXPECT_EQ(colours.PaintOf(1).rgb, 0x040506u);
  EXPECT_EQ(colours.GroupPaintOf(1).rgb, NameRgb("a"));
}

TEST(TaskColours, NameTheirWorker) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("a", 0, 1)
                               .Task("b", 0, 9, {.worker = 1})
                               .Build();
  const TaskColours colours(model, ColourBy::kWorker);
  EXPECT_EQ(colours.legend().entries[colours.EntryOf(0)].label, "CPU0");
  EXPECT_EQ(colours.legend().entries[colours.EntryOf(1)].label, "CPU1");
}

TEST(TaskColours, AreShadesWhoseRangeHoldsTheValue) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    const TraceModel model = RandomRun(seed);
    for (const ColourBy by :
         {ColourBy::kDuration, ColourBy::kWaiting, ColourBy::kSlack, ColourBy::kIteration}) {
      SCOPED_TRACE(std::string(ColourByName(by)) + " " + std::to_string(seed));
      const TaskColours colours(model, by);
      ASSERT_EQ(colours.values().size(), model.tasks.size());
      for (uint32_t task = 0; task < model.tasks.size(); ++task) {
        const LegendEntry& entry = colours.legend().entries[colours.EntryOf(task)];
        const int64_t value = colours.values()[task];
        EXPECT_EQ(entry.has_range(), value != kNever);
        if (value == kNever) continue;
        EXPECT_LE(entry.low, static_cast<double>(value));
        EXPECT_GE(entry.high, static_cast<double>(value));
      }
      if (by == ColourBy::kSlack) {
        EXPECT_EQ(colours.values(), SlackNs(model));
      }
    }
  }
}

// One duration of 1 ns and one of an hour: sixteen shades of equal ratio between them.
TEST(TaskColours, TellShortFromLongByRatio) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a", 0, 1)
                               .Task("b", 1, 60'001)
                               .Task("c", 60'001, 3'600'060'001)
                               .Build();
  const TaskColours colours(model, ColourBy::kDuration);
  EXPECT_LT(colours.EntryOf(0), colours.EntryOf(1));
  EXPECT_LT(colours.EntryOf(1), colours.EntryOf(2));
  EXPECT_EQ(colours.EntryOf(2) + 1, colours.legend().entries.size());
}

TEST(TaskColours, AreDifferentForEachClass) {
  TestTrace trace;
  trace.Worker("CPU0").Task("none", 0, 0);
  for (int64_t i = 0, at = 0; i < 24; at += int64_t{1} << i++)
    trace.Task("t", at, at + (int64_t{1} << i));
  const TraceModel model = trace.Build();
  for (const ColourBy by : {ColourBy::kDuration, ColourBy::kWaiting, ColourBy::kSlack}) {
    const TaskColours colours(model, by);
    std::set<uint32_t> seen;
    for (const LegendEntry& entry : colours.legend().entries)
      EXPECT_TRUE(seen.insert(entry.rgb).second) << ColourByName(by) << ": " << entry.label;
  }
}

TEST(TaskColours, EndEarlyWhenStopped) {
  const std::atomic<bool> stop{true};
  const TaskColours colours(RandomRun(1), ColourBy::kDuration, &stop);
  EXPECT_TRUE(colours.legend().entries.empty());
}

}  // namespace
}  // namespace tasklens
