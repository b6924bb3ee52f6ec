// SPDX-License-Identifier: Apache-2.0
// What plots show, against sums of the same things made another way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "analysis/activity.h"
#include "analysis/histogram.h"
#include "analysis/message_matrix.h"
#include "analysis/message_use.h"
#include "analysis/task_samples.h"
#include "tests/analysis/random_run.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::RandomRun;
using testing::TestTrace;

// Nanosecond by nanosecond: what the worker did.
TEST(Activity, AddsUpToTheStatesOfEachWorker) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const TraceModel model = RandomRun(seed);
    for (const uint32_t pieces : {1u, 7u, 1000u}) {
      const Activity activity = ActivityOf(model, pieces);
      ASSERT_EQ(activity.workers.size(), model.workers.size());
      for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
        std::vector<StateKind> at(static_cast<size_t>(model.duration_ns) + 1, StateKind::kNone);
        const uint32_t track = model.workers.track[worker];
        for (uint32_t row = model.states.first_of_track[track];
             row < model.states.first_of_track[track + 1]; ++row)
          if (model.states.kind[row] == StateKind::kTask ||
              model.states.kind[row] == StateKind::kSleeping)
            for (int64_t t = model.states.start_ns[row]; t < model.states.end_ns[row]; ++t)
              if (t >= 0 && t < model.duration_ns && at[static_cast<size_t>(t)] != StateKind::kTask)
                at[static_cast<size_t>(t)] = model.states.kind[row];
        int64_t before_ns = -1;
        for (const ActivityPiece& piece : activity.workers[worker].pieces) {
          ASSERT_LT(piece.begin_ns, piece.end_ns);
          ASSERT_GE(piece.begin_ns, before_ns);
          before_ns = piece.end_ns;
          const auto begin = at.begin() + piece.begin_ns, end = at.begin() + piece.end_ns;
          EXPECT_EQ(piece.task_ns, std::count(begin, end, StateKind::kTask)) << "seed " << seed;
          EXPECT_EQ(piece.sleeping_ns, std::count(begin, end, StateKind::kSleeping))
              << "seed " << seed;
          EXPECT_GE(piece.runtime_ns(), 0);
        }
      }
    }
  }
}

TEST(Activity, SumsCurvesThatChangeAtDifferentMoments) {
  const StepCurve a{{10, 30}, {1, 3}}, b{{10, 20, 40}, {5, 0, 2}};
  const StepCurve sum = SumOf({&a, &b});
  EXPECT_EQ(sum.time_ns, (std::vector<int64_t>{10, 20, 30, 40}));
  EXPECT_EQ(sum.value, (std::vector<double>{6, 1, 3, 5}));
}

TEST(Activity, OfATraceWithoutWorkersIsEmpty) {
  EXPECT_TRUE(ActivityOf(TestTrace().Build(), 10).workers.empty());
}

// Each value is in the one bar whose borders are around it, its upper one its own.
TEST(Histogram, CountsEachValueOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> values;
    const double size = std::pow(10., static_cast<double>(random() % 9));
    for (size_t i = 0; i < 1 + random() % 50; ++i)
      values.push_back(size * static_cast<double>(random() % 1000) / 1000);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    for (const std::vector<double>& borders :
         {RoundBorders(*low, *high, 50), CentredBorders(*low, *high, (*high - *low) / 30 + 1)}) {
      ASSERT_GE(borders.size(), 2u);
      ASSERT_TRUE(std::is_sorted(borders.begin(), borders.end()));
      ASSERT_LE(borders.front(), *low + 1e-6 * size);
      ASSERT_GE(borders.back(), *high - 1e-6 * size);
      const Histogram bars = CountBetween(values, borders);
      uint64_t all = 0;
      for (size_t i = 0; i < bars.counts.size(); ++i) {
        all += bars.counts[i];
        const double fuzz = 1e-6 * (borders[1] - borders[0]);
        const auto surely = std::count_if(values.begin(), values.end(), [&](double value) {
          return value > borders[i] + fuzz && value < borders[i + 1] - fuzz;
        });
        EXPECT_GE(bars.counts[i], static_cast<uint64_t>(surely));
      }
      EXPECT_EQ(all, values.size());
    }
  }
}

