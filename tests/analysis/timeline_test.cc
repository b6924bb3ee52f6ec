// SPDX-License-Identifier: Apache-2.0
// What the pixels of a timeline show, by hand and against looking at every state.
#include "analysis/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

std::string NameOf(const TraceModel& model, uint32_t state) {
  const uint32_t task = model.states.task[state];
  return task == kNone ? std::string(Decl(model.states.kind[state]).name)
                       : std::string(model.TaskNameOf(task));
}

// "name start-end xcount" of the slices that show tasks.
std::vector<std::string> Tasks(const TraceModel& model, int64_t begin_ns, int64_t end_ns,
                               uint32_t pixels) {
  const TimelineIndex index(model);
  std::vector<std::string> texts;
  for (const TimelineSlice& slice :
       index.Slices(model.workers.track[0], 0, begin_ns, end_ns, pixels)) {
    if (model.states.kind[slice.state] != StateKind::kTask) continue;
    texts.push_back(NameOf(model, slice.state) + " " + std::to_string(slice.start_ns) + "-" +
                    std::to_string(slice.end_ns) + " x" + std::to_string(slice.count));
  }
  return texts;
}

TEST(Timeline, ShowsEachTaskWithItsOwnBordersWhenThereIsRoom) {
  const TraceModel model = TestTrace().Task("a", 100, 300).Task("b", 400, 1000).Build();
  EXPECT_EQ(Tasks(model, 0, 1000, 1000),
            (std::vector<std::string>{"a 100-300 x1", "b 400-1000 x1"}));
}

TEST(Timeline, ShowsTheLongestTaskOfAPixelAndHowManyThereAre) {
  const TraceModel model =
      TestTrace().Task("short", 0, 10).Task("long", 10, 80).Task("tiny", 80, 81).Build();
  const TimelineIndex index(model);
  const auto slices = index.Slices(model.workers.track[0], 0, 0, 100, 1);
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(NameOf(model, slices[0].state), "long");
  EXPECT_GE(slices[0].count, 3u);
}

TEST(Timeline, ShowsAShortTaskBesideLongSleepAndWorkOfTheRuntimeBesideIdleness) {
  TestTrace trace;
  trace.Worker("CPU0").State(0, StateKind::kSleeping).Task("tiny", 500, 501);
  trace.State(501, StateKind::kScheduling).State(800, StateKind::kSleeping);
  trace.State(2000, StateKind::kScheduling).State(2010, StateKind::kIdle);
  const TraceModel model = trace.Event(3000, EventKind::kMessage, {"end"}).Build();
  const auto slices = TimelineIndex(model).Slices(model.workers.track[0], 0, 0, 3000, 2);
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(NameOf(model, slices[0].state), "tiny");
  EXPECT_EQ(NameOf(model, slices[1].state), "Scheduling");
}

TEST(Timeline, CutsWhatItShowsAtTheEdgesOfTheView) {
  const TraceModel model = TestTrace().Task("a", 0, 1000).Build();
  EXPECT_EQ(Tasks(model, 400, 600, 10), (std::vector<std::string>{"a 400-600 x1"}));
}

TEST(Timeline, ShowsNothingOutsideTheRun) {
  const TraceModel model = TestTrace().Task("a", 0, 10).Build();
  EXPECT_TRUE(Tasks(model, 1000, 2000, 10).empty());
  EXPECT_TRUE(Tasks(model, -2000, -1000, 10).empty());
}

TEST(Timeline, HasALayerForEachDepth) {
  const uint64_t thread = 1000;
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .State(0, StateKind::kOverhead)
                               .Event(10, EventKind::kStatePush, {StateKind::kCallback}, thread)
                               .Event(20, EventKind::kStatePush, {StateKind::kScheduling}, thread)
                               .Event(30, EventKind::kStatePop, {}, thread)
                               .Event(40, EventKind::kStatePop, {}, thread)
                               .State(50, StateKind::kIdle)
                               .Event(60, EventKind::kMessage, {"end"})
                               .Build();
  const TimelineIndex index(model);
  const uint32_t track = model.workers.track[0];
  ASSERT_EQ(index.Depths(track), 3u);
  ASSERT_EQ(index.Slices(track, 1, 0, 60, 60).size(), 1u);
  EXPECT_EQ(NameOf(model, index.Slices(track, 1, 0, 60, 60)[0].state), "Callback");
  ASSERT_EQ(index.Slices(track, 2, 0, 60, 60).size(), 1u);
  EXPECT_EQ(index.Slices(track, 2, 0, 60, 60)[0].start_ns, 20);
  EXPECT_TRUE(index.Slices(track, 7, 0, 60, 60).empty());
}

TEST(Timeline, AgreesWithLookingAtEveryStateOnRandomRows) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    TestTrace trace;
    int64_t now_ns = 0;
    const int count = 1 + static_cast<int>(random() % 60);
    for (int i = 0; i < count; ++i) {
      const int64_t start_ns = now_ns + static_cast<int64_t>(random() % 5);
      now_ns = start_ns + 1 + static_cast<int64_t>(random() % 40);
      trace.Task("t" + std::to_string(i), start_ns, now_ns);
    }
    const TraceModel model = trace.Build();
    const TimelineIndex index(model);
    const uint32_t track = model.workers.track[0];
    const int64_t begin_ns = static_cast<int64_t>(random() % 50);
    const int64_t end_ns = begin_ns + 1 + static_cast<int64_t>(random() % 1500);
    const uint32_t pixels = 1 + random() % 200;

    const auto slices = index.Slices(track, 0, begin_ns, end_ns, pixels);
    EXPECT_LE(slices.size(), 2 * pixels + 1);
    int64_t last_ns = begin_ns;
    for (const TimelineSlice& slice : slices) {
      EXPECT_GE(slice.start_ns, last_ns);
      EXPECT_GE(slice.end_ns, slice.start_ns);
      last_ns = slice.end_ns;
    }
    EXPECT_LE(last_ns, end_ns);

    // Every state in view lies under some slice, which shows one that matters at least as much.
    const auto weight = [&](uint32_t state) {
      const bool is_task = model.states.kind[state] == StateKind::kTask;
      const bool is_idle = Decl(model.states.kind[state]).group == StateGroup::kOther;
      return std::tuple(is_task, !is_idle,
                        model.states.end_ns[state] - model.states.start_ns[state]);
    };
    for (const uint32_t state : index.StatesIn(track, 0, begin_ns, end_ns)) {
      const int64_t from_ns = std::max(begin_ns, model.states.start_ns[state]);
      const bool shown = std::any_of(slices.begin(), slices.end(), [&](const TimelineSlice& slice) {
        return slice.start_ns <= from_ns && from_ns < slice.end_ns &&
               weight(slice.state) >= weight(state);
      });
      EXPECT_TRUE(shown) << "state from " << from_ns;
    }
  }
}

}  // namespace
}  // namespace tasklens
