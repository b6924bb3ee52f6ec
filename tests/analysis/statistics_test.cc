// SPDX-License-Identifier: Apache-2.0
// Statistics worked out by hand, and properties on random values.
#include "analysis/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "analysis/sites.h"
#include "tests/analysis/random_run.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::RandomRun;
using testing::TestTrace;

TEST(Statistics, CountTheRuntimesOwnTasksWhereTheyAreWanted) {
  const TraceModel model = TestTrace().Task("a", 0, 10).Task("_starpu_redux", 10, 95).Build();
  EXPECT_EQ(Statistics(model, StatisticsBy::kCodelet).size(), 1u);
  const std::vector<StatisticsRow> all = Statistics(model, StatisticsBy::kCodelet, nullptr, true);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].durations.total_ns, 85);
}

// CPU0 runs it from 10 to 30, CPU1 from 15 to 50.
TraceModel TwoWorkersWithOneTask() {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  const auto run = [&](uint64_t worker, int64_t start_ns, int64_t end_ns) {
    trace.Event(start_ns, EventKind::kTaskStart, {uint64_t{1}, worker, 0, 0}, 1000 + worker);
    trace.Event(end_ns, EventKind::kTaskEnd, {uint64_t{1}, worker, 0, 0, ""}, 1000 + worker);
  };
  trace.Event(0, EventKind::kTaskSite, {uint64_t{1}, 5, "x.c", "main"});
  run(0, 10, 30);
  run(1, 15, 50);
  return trace.Build();
}

// By worker, each worker of a parallel task has its own part of it; by codelet the task runs from
// its first start to its last end.
TEST(Statistics, GiveEachWorkerItsPartOfAParallelTask) {
  const TraceModel model = TwoWorkersWithOneTask();
  const std::vector<StatisticsRow> workers = Statistics(model, StatisticsBy::kWorker);
  ASSERT_EQ(workers.size(), 2u);
  EXPECT_EQ(StatisticsLabel(model, StatisticsBy::kWorker, workers[0].key), "CPU1");
  EXPECT_EQ(workers[0].durations.total_ns, 35);
  EXPECT_EQ(workers[1].durations.total_ns, 20);
  const std::vector<StatisticsRow> codelets = Statistics(model, StatisticsBy::kCodelet);
  ASSERT_EQ(codelets.size(), 1u);
  EXPECT_EQ(codelets[0].durations.total_ns, 40);
}

// Submitted and executed three times, by either worker: by CPU0 from 10 to 20 and 210 to 230, by
// CPU1 from 110 to 140.
TraceModel ATaskThatRanThreeTimes() {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Event(0, EventKind::kTaskSite, {uint64_t{1}, 5, "x.c", "main"});
  const auto run = [&](uint64_t order, uint64_t worker, int64_t start_ns, int64_t end_ns) {
    trace.Event(start_ns - 5, EventKind::kTaskSubmit, {uint64_t{1}, order, -1, -1, 0, 0});
    trace.Event(start_ns, EventKind::kTaskStart, {uint64_t{1}, worker, 0, 0}, 1000 + worker);
    trace.Event(end_ns, EventKind::kTaskEnd, {uint64_t{1}, worker, 0, 0, ""}, 1000 + worker);
  };
  run(1, 0, 10, 20);
  run(2, 1, 110, 140);
  run(3, 0, 210, 230);
  return trace.Build();
}

