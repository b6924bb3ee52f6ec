// SPDX-License-Identifier: Apache-2.0
// What a threshold refuses: how often it errs about draws whose truth is known, outliers among
// them.
#include "analysis/regressions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

constexpr int kRounds = 100;

int64_t DifferenceOfRank(const std::vector<int64_t>& before, const std::vector<int64_t>& after,
                         size_t rank) {
  std::vector<int64_t> all;
  for (const int64_t a : before)
    for (const int64_t b : after) all.push_back(b - a);
  std::sort(all.begin(), all.end());
  return all[rank - 1];
}

TEST(Shift, IsTheMedianOfAllDifferences) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<int64_t> before(1 + random() % 12), after(1 + random() % 12);
    for (int64_t& value : before) value = random() % 20;
    for (int64_t& value : after) value = random() % 20;
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    const Shift shift = EstimateShift(before, after);
    EXPECT_EQ(shift.ns, DifferenceOfRank(before, after, (before.size() * after.size() + 1) / 2));
    EXPECT_LE(shift.low_ns, shift.ns);
    EXPECT_LE(shift.ns, shift.high_ns);
  }
  EXPECT_EQ(EstimateShift({0}, {int64_t{1} << 62}).ns, int64_t{1} << 62);
  EXPECT_EQ(EstimateShift({int64_t{1} << 62}, {0}).ns, -(int64_t{1} << 62));
}

// Log-normal, with outliers: every twentieth task takes ten to forty times as long.
std::vector<int64_t> Durations(std::mt19937& random, size_t count, double median_ns,
                               double sigma = 0.15) {
  std::lognormal_distribution<double> draw(std::log(median_ns), sigma);
  std::vector<int64_t> durations;
  for (size_t i = 0; i < count; ++i) {
    const double outlier = random() % 20 == 0 ? 10. + random() % 30 : 1;
    durations.push_back(static_cast<int64_t>(draw(random) * outlier));
  }
  return durations;
}

TEST(Shift, HoldsTheTruthInNinetyNineOfAHundredDraws) {
  std::mt19937 random(2);
  int held = 0;
  const int rounds = 1000;
  for (int round = 0; round < rounds; ++round) {
    auto before = Durations(random, 60, 1000), after = Durations(random, 80, 1000);
    for (int64_t& value : after) value += 70;
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    const Shift shift = EstimateShift(before, after);
    held += shift.low_ns <= 70 && 70 <= shift.high_ns;
  }
  std::printf("shift: the interval held the truth in %d of %d draws\n", held, rounds);
  EXPECT_GE(held, rounds * 98 / 100);
}

TEST(Shift, OfAMillionTasksIsFound) {
  std::vector<int64_t> before(1'000'000), after(before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    before[i] = static_cast<int64_t>(i);
    after[i] = before[i] + 12'345;
  }
  const Shift shift = EstimateShift(before, after);
  EXPECT_EQ(shift.ns, 12'345);
  EXPECT_LT(shift.high_ns - shift.low_ns, 3000);
}

// One codelet, one worker, one task after the other; behind the first `gaps` of them a pause.
TraceModel RunOf(const std::vector<int64_t>& durations_ns, size_t gaps = 0, int64_t gap_ns = 0) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t now_ns = 0;
  for (const int64_t length_ns : durations_ns) {
    trace.Task("work", now_ns, now_ns + length_ns);
    now_ns += length_ns;
    if (gaps > 0) {
      now_ns += gap_ns;
      --gaps;
    }
  }
  return trace.Build();
}

Judgement Judge(const TraceModel& before, const TraceModel& after, double threshold_percent = 10) {
  return JudgePair(Summarize(before), Summarize(after),
                   Compare(before, after, StatisticsBy::kCodelet), StatisticsBy::kCodelet,
                   Compare(before, after, StatisticsBy::kState), threshold_percent);
}