// What R 4.2 prints for pretty(c(low, high), 50), hist(..., breaks = 50)$counts and quantile().
TEST(Histogram, HasTheBordersOfR) {
  const std::vector<double> to_one = RoundBorders(0, 1, 50);
  ASSERT_EQ(to_one.size(), 51u);
  EXPECT_DOUBLE_EQ(to_one[1], 0.02);
  const std::vector<double> odd = RoundBorders(0.0135, 0.2127, 50);
  EXPECT_DOUBLE_EQ(odd.front(), 0.01);
  EXPECT_DOUBLE_EQ(odd[1] - odd[0], 0.005);
  EXPECT_DOUBLE_EQ(odd.back(), 0.215);
  const double four[] = {1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(QuantileBetween(four, 0.01), 1.03);
  EXPECT_DOUBLE_EQ(QuantileBetween(four, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(QuantileBetween(four, 1), 4);
}

TEST(Histogram, HasFewBarsOfValuesFarFromZero) {
  const double far = 9e18;
  EXPECT_LT(RoundBorders(far, far + 4096, 50).size(), 200u);
  EXPECT_LT(CentredBorders(far, far + 4096, 4096. / 30).size(), 200u);
}

TEST(Histogram, OfOneValueHasItInOneBar) {
  for (const double value : {0., 1., 12345.678, 1e15}) {
    const Histogram bars = CountBetween(std::vector{value, value}, RoundBorders(value, value, 50));
    EXPECT_EQ(*std::max_element(bars.counts.begin(), bars.counts.end()), 2u) << value;
  }
}

TEST(TaskSamples, HaveTheTimeOfAllTasks) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const TraceModel model = RandomRun(seed);
    const TaskSamples samples = SamplesOf(model);
    std::map<std::string, int64_t> expected, found;
    for (uint32_t task = 0; task < model.tasks.size(); ++task)
      if (model.tasks.end_ns[task] != kNever && model.tasks.worker[task] != kNone)
        expected[std::string(model.TaskNameOf(task))] += model.tasks.RunNs(task);
    for (const TaskSample& sample : samples.samples)
      found[samples.names[sample.name]] += sample.length_ns;
    EXPECT_EQ(found, expected) << "seed " << seed;
    ASSERT_EQ(samples.paints.size(), samples.names.size());
  }
}

TEST(TaskSamples, AreThoseOfTheNamesThatAreAskedFor) {
  const TraceModel model = TestTrace().Task("a", 0, 10).Task("b", 10, 30).Build();
  const TaskSamples one = SamplesOfNames(SamplesOf(model), {"b"});
  ASSERT_EQ(one.samples.size(), 1u);
  EXPECT_EQ(one.samples[0].length_ns, 20);
}

// The next task that has the data, found by looking at all of them.
TEST(MessageUse, IsTheFirstTaskThatStartsAfterwards) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<DataUse> uses;
    std::vector<MessageEnd> ends;
    for (uint32_t i = 0; i < random() % 12; ++i)
      uses.push_back({static_cast<uint32_t>(random() % 2), random() % 3,
                      static_cast<int64_t>(random() % 20), i});
    for (uint32_t i = 0; i < random() % 12; ++i)
      ends.push_back(
          {static_cast<uint32_t>(random() % 2), static_cast<int64_t>(random() % 20), random() % 3});
    std::vector<std::pair<uint32_t, int64_t>> expected, found;
    for (uint32_t i = 0; i < ends.size(); ++i) {
      int64_t best_ns = INT64_MAX;
      for (const DataUse& use : uses)
        if (ends[i].handle != 0 && use.rank == ends[i].rank && use.handle == ends[i].handle &&
            use.start_ns >= ends[i].time_ns)
          best_ns = std::min(best_ns, use.start_ns);
      if (best_ns != INT64_MAX) expected.emplace_back(i, best_ns - ends[i].time_ns);
    }
    for (const MessageUse& use : UsesAfter(ends, uses)) found.emplace_back(use.end, use.wait_ns());
    EXPECT_EQ(found, expected) << "round " << round;
  }
}

TEST(MessageMatrix, OfARunWithoutMessagesIsEmpty) {
  const MessageMatrix matrix = MessagesBetween(RandomRun(1));
  EXPECT_EQ(matrix.messages(), 0u);
  EXPECT_TRUE(matrix.ranks.empty());
}

}  // namespace
}  // namespace tasklens