TEST(Statistics, CountATaskAsOftenAsItRan) {
  const TraceModel model = ATaskThatRanThreeTimes();
  for (const StatisticsBy by : {StatisticsBy::kCodelet, StatisticsBy::kSite, StatisticsBy::kWorker,
                                StatisticsBy::kKind, StatisticsBy::kSize}) {
    uint64_t runs = 0;
    int64_t total_ns = 0;
    for (const StatisticsRow& row : Statistics(model, by)) {
      runs += row.durations.count;
      total_ns += row.total_ns;
      EXPECT_EQ(row.durations.total_ns, row.total_ns);
    }
    EXPECT_EQ(runs, 3u) << StatisticsByName(by);
    EXPECT_EQ(total_ns, 60) << StatisticsByName(by);
  }
  const std::vector<StatisticsRow> codelets = Statistics(model, StatisticsBy::kCodelet);
  ASSERT_EQ(codelets.size(), 1u);
  EXPECT_EQ(codelets[0].tasks, 1u);
  EXPECT_EQ(codelets[0].durations.max_ns, 30);
  // Of a stretch that the second run fills.
  const std::vector<StatisticsRow> middle =
      Statistics(model, StatisticsBy::kCodelet, nullptr, false, Span{100, 130});
  ASSERT_EQ(middle.size(), 1u);
  EXPECT_EQ(middle[0].total_ns, 20);
}

TEST(Statistics, TellTasksSubmissionsAndExecutionsApart) {
  const TraceModel model = ATaskThatRanThreeTimes();
  const RunSummary run = Summarize(model);
  EXPECT_EQ(run.tasks, 1u);
  EXPECT_EQ(run.ran, 1u);
  EXPECT_EQ(run.submissions, 3u);
  EXPECT_EQ(run.executions, 3u);
  EXPECT_EQ(run.busy_ns, 60);
  EXPECT_EQ(run.span_ns, 225);  // from the first submission
  const std::vector<SiteCost> costs = CostBySite(model);
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].tasks, 1u);
  EXPECT_EQ(costs[0].runs, 3u);
  EXPECT_EQ(costs[0].total_ns, 60);
  EXPECT_EQ(costs[0].MeanNs(), 20);
  EXPECT_EQ(costs[0].min_ns, 10);
  // Of a parallel task each worker's is one.
  EXPECT_EQ(Summarize(TwoWorkersWithOneTask()).executions, 2u);
}

TEST(Statistics, OfAStretchCountTheTimeWithinItAndTheDurationsOfWholeTasks) {
  const TraceModel model =
      TestTrace().Task("a", 0, 10).Task("a", 20, 40).Task("b", 40, 50).Task("early", 2, 5).Build();
  const auto rows = Statistics(model, StatisticsBy::kCodelet, nullptr, false, Span{5, 25});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(StatisticsLabel(model, StatisticsBy::kCodelet, rows[0].key), "a");
  EXPECT_EQ(rows[0].tasks, 2u);
  EXPECT_EQ(rows[0].total_ns, 5 + 5);
  EXPECT_EQ(rows[0].durations.mean_ns, 15);
  EXPECT_EQ(rows[0].durations.max_ns, 20);
  // What begins where the stretch ends is not in it, what takes no time at its begin is.
  EXPECT_TRUE(Statistics(model, StatisticsBy::kCodelet, nullptr, false, Span{10, 20}).empty());
  const TraceModel moment = TestTrace().Task("a", 10, 10).Build();
  EXPECT_EQ(Statistics(moment, StatisticsBy::kCodelet, nullptr, false, Span{10, 20}).size(), 1u);
  EXPECT_TRUE(Statistics(moment, StatisticsBy::kCodelet, nullptr, false, Span{5, 10}).empty());
}

TEST(Statistics, OfAStretchGiveEachWorkerItsPartOfAParallelTask) {
  const TraceModel model = TwoWorkersWithOneTask();
  const auto of = [&](Span stretch) {
    std::map<std::string, int64_t> times;
    for (const auto& row : Statistics(model, StatisticsBy::kWorker, nullptr, false, stretch))
      times[StatisticsLabel(model, StatisticsBy::kWorker, row.key)] = row.total_ns;
    return times;
  };
  EXPECT_EQ(of({20, 40}), (std::map<std::string, int64_t>{{"CPU0", 10}, {"CPU1", 20}}));
  EXPECT_EQ(of({35, 40}), (std::map<std::string, int64_t>{{"CPU1", 5}}));
}