TEST(Regressions, OutliersAreNoneInNinetyNineOfAHundredDraws) {
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < kRounds; ++round)
    refused += !Judge(RunOf(Durations(random, 300, 1e5)), RunOf(Durations(random, 300, 1e5)))
                    .regressions.empty();
  std::printf("regressions: %d of %d pairs of the same program refused\n", refused, kRounds);
  EXPECT_LE(refused, kRounds / 100);
}

TEST(Regressions, OutliersHideNoneInNinetyNineOfAHundredDraws) {
  std::mt19937 random(4);
  int refused = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Judgement judgement =
        Judge(RunOf(Durations(random, 300, 1e5)), RunOf(Durations(random, 300, 1.15e5)));
    refused += std::any_of(judgement.regressions.begin(), judgement.regressions.end(),
                           [](const Regression& one) { return one.what.ends_with(" of work"); });
  }
  std::printf("regressions: %d of %d programs with 15 %% longer tasks refused\n", refused, kRounds);
  EXPECT_GE(refused, kRounds * 99 / 100);
}

// A machine that interrupts four tasks of ten, and three before.
TEST(Regressions, HowManyTasksAreInterruptedIsNone) {
  const auto run = [](size_t interrupted) {
    std::vector<int64_t> durations;
    for (size_t i = 0; i < 300; ++i)
      durations.push_back(static_cast<int64_t>(1000 + i % 7 + (i % 10 < interrupted ? 800 : 0)));
    return RunOf(durations);
  };
  EXPECT_TRUE(Judge(run(3), run(4)).regressions.empty());
}

TEST(Regressions, MoreTasksAreOne) {
  const Judgement judgement =
      Judge(RunOf(std::vector<int64_t>(20, 100)), RunOf(std::vector<int64_t>(30, 100)));
  std::vector<std::string> whats;
  for (const Regression& one : judgement.regressions) {
    whats.push_back(one.what);
    EXPECT_DOUBLE_EQ(one.Percent(), 50);
  }
  EXPECT_EQ(whats,
            (std::vector<std::string>{"the span", "the total of all tasks", "the total of work"}));
}

// A task in each run and nothing else: neither says how much it may vary.
TEST(Regressions, OneTaskHasNoFigureOfNoise) {
  const Judgement judgement = Judge(RunOf({100}), RunOf({200}));
  EXPECT_TRUE(judgement.regressions.empty());
  EXPECT_EQ(judgement.unjudged, std::vector<std::string>{"work"});
  ASSERT_TRUE(judgement.span.has_value());
  EXPECT_DOUBLE_EQ(judgement.span->Percent(), 100);
}

// Tasks that differ by some 5 %, in a run of some `scale_ns` times 50.
std::vector<int64_t> Spread(int64_t scale_ns) {
  std::vector<int64_t> durations;
  for (int64_t i = 0; i < 50; ++i) durations.push_back(scale_ns + scale_ns / 100 * (i * 7 % 17));
  return durations;
}

