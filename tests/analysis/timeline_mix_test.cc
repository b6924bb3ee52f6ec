// SPDX-License-Identifier: Apache-2.0
// What pixels of the timeline are made of, against looking at every state.
#include "analysis/timeline_mix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/timeline.h"
#include "tests/testing/random_rows.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::RandomRows;
using testing::RowSums;
using testing::SumsOf;
using testing::TestTrace;

uint64_t TimeOf(const TimelineMix& mix, size_t pixel, StateKind state, bool is_internal = false) {
  const TimelineMix sums = mix.WithoutCodelets();
  for (size_t kind = 0; kind < sums.kinds.size(); ++kind)
    if (sums.kinds[kind] == MixKind{state, is_internal}) return sums.TimeNs(pixel, kind);
  return 0;
}

uint64_t TimeOfCodelet(const TimelineMix& mix, size_t pixel, StringId codelet) {
  uint64_t time_ns = 0;
  for (size_t kind = 0; kind < mix.kinds.size(); ++kind)
    if (mix.kinds[kind].IsTask() && mix.kinds[kind].codelet == codelet)
      time_ns += mix.TimeNs(pixel, kind);
  return time_ns;
}

void ExpectSums(const TraceModel& model, uint32_t track, const TimelineMix& mix, size_t pixel) {
  const TimelineMix::Pixel& here = mix.pixels[pixel];
  SCOPED_TRACE(std::to_string(here.start_ns) + " to " + std::to_string(here.end_ns));
  const RowSums sums = SumsOf(model, track, here.start_ns, here.end_ns);
  EXPECT_EQ(here.count, sums.states);
  EXPECT_EQ(here.tasks, sums.tasks);
  uint64_t shown_ns = 0;
  for (size_t kind = 0; kind < mix.kinds.size(); ++kind) {
    const auto& [state, is_internal, codelet] = mix.kinds[kind];
    const auto of_codelet = sums.codelets_ns.find(codelet);
    const int64_t held_ns = codelet == kNone                       ? sums.TimeIn(state)
                            : of_codelet == sums.codelets_ns.end() ? 0
                                                                   : of_codelet->second;
    EXPECT_EQ(mix.TimeNs(pixel, kind), static_cast<uint64_t>(held_ns));
    shown_ns += mix.TimeNs(pixel, kind);
  }
  const TimelineMix without = mix.WithoutCodelets();
  for (size_t kind = 0; kind < without.kinds.size(); ++kind)
    EXPECT_EQ(without.TimeNs(pixel, kind),
              static_cast<uint64_t>(sums.TimeIn(without.kinds[kind].kind)));
  uint64_t held_ns = 0;
  for (const auto& [kind, time_ns] : sums.times_ns) held_ns += static_cast<uint64_t>(time_ns);
  EXPECT_EQ(shown_ns, held_ns);
  EXPECT_LE(shown_ns, static_cast<uint64_t>(here.end_ns - here.start_ns));
}

TEST(TimelineMix, SaysThatAWorkerWithAShortTaskInALongSleepSlept) {
  TestTrace trace;
  trace.Worker("CPU0").State(0, StateKind::kSleeping).Task("tiny", 500, 510);
  trace.State(510, StateKind::kSleeping).Event(1000, EventKind::kMessage, {"end"});
  const TraceModel model = trace.Build();
  const TimelinePicture picture = TimelineIndex(model).Picture(model.workers.track[0], 0, 1000, 1);
  ASSERT_EQ(picture.mixed.pixels.size(), 1u);
  EXPECT_EQ(picture.mixed.pixels[0].count, 3u);
  EXPECT_EQ(picture.mixed.pixels[0].tasks, 1u);
  EXPECT_EQ(TimeOf(picture.mixed, 0, StateKind::kTask), 10u);
  EXPECT_EQ(TimeOf(picture.mixed, 0, StateKind::kSleeping), 990u);
}

TEST(TimelineMix, SaysNothingWherePixelsAreFilledByOneState) {
  const TraceModel model = TestTrace().Task("a", 0, 500).Task("b", 500, 1000).Build();
  const TimelineIndex index(model);
  EXPECT_TRUE(index.Picture(model.workers.track[0], 0, 1000, 10).mixed.pixels.empty());
  EXPECT_EQ(index.Picture(model.workers.track[0], 0, 1000, 3).mixed.pixels.size(), 1u);
}

TEST(TimelineMix, TellsALoneStateThatIsShorterThanItsPixel) {
  TestTrace trace;
  trace.Worker("CPU0").State(0, StateKind::kNone).Task("lone", 1500, 1510);
  trace.State(1510, StateKind::kNone).Event(4000, EventKind::kMessage, {"end"});
  const TraceModel model = trace.Build();
  const TimelineMix mixed = TimelineIndex(model).Picture(model.workers.track[0], 0, 4000, 4).mixed;
  ASSERT_EQ(mixed.pixels.size(), 1u);
  EXPECT_EQ(mixed.pixels[0].start_ns, 1000);
  EXPECT_EQ(TimeOf(mixed, 0, StateKind::kTask), 10u);
}