TEST(Statistics, OfStretchesAddUpToThoseOfTheRun) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const TraceModel model = RandomRun(seed);
    for (const StatisticsBy by :
         {StatisticsBy::kCodelet, StatisticsBy::kSite, StatisticsBy::kWorker, StatisticsBy::kKind,
          StatisticsBy::kState, StatisticsBy::kSize}) {
      std::map<uint32_t, int64_t> whole_ns, parts_ns;
      for (const StatisticsRow& row : Statistics(model, by)) {
        EXPECT_EQ(row.total_ns, row.durations.total_ns);
        if (row.total_ns > 0) whole_ns[row.key] = row.total_ns;
      }
      const int64_t length_ns = 1 + seed % 9;
      for (int64_t at_ns = 0; at_ns <= model.duration_ns; at_ns += length_ns)
        for (const StatisticsRow& row :
             Statistics(model, by, nullptr, false, Span{at_ns, at_ns + length_ns}))
          if (row.total_ns > 0) parts_ns[row.key] += row.total_ns;
      EXPECT_EQ(parts_ns, whole_ns) << seed << " by " << StatisticsByName(by);
    }
  }
}

TEST(DurationSummary, IsAsByHand) {
  std::vector<int64_t> values{10, 2, 4, 4, 5};
  const DurationSummary summary = Summarize(values);
  EXPECT_EQ(summary.count, 5u);
  EXPECT_EQ(summary.total_ns, 25);
  EXPECT_EQ(summary.mean_ns, 5);
  // Squares of the distances: 25 + 9 + 1 + 1 + 0 = 36; over n - 1 = 4: 9.
  EXPECT_DOUBLE_EQ(summary.stddev_ns, 3);
  EXPECT_EQ(summary.min_ns, 2);
  EXPECT_EQ(summary.max_ns, 10);
  EXPECT_EQ(summary.quantile_ns, (std::array<int64_t, 5>{2, 4, 4, 5, 10}));
}

TEST(DurationSummary, OfOneValueHasNoSpread) {
  std::vector<int64_t> values{7};
  const DurationSummary summary = Summarize(values);
  EXPECT_EQ(summary.stddev_ns, 0);
  EXPECT_EQ(summary.median_ns(), 7);
  ASSERT_EQ(summary.histogram.size(), 1u);
  EXPECT_EQ(summary.histogram[0].count, 1u);
}

TEST(DurationSummary, MedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle) {
  std::vector<int64_t> two{153'000, 44'500}, six{3945, 18828, 4336, 4607, 6760, 4838};
  EXPECT_EQ(Summarize(two).median_ns(), 98'750);
  EXPECT_EQ(Summarize(six).median_ns(), 4722);
}

TEST(DurationSummary, OfNothingIsZero) {
  std::vector<int64_t> none;
  EXPECT_EQ(Summarize(none).count, 0u);
}

TEST(DurationSummary, OfAbsurdTimesDoesNotOverflow) {
  std::vector<int64_t> values(100, int64_t{1} << 61);
  values.push_back(0);
  const DurationSummary summary = Summarize(values);
  EXPECT_GT(summary.total_ns, 0);
  EXPECT_EQ(summary.median_ns(), int64_t{1} << 61);
}

TEST(DurationSummary, QuantileHasItsShareAtOrBelowIt) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> values(1 + random() % 60);
    for (int64_t& value : values) value = static_cast<int64_t>(random() % 40);
    const DurationSummary summary = Summarize(values);
    for (size_t q = 0; q < kQuantiles.size(); ++q) {
      const auto at_or_below = [&](int64_t limit) {
        return static_cast<double>(std::count_if(values.begin(), values.end(),
                                                 [&](int64_t v) { return v <= limit; })) /
               static_cast<double>(values.size());
      };
      EXPECT_GE(at_or_below(summary.quantile_ns[q]), kQuantiles[q] - 1e-9);
      // The median of an even number need not have occurred.
      EXPECT_LE(at_or_below(summary.quantile_ns[q] - 1), kQuantiles[q]);
      EXPECT_TRUE(q == kMedian || at_or_below(summary.quantile_ns[q] - 1) < kQuantiles[q]);
    }
  }
}