// The run is twice as long by one pause, which a busy machine may take away.
TEST(Regressions, AShortSpanThatNothingExplainsIsOnlyNamed) {
  const Judgement judgement = Judge(RunOf(Spread(1000)), RunOf(Spread(1000), 1, 60'000));
  EXPECT_TRUE(judgement.regressions.empty());
  EXPECT_TRUE(judgement.unjudged.empty());
  ASSERT_TRUE(judgement.span.has_value());
}

// One pause of a quarter of a second in a run of a tenth: no noise of tasks that differ by 5 %.
TEST(Regressions, ASpanThatNoNoiseExplainsIsOne) {
  const std::vector<int64_t> durations = Spread(2'000'000);
  const Judgement judgement = Judge(RunOf(durations), RunOf(durations, 1, 250'000'000));
  ASSERT_EQ(judgement.regressions.size(), 1u);
  EXPECT_EQ(judgement.regressions[0].what, "the span");
  EXPECT_FALSE(judgement.span.has_value());
}

// In virtual time tasks of a kind are equally long: there is no noise, however short the run.
TEST(Regressions, ASimulatedSpanHasNoNoise) {
  const std::vector<int64_t> durations(50, 100);
  const Judgement judgement = Judge(RunOf(durations), RunOf(durations, 1, 5000));
  ASSERT_EQ(judgement.regressions.size(), 1u);
  EXPECT_EQ(judgement.regressions[0].what, "the span");
}

// Few tasks, one run each: four times as long is found, simulated or not.
TEST(Regressions, FewTasksOfOneRunEachAreJudged) {
  for (const std::vector<int64_t>& before :
       {std::vector<int64_t>{1000, 1000, 1000}, std::vector<int64_t>{1'000'000, 1'020'000, 990'000},
        std::vector<int64_t>{1'000'000, 1'030'000}}) {
    std::vector<int64_t> after;
    for (const int64_t ns : before) after.push_back(4 * ns);
    const Judgement judgement = Judge(RunOf(before), RunOf(after));
    EXPECT_FALSE(judgement.regressions.empty()) << before.size();
    EXPECT_TRUE(Judge(RunOf(before), RunOf(before)).regressions.empty());
  }
}

TEST(Regressions, ASpanThatPausesExplainIsOne) {
  const std::vector<int64_t> durations(50, 100);
  const Judgement judgement = Judge(RunOf(durations, 50, 10), RunOf(durations, 50, 90));
  ASSERT_EQ(judgement.regressions.size(), 1u);
  EXPECT_EQ(judgement.regressions[0].what, "the span");
}

RunFigures Figures(const std::vector<double>& before_ns, const std::vector<double>& after_ns) {
  return {{"the span", {before_ns, after_ns}}};
}

TEST(Regressions, RunsOfASideSayTheNoise) {
  const RunFigure figure{{100, 104, 110}, {130}};
  EXPECT_EQ(figure.BeforeNs(), 104);
  EXPECT_EQ(figure.NoiseNs(), 10);
  // Their median is 107, the distances from it 7, 3, 3, 193, 0.
  EXPECT_EQ((RunFigure{{100, 104, 110, 300, 107}, {130}}.NoiseNs()), 9);
  EXPECT_EQ(JudgeRuns(Figures({100, 104, 110}, {130}), 10).regressions.size(), 1u);
  EXPECT_EQ(JudgeRuns(Figures({100, 104, 110}, {130}), 30).regressions.size(), 0u);
  EXPECT_EQ(JudgeRuns(Figures({100, 104, 110}, {113}), 5).regressions.size(), 0u);
  // A run that was disturbed is an outlier, too.
  EXPECT_EQ(JudgeRuns(Figures({100, 104, 110, 300, 101}, {130, 131, 132}), 10).regressions.size(),
            1u);
  EXPECT_EQ(JudgeRuns(Figures({100}, {200}), 10).regressions.size(), 0u);
  EXPECT_EQ(JudgeRuns(Figures({100}, {200}), 10).unjudged.size(), 1u);
  EXPECT_EQ(JudgeRuns(Figures({}, {200}), 10).regressions.size(), 0u);
}

TEST(Regressions, OfSeveralRunsErrRarely) {
  std::mt19937 random(6);
  std::normal_distribution<double> draw(100, 4);
  int invented = 0, missed = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> before, same, slower;
    for (int run = 0; run < 5; ++run) {
      before.push_back(draw(random));
      same.push_back(draw(random));
      slower.push_back(draw(random) * 1.25);
    }
    invented += !JudgeRuns(Figures(before, same), 10).regressions.empty();
    missed += JudgeRuns(Figures(before, slower), 10).regressions.empty();
  }
  std::printf("regressions: of 1000 times five runs, %d invented, %d missed\n", invented, missed);
  EXPECT_LE(invented, 10);
  EXPECT_LE(missed, 100);
}

}  // namespace
}  // namespace tasklens