TEST(TimelineMix, CountsTasksOfTheRuntimeApart) {
  TestTrace trace;
  trace.Task("user", 0, 10)
      .Task("own", 10, 40, {.submit_ns = 1, .type = kTaskInternal})
      .Task("user", 40, 60);
  const TraceModel model = trace.Build();
  const TimelineMix mixed = TimelineIndex(model).Picture(model.workers.track[0], 0, 60, 1).mixed;
  ASSERT_EQ(mixed.pixels.size(), 1u);
  EXPECT_EQ(mixed.pixels[0].tasks, 2u);
  EXPECT_EQ(TimeOf(mixed, 0, StateKind::kTask), 30u);
  EXPECT_EQ(TimeOf(mixed, 0, StateKind::kTask, true), 30u);
}

TEST(TimelineMix, TellsTheTasksOfOneCodeletFromThoseOfAnother) {
  TestTrace trace;
  for (int64_t at_ns = 0; at_ns < 10'000; at_ns += 100)
    trace.Task("gemm", at_ns, at_ns + 70).Task("potrf", at_ns + 70, at_ns + 100);
  const TraceModel model = trace.Build();
  const TimelineMix mixed =
      TimelineIndex(model).Picture(model.workers.track[0], 0, 10'000, 2).mixed;
  ASSERT_EQ(mixed.pixels.size(), 2u);
  for (const size_t pixel : {0, 1}) {
    EXPECT_EQ(TimeOfCodelet(mixed, pixel, model.tasks.name[0]), 3500u);
    EXPECT_EQ(TimeOfCodelet(mixed, pixel, model.tasks.name[1]), 1500u);
  }
}

TEST(TimelineMix, TellsSoManyCodeletsApartAndNoTimeOfTheOthersIsLost) {
  constexpr int64_t kCodelets = kMostMixCodelets + 12;
  TestTrace trace;
  for (int64_t at_ns = 0; at_ns < 20 * kCodelets; at_ns += 10)
    trace.Task("t" + std::to_string(at_ns / 10 % kCodelets), at_ns, at_ns + 10);
  const TraceModel model = trace.Build();
  const TimelineMix mixed =
      TimelineIndex(model).Picture(model.workers.track[0], 0, 20 * kCodelets, 1).mixed;
  ASSERT_EQ(mixed.pixels.size(), 1u);
  EXPECT_EQ(TimeOf(mixed, 0, StateKind::kTask), static_cast<uint64_t>(20 * kCodelets));
  EXPECT_EQ(TimeOfCodelet(mixed, 0, model.tasks.name[0]), 20u);
  EXPECT_EQ(TimeOfCodelet(mixed, 0, kNone), 12 * 20u);
}

TEST(TimelineMix, TellsWhatIsPushedOntoALongTaskInItsOwnDepth) {
  TestTrace trace;
  trace.Task("long", 0, 1000);
  for (int64_t at_ns = 500; at_ns < 600; at_ns += 10)
    trace.Event(at_ns, EventKind::kStatePush, {StateKind::kCallback}, 1000)
        .Event(at_ns + 5, EventKind::kStatePop, {}, 1000);
  const TraceModel model = trace.Build();
  const TimelineMix mixed = TimelineIndex(model).Picture(model.workers.track[0], 0, 1000, 10).mixed;
  ASSERT_EQ(mixed.pixels.size(), 1u);
  EXPECT_EQ(mixed.pixels[0].depth, 1u);
  EXPECT_EQ(TimeOf(mixed, 0, StateKind::kTask), 50u);
  EXPECT_EQ(TimeOf(mixed, 0, StateKind::kCallback), 50u);
}

TEST(TimelineMix, AgreesWithTheSumsOfItsStatesAtRandomZoomsOfRandomTraces) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const TraceModel model = RandomRows(random);
    const TimelineIndex index(model);
    for (int zoom = 0; zoom < 4; ++zoom) {
      const int64_t begin_ns =
          static_cast<int64_t>(random() % static_cast<uint64_t>(model.duration_ns + 10));
      const int64_t end_ns =
          begin_ns + 1 +
          static_cast<int64_t>(random() % static_cast<uint64_t>(model.duration_ns + 10));
      const uint32_t pixels = 1 + static_cast<uint32_t>(random() % 60);
      for (uint32_t track = 0; track < model.tracks.size(); ++track) {
        const TimelinePicture picture = index.Picture(track, begin_ns, end_ns, pixels);
        for (size_t pixel = 0; pixel < picture.mixed.pixels.size(); ++pixel)
          ExpectSums(model, track, picture.mixed, pixel);
        // What is not mixed is what it shows: one state of each depth, or nothing.
        for (const auto& layer : picture.layers)
          for (const TimelineSlice& slice : layer) {
            const bool is_mixed = std::any_of(
                picture.mixed.pixels.begin(), picture.mixed.pixels.end(), [&](const auto& pixel) {
                  return pixel.start_ns <= slice.start_ns && slice.end_ns <= pixel.end_ns;
                });
            EXPECT_TRUE(is_mixed || slice.count == 1);
          }
        const TimelineMix every = index.Mix(track, begin_ns, end_ns, pixels);
        ASSERT_EQ(every.pixels.size(), pixels);
        for (size_t pixel = 0; pixel < pixels; ++pixel) ExpectSums(model, track, every, pixel);
      }
    }
  }
}

}  // namespace
}  // namespace tasklens