TEST(Histogram, CountsEveryValueOnceInItsBar) {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> values(1 + random() % 200);
    for (int64_t& value : values)
      value = static_cast<int64_t>(random() % (round % 3 == 0 ? 5u : 1u << (random() % 31)));
    const DurationSummary summary = Summarize(values);
    uint64_t total = 0;
    for (size_t bar = 0; bar < summary.histogram.size(); ++bar) {
      const HistogramBar& b = summary.histogram[bar];
      const bool last = bar + 1 == summary.histogram.size();
      const auto count = std::count_if(values.begin(), values.end(), [&](int64_t v) {
        return v >= b.low_ns && (last ? v <= b.high_ns : v < b.high_ns);
      });
      EXPECT_EQ(b.count, static_cast<uint64_t>(count));
      if (bar > 0) {
        EXPECT_EQ(b.low_ns, summary.histogram[bar - 1].high_ns);
      }
      total += b.count;
    }
    EXPECT_EQ(total, values.size());
    EXPECT_LE(summary.histogram.size(), 16u);
    EXPECT_EQ(summary.histogram.front().low_ns, summary.min_ns);
    EXPECT_EQ(summary.histogram.back().high_ns, summary.max_ns);
  }
}

TraceModel TwoCodelets() {
  return TestTrace()
      .Worker("CPU0")
      .Worker("CPU1")
      .Task("gemm", 0, 10, {.file = "x.c", .line = 5, .flops = 200})
      .Task("gemm", 0, 30, {.worker = 1, .file = "x.c", .line = 5, .flops = 100})
      .Task("trsm", 10, 15, {.file = "x.c", .line = 9})
      .Event(0, EventKind::kTaskSubmit, {99, 0, -1, -1, 0, 0})
      .Event(0, EventKind::kTaskEstimate, {1, 0, 8.0, 0.0})
      .Event(0, EventKind::kTaskEstimate, {1, 1, 1000.0, 0.0})
      .Event(0, EventKind::kTaskEstimate, {2, -1, 60.0, 0.0})
      .Build();
}

TEST(Statistics, ByCodeletHaveFlopsAndEstimates) {
  const TraceModel model = TwoCodelets();
  const std::vector<StatisticsRow> rows = Statistics(model, StatisticsBy::kCodelet);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(StatisticsLabel(model, StatisticsBy::kCodelet, rows[0].key), "gemm");
  EXPECT_EQ(rows[0].durations.total_ns, 40);
  EXPECT_DOUBLE_EQ(rows[0].GFlops(), 300. / 40);
  // 10 measured for 8 foretold (of worker 0, which ran it), 30 for 60.
  EXPECT_EQ(rows[0].estimates.count, 2u);
  EXPECT_DOUBLE_EQ(rows[0].estimates.mean_error, (0.2 + 1) / 2);
  EXPECT_DOUBLE_EQ(rows[0].estimates.mean_factor, std::sqrt(10. / 8 * 60 / 30));
  EXPECT_DOUBLE_EQ(rows[0].estimates.Bias(), 40. / 68);
  EXPECT_EQ(StatisticsLabel(model, StatisticsBy::kCodelet, rows[2].key), "unknown");
  EXPECT_EQ(rows[2].tasks, 1u);
  EXPECT_EQ(rows[2].durations.count, 0u);
  EXPECT_EQ(rows[2].GFlops(), 0);
}

TEST(Statistics, GroupByWhatIsAskedFor) {
  const TraceModel model = TwoCodelets();
  const auto labels = [&](StatisticsBy by) {
    std::vector<std::string> texts;
    for (const StatisticsRow& row : Statistics(model, by))
      texts.push_back(StatisticsLabel(model, by, row.key) + " " +
                      std::to_string(row.durations.total_ns));
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(labels(StatisticsBy::kSite), (Texts{"x.c:5 40", "x.c:9 5", "no line 0"}));
  EXPECT_EQ(labels(StatisticsBy::kWorker), (Texts{"CPU1 30", "CPU0 15", "no worker 0"}));
  EXPECT_EQ(labels(StatisticsBy::kKind), (Texts{"CPU 45", "UNK 0"}));
  EXPECT_EQ(labels(StatisticsBy::kState).front(), "Task 45");
}

// Tasks of one codelet on as much data are one group, unless their footprints tell them apart.
TEST(Statistics, BySizeAreOfACodeletItsBytesAndTheirFootprint) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("gemm", 0, 10, {.size_bytes = 4096, .footprint = 0xab})
                               .Task("gemm", 10, 30, {.size_bytes = 4096, .footprint = 0xcd})
                               .Task("gemm", 30, 60, {.size_bytes = 4096, .footprint = 0xab})
                               .Task("gemm", 60, 61, {.size_bytes = 64, .footprint = 0xab})
                               .Task("trsm", 61, 66, {.size_bytes = 4096, .footprint = 0xab})
                               .Event(0, EventKind::kTaskSubmit, {99, 0, -1, -1, 0, 0})
                               .Build();
  std::vector<std::string> groups;
  for (const StatisticsRow& row : Statistics(model, StatisticsBy::kSize))
    groups.push_back(StatisticsLabel(model, StatisticsBy::kSize, row.key) + ": " +
                     std::to_string(row.durations.count) + ", " + std::to_string(row.total_ns));
  EXPECT_EQ(groups, (std::vector<std::string>{"gemm, 4,096 B, 000000ab: 2, 40",
                                              "gemm, 4,096 B, 000000cd: 1, 20",
                                              "trsm, 4,096 B, 000000ab: 1, 5",
                                              "gemm, 64 B, 000000ab: 1, 1", "unknown, 0 B: 0, 0"}));
}

// What is pushed onto a state counts for itself and not for what it lies in, so that the states of
// a row add up to its time.
TEST(Statistics, StatesAddUpToTheTimeOfTheirRows) {
  const TraceModel model = testing::NestedStates().Build();
  std::map<StateKind, int64_t> total_ns;
  int64_t sum_ns = 0;
  for (const StatisticsRow& row : Statistics(model, StatisticsBy::kState)) {
    total_ns[static_cast<StateKind>(row.key)] = row.durations.total_ns;
    sum_ns += row.durations.total_ns;
  }
  EXPECT_EQ(total_ns[StateKind::kScheduling], 150);
  EXPECT_EQ(total_ns[StateKind::kCallback], 50);
  int64_t rows_ns = 0;
  for (size_t state = 0; state < model.states.size(); ++state)
    if (model.states.depth[state] == 0 && model.states.kind[state] != StateKind::kNone)
      rows_ns += model.states.end_ns[state] - model.states.start_ns[state];
  EXPECT_EQ(sum_ns, rows_ns);
}

// The numbers of a table are those of the summary above it.
TEST(Statistics, CountTheTasksOfTheSummary) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Task("a", 0, 10, {.file = "x.c", .line = 5})
                               .Task("_starpu_reduction", 10, 20)
                               .Task("b", 20, 30)
                               .Build();
  for (auto by : {StatisticsBy::kCodelet, StatisticsBy::kSite, StatisticsBy::kWorker,
                  StatisticsBy::kKind, StatisticsBy::kSize}) {
    uint64_t tasks = 0;
    for (const StatisticsRow& row : Statistics(model, by)) tasks += row.tasks;
    EXPECT_EQ(tasks, 2u) << StatisticsByName(by);
  }
}

TEST(Statistics, NamesOfGroupingsAreReadBack) {
  for (auto by : {StatisticsBy::kCodelet, StatisticsBy::kSite, StatisticsBy::kWorker,
                  StatisticsBy::kKind, StatisticsBy::kState, StatisticsBy::kSize})
    EXPECT_EQ(ParseStatisticsBy(StatisticsByName(by)), by);
  EXPECT_EQ(ParseStatisticsBy("nonsense"), std::nullopt);
}

}  // namespace
}  // namespace tasklens
