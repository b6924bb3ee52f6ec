// SPDX-License-Identifier: Apache-2.0
// Comparison of runs: the test by counting pairs and by permutation, and how often it errs.
#include "analysis/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>

#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

double CountPairs(const std::vector<int64_t>& before, const std::vector<int64_t>& after) {
  double u = 0;
  for (const int64_t a : before)
    for (const int64_t b : after) u += b > a ? 1 : b == a ? 0.5 : 0;
  return u;
}

std::vector<int64_t> Draw(std::mt19937& random, size_t count, int64_t below) {
  std::vector<int64_t> values(count);
  for (int64_t& value : values)
    value = std::uniform_int_distribution<int64_t>(0, below - 1)(random);
  return values;
}

TEST(MannWhitney, CountsPairs) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    auto a = Draw(random, 1 + random() % 12, 10), b = Draw(random, 1 + random() % 12, 10);
    const double expected = CountPairs(a, b);
    EXPECT_DOUBLE_EQ(TestMannWhitney(a, b).u, expected);
  }
}

// p is the share of all ways to deal the values that are at least as far from the middle.
TEST(MannWhitney, IsCloseToThePermutationTest) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    auto a = Draw(random, 12, 30), b = Draw(random, 10, 30);
    for (int64_t& value : b) value += round;
    std::vector<int64_t> all = a;
    all.insert(all.end(), b.begin(), b.end());
    const double middle = static_cast<double>(a.size() * b.size()) / 2;
    const double off = std::fabs(CountPairs(a, b) - middle);
    const int deals = 4000;
    int as_far = 0;
    for (int deal = 0; deal < deals; ++deal) {
      std::shuffle(all.begin(), all.end(), random);
      const auto split = all.begin() + static_cast<std::ptrdiff_t>(a.size());
      as_far +=
          std::fabs(CountPairs({all.begin(), split}, {split, all.end()}) - middle) >= off - 1e-9;
    }
    EXPECT_NEAR(TestMannWhitney(a, b).p, static_cast<double>(as_far) / deals, 0.03);
  }
}

TEST(MannWhitney, SaysNothingAboutEqualOrMissingValues) {
  std::vector<int64_t> none, same(20, 5), more(30, 5);
  EXPECT_EQ(TestMannWhitney(none, same).p, 1);
  EXPECT_EQ(TestMannWhitney(same, more).p, 1);
}

struct Load {
  std::string name;
  size_t count;
  double mean_ns, stddev_ns;
};

TraceModel RunOf(std::mt19937& random, const std::vector<Load>& loads) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t now_ns = 0;
  for (const Load& load : loads) {
    // Log-normal: durations have a long tail.
    const double spread = load.stddev_ns / load.mean_ns;
    const double sigma = std::sqrt(std::log(1 + spread * spread));
    std::lognormal_distribution<double> draw(std::log(load.mean_ns) - sigma * sigma / 2, sigma);
    for (size_t i = 0; i < load.count; ++i) {
      const auto length_ns = static_cast<int64_t>(draw(random));
      trace.Task(load.name, now_ns, now_ns + length_ns, {.file = load.name + ".c", .line = 3});
      now_ns += length_ns;
    }
  }
  return trace.Build();
}

TEST(Compare, FindsWhatBecameSlowerAndSplitsTheChange) {
  std::mt19937 random(5);
  const TraceModel before = RunOf(random, {{"gemm", 60, 1000, 100}, {"trsm", 40, 500, 50}});
  const TraceModel after = RunOf(random, {{"gemm", 60, 1500, 100}, {"trsm", 80, 500, 50}});
  const std::vector<Change> changes = Compare(before, after, StatisticsBy::kSite);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].label, "gemm.c:3");
  EXPECT_EQ(changes[0].verdict, Verdict::kSlower);
  EXPECT_EQ(changes[0].by_count_ns, 0);
  EXPECT_NEAR(changes[0].by_duration_ns, 60 * 500, 60 * 60);
  EXPECT_EQ(changes[0].count_verdict, Verdict::kWithinNoise);
  EXPECT_EQ(changes[1].verdict, Verdict::kMoreTasks);
  EXPECT_EQ(changes[1].duration_verdict, Verdict::kWithinNoise);
  EXPECT_NEAR(changes[1].by_count_ns, 40 * 500, 40 * 30);
  EXPECT_EQ(changes[1].beyond_noise_ns(), changes[1].by_count_ns);
  for (const Change& change : changes)
    EXPECT_NEAR(change.change_ns(),
                static_cast<double>(change.after.total_ns - change.before.total_ns), 1e-3);
}

// Written down first: 10 tasks of 100 ns and 10 of 1000; then 30 of 100 (+2000 by their number),
// and 10 of 1500 (+5000 by their length).
TEST(Compare, SumsUpWhatGroupsSay) {
  std::mt19937 random(5);
  const TraceModel before = RunOf(random, {{"a", 10, 100.5, 0.001}, {"b", 10, 1000.5, 0.001}});
  const TraceModel after = RunOf(random, {{"a", 30, 100.5, 0.001}, {"b", 10, 1500.5, 0.001}});
  const std::vector<Change> changes = Compare(before, after, StatisticsBy::kCodelet);
  const TotalChange total = SumOf(changes);
  EXPECT_EQ(total.count_before, 20u);
  EXPECT_EQ(total.count_after, 40u);
  EXPECT_EQ(total.before_ns, 11'000);
  EXPECT_EQ(total.after_ns, 18'000);
  EXPECT_EQ(total.by_count_ns, 2000);
  EXPECT_EQ(total.by_duration_ns, 5000);
  EXPECT_EQ(total.beyond_noise_ns, 7000);
}

// Tasks that are shorter do not hide that there are ten times as many, nor the other way round.
TEST(Compare, TheLargerPartGivesTheVerdict) {
  std::mt19937 random(5);
  const TraceModel before = RunOf(random, {{"many", 40, 1000, 20}, {"long", 40, 1000, 20}});
  const TraceModel after = RunOf(random, {{"many", 400, 900, 20}, {"long", 38, 5000, 20}});
  std::map<std::string, Change> changes;
  for (const Change& change : Compare(before, after, StatisticsBy::kCodelet))
    changes[change.label] = change;
  EXPECT_EQ(changes["many"].verdict, Verdict::kMoreTasks);
  EXPECT_EQ(changes["many"].duration_verdict, Verdict::kFaster);
  EXPECT_EQ(changes["long"].verdict, Verdict::kSlower);
  EXPECT_EQ(changes["long"].count_verdict, Verdict::kFewerTasks);
}

// `of_worker0` of 200 equal tasks run on CPU0.
TraceModel SharedRun(size_t of_worker0) {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  for (size_t i = 0; i < 200; ++i) {
    const auto start_ns = static_cast<int64_t>(i) * 100;
    trace.Task("a", start_ns, start_ns + 90, {.worker = i < of_worker0 ? 0u : 1u});
  }
  return trace.Build();
}

// 100 against 110 are chance: the standard deviation is 14.5. 100 against 160 are not: it is 16.
TEST(Compare, HowManyTasksAWorkerRanIsChance) {
  for (const Change& change : Compare(SharedRun(100), SharedRun(110), StatisticsBy::kWorker)) {
    EXPECT_EQ(change.verdict, Verdict::kWithinNoise);
    EXPECT_NEAR(change.by_count_error_ns, 90 * std::sqrt(change.label == "CPU0" ? 210 : 190), 1);
    EXPECT_EQ(change.beyond_noise_ns(), 0);
  }
  std::map<std::string, Verdict> verdicts;
  for (const Change& change : Compare(SharedRun(100), SharedRun(160), StatisticsBy::kWorker))
    verdicts[change.label] = change.verdict;
  EXPECT_EQ(verdicts["CPU0"], Verdict::kMoreTasks);
  EXPECT_EQ(verdicts["CPU1"], Verdict::kFewerTasks);
}

TraceModel EqualTasks(int64_t count, int64_t length_ns) {
  TestTrace trace;
  for (int64_t i = 0; i < count; ++i) trace.Task("a", 100 * i, 100 * i + length_ns);
  return trace.Build();
}

// 30 tasks more than 100 are chance on a worker, and take more than all are shorter.
TEST(Compare, WhereEachIsShorterAndAllTogetherTakeMoreNothingIsCalledFaster) {
  const auto worker = [](const TraceModel& before, const TraceModel& after) {
    return Compare(before, after, StatisticsBy::kWorker).at(0);
  };
  const TraceModel fewer = EqualTasks(100, 100), more = EqualTasks(130, 90);
  EXPECT_EQ(worker(fewer, more).verdict, Verdict::kEachShorter);
  EXPECT_EQ(worker(fewer, more).duration_verdict, Verdict::kFaster);
  EXPECT_EQ(worker(fewer, more).change_ns(), 1700);
  EXPECT_EQ(worker(more, fewer).verdict, Verdict::kEachLonger);
  EXPECT_EQ(worker(more, fewer).change_ns(), -1700);
}

TEST(Compare, NamesWhatOnlyOneRunHas) {
  std::mt19937 random(6);
  const TraceModel before = RunOf(random, {{"a", 20, 1000, 100}, {"few", 4, 1000, 50}});
  const TraceModel after = RunOf(random, {{"b", 20, 1000, 100}, {"few", 4, 9000, 90}});
  std::map<std::string, Verdict> verdicts;
  const std::vector<Change> changes = Compare(before, after, StatisticsBy::kCodelet);
  for (const Change& change : changes) {
    verdicts[change.label] = change.verdict;
    EXPECT_NEAR(change.beyond_noise_ns(), change.change_ns(), 1e-6);
  }
  EXPECT_EQ(verdicts["a"], Verdict::kOnlyBefore);
  EXPECT_EQ(verdicts["b"], Verdict::kOnlyAfter);
  EXPECT_EQ(verdicts["few"], Verdict::kSlower);
  EXPECT_FALSE(HaveNothingInCommon(changes));
}

TEST(Compare, OfStrangersThereIsNothingInCommon) {
  std::mt19937 random(6);
  const TraceModel before = RunOf(random, {{"a", 20, 1000, 100}});
  const TraceModel after = RunOf(random, {{"b", 20, 1000, 100}});
  EXPECT_TRUE(HaveNothingInCommon(Compare(before, after, StatisticsBy::kSite)));
  EXPECT_FALSE(HaveNothingInCommon(Compare(before, before, StatisticsBy::kSite)));
}

// A single task is judged by how much others of the run differ; alone it is not.
TEST(Compare, ASingleTaskIsJudgedByTheSpreadOfTheOthers) {
  std::mt19937 random(6);
  const auto verdict_of = [](const TraceModel& before, const TraceModel& after) {
    std::map<std::string, Verdict> verdicts;
    for (const Change& change : Compare(before, after, StatisticsBy::kCodelet))
      verdicts[change.label] = change.verdict;
    return verdicts["one"];
  };
  const TraceModel before = RunOf(random, {{"a", 20, 1000, 50}, {"one", 1, 1000, 50}});
  const TraceModel same = RunOf(random, {{"a", 20, 1000, 50}, {"one", 1, 1050, 50}});
  const TraceModel after = RunOf(random, {{"a", 20, 1000, 50}, {"one", 1, 4000, 50}});
  EXPECT_EQ(verdict_of(before, same), Verdict::kWithinNoise);
  EXPECT_EQ(verdict_of(before, after), Verdict::kSlower);
  EXPECT_EQ(
      verdict_of(RunOf(random, {{"one", 1, 1000, 50}}), RunOf(random, {{"one", 1, 4000, 50}})),
      Verdict::kTooFew);
}

// Whatever the runs are, the verdict is what the numbers beside it say.
TEST(Compare, TheVerdictNeverContradictsItsNumbers) {
  std::mt19937 random(11);
  const auto any = [&](size_t most) {
    return std::uniform_int_distribution<size_t>(1, most)(random);
  };
  size_t judged = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<Load> before, after;
    for (int codelet = 0; codelet < 5; ++codelet) {
      const std::string name = "c" + std::to_string(codelet);
      const double mean_ns = 100. * static_cast<double>(any(1000));
      const double spread = mean_ns * static_cast<double>(any(200)) / 100;
      const double factor = any(3) == 1 ? static_cast<double>(any(40)) / 10 : 1;
      before.push_back({name, any(40), mean_ns, spread});
      after.push_back({name, any(40), mean_ns * factor, spread * factor});
    }
    for (const Change& change :
         Compare(RunOf(random, before), RunOf(random, after), StatisticsBy::kCodelet)) {
      const bool is_typical = change.p < 0.01;
      const Verdict verdict = change.duration_verdict;
      EXPECT_EQ(verdict == Verdict::kSlower, is_typical && change.shift.ns > 0);
      EXPECT_EQ(verdict == Verdict::kFaster, is_typical && change.shift.ns < 0);
      if (verdict == Verdict::kWithinNoise) {
        EXPECT_LE(std::fabs(change.by_duration_ns), change.by_duration_noise_ns);
      }
      if (verdict == Verdict::kSomeLonger || verdict == Verdict::kSomeShorter) {
        EXPECT_GT(std::fabs(change.by_duration_ns), change.by_duration_noise_ns);
        EXPECT_EQ(verdict == Verdict::kSomeLonger, change.by_duration_ns > 0);
        EXPECT_FALSE(is_typical);
      }
      // What is told of a single group is of its sum as well.
      EXPECT_TRUE(change.verdict != Verdict::kSlower || change.change_ns() >= 0);
      EXPECT_TRUE(change.verdict != Verdict::kFaster || change.change_ns() <= 0);
      judged += verdict != Verdict::kTooFew;
    }
  }
  EXPECT_GT(judged, 1500u);
}

// One run each of 2 to 40 tasks in three codelets, with 3 % of spread, one of them slower by 30 %.
TEST(Compare, FindsAThirdMoreInOneRunEach) {
  std::mt19937 random(12);
  int missed = 0, invented = 0, groups = 0;
  const int rounds = 400;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Load> loads;
    for (int codelet = 0; codelet < 3; ++codelet)
      loads.push_back({"c" + std::to_string(codelet),
                       std::uniform_int_distribution<size_t>(2, 40)(random), 1e6, 3e4});
    loads[0].count = std::max<size_t>(loads[0].count, 3);
    const TraceModel before = RunOf(random, loads), same = RunOf(random, loads);
    loads[0].mean_ns *= 1.3;
    const TraceModel slower = RunOf(random, loads);
    for (const Change& change : Compare(before, slower, StatisticsBy::kCodelet))
      missed += change.label == "c0" && change.verdict != Verdict::kSlower;
    for (const Change& change : Compare(before, same, StatisticsBy::kCodelet)) {
      invented += change.verdict != Verdict::kWithinNoise;
      ++groups;
    }
  }
  std::printf("compare: of %d slower by 30 %%, %d missed; of %d of one distribution, %d judged\n",
              rounds, missed, groups, invented);
  EXPECT_LE(missed, rounds / 100);
  EXPECT_LE(invented, groups / 100);
}

struct Line {
  std::string_view codelet;
  uint32_t line;
  std::string_view function = "main";
  std::string_view file = "/a/chol.c";
};

// Six tasks a line.
TraceModel RunOfLines(const std::vector<Line>& lines) {
  TestTrace trace;
  trace.Worker("CPU0");
  int64_t now_ns = 0;
  for (const Line& line : lines)
    for (int i = 0; i < 6; ++i, now_ns += 10)
      trace.Task(line.codelet, now_ns, now_ns + 10,
                 {.file = line.file, .line = line.line, .function = line.function});
  return trace.Build();
}

// "before -> after" of each group, "-" where it is not there.
std::vector<std::string> Moves(const std::vector<Line>& before, const std::vector<Line>& after) {
  std::vector<std::string> moves;
  for (const Change& change : Compare(RunOfLines(before), RunOfLines(after), StatisticsBy::kSite)) {
    const std::string& label_before =
        change.label_before.empty() ? change.label : change.label_before;
    moves.push_back((change.before.count ? label_before : "-") + " -> " +
                    (change.after.count ? change.label : "-"));
  }
  std::sort(moves.begin(), moves.end());
  return moves;
}

using Texts = std::vector<std::string>;

TEST(Compare, FollowsLinesThatMoved) {
  // Two lines were put in front, so that a line of one codelet now has the number of another.
  EXPECT_EQ(Moves({{"potrf", 10}, {"trsm", 12}, {"gemm", 14}},
                  {{"potrf", 12}, {"trsm", 14}, {"gemm", 16}}),
            (Texts{"/a/chol.c:10 -> /a/chol.c:12", "/a/chol.c:12 -> /a/chol.c:14",
                   "/a/chol.c:14 -> /a/chol.c:16"}));
  // A line is gone and another is new.
  EXPECT_EQ(Moves({{"potrf", 10}, {"trsm", 12}}, {{"potrf", 11}, {"gemm", 12}}),
            (Texts{"/a/chol.c:10 -> /a/chol.c:11", "/a/chol.c:12 -> /a/chol.c:12"}));
  EXPECT_EQ(Moves({{"potrf", 10}, {"trsm", 12}}, {{"potrf", 11}, {"gemm", 13}}),
            (Texts{"- -> /a/chol.c:13", "/a/chol.c:10 -> /a/chol.c:11", "/a/chol.c:12 -> -"}));
  // One line of a codelet was added: functions tell which is which.
  EXPECT_EQ(Moves({{"gemm", 20, "b"}}, {{"gemm", 20, "a"}, {"gemm", 30, "b"}}),
            (Texts{"- -> /a/chol.c:20", "/a/chol.c:20 -> /a/chol.c:30"}));
}

TEST(Compare, KnowsALineThatDidNotMove) {
  EXPECT_EQ(
      Moves({{"gemm", 10}, {"gemm", 20}}, {{"gemm", 5}, {"gemm", 10}, {"gemm", 20}}),
      (Texts{"- -> /a/chol.c:5", "/a/chol.c:10 -> /a/chol.c:10", "/a/chol.c:20 -> /a/chol.c:20"}));
}

TEST(Compare, FollowsFilesToAnotherFolder) {
  EXPECT_EQ(Moves({{"gemm", 10, "main", "/a/x.c"}}, {{"gemm", 11, "main", "/b/x.c"}}),
            (Texts{"/a/x.c:10 -> /b/x.c:11"}));
  // Which of two files of the name it is cannot be told.
  EXPECT_EQ(Moves({{"gemm", 10, "main", "/a/x.c"}},
                  {{"gemm", 10, "main", "/b/x.c"}, {"gemm", 10, "main", "/c/x.c"}}),
            (Texts{"- -> /b/x.c:10", "- -> /c/x.c:10", "/a/x.c:10 -> -"}));
}

TEST(Compare, OfARunWithItselfIsWithinNoise) {
  std::mt19937 random(8);
  const TraceModel run = RunOf(random, {{"a", 50, 100, 40}, {"b", 50, 1000, 10}});
  for (const Change& change : Compare(run, run, StatisticsBy::kWorker)) {
    EXPECT_EQ(change.verdict, Verdict::kWithinNoise);
    EXPECT_EQ(change.change_ns(), 0);
  }
}

// Ten codelets a run; one of them slower by a quarter, or none.
TEST(Compare, ErrsRarely) {
  std::mt19937 random(9);
  int invented = 0, missed = 0;
  const int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Load> loads;
    for (int codelet = 0; codelet < 10; ++codelet)
      loads.push_back({"c" + std::to_string(codelet), 60, 1000. + 100 * codelet, 300});
    const TraceModel before = RunOf(random, loads), same = RunOf(random, loads);
    loads[4].mean_ns *= 1.25;
    const TraceModel slower = RunOf(random, loads);
    for (const Change& change : Compare(before, same, StatisticsBy::kCodelet))
      invented += change.verdict != Verdict::kWithinNoise;
    for (const Change& change : Compare(before, slower, StatisticsBy::kCodelet))
      missed += change.label == "c4" && change.verdict != Verdict::kSlower;
  }
  std::printf(
      "compare: %d of %d unchanged codelets said to have changed; %d of %d codelets "
      "slower by 25 %% missed\n",
      invented, rounds * 10, missed, rounds);
  EXPECT_LE(invented, rounds * 10 / 200);
  EXPECT_LE(missed, rounds / 20);
}

// Eight workers that share tasks by chance; then one of them takes twice its share.
TEST(Compare, ErrsRarelyAboutNumbers) {
  std::mt19937 random(10);
  int invented = 0, missed = 0;
  const int rounds = 200, workers = 8;
  const auto run = [&](double share_of_first) {
    std::vector<double> shares(workers, 1);
    shares[0] = share_of_first;
    std::discrete_distribution<uint32_t> choose(shares.begin(), shares.end());
    TestTrace trace;
    for (int worker = 0; worker < workers; ++worker) trace.Worker("CPU" + std::to_string(worker));
    for (int64_t i = 0; i < 2000; ++i)
      trace.Task("a", i * 100, i * 100 + 90, {.worker = choose(random)});
    return trace.Build();
  };
  for (int round = 0; round < rounds; ++round) {
    const TraceModel before = run(1), same = run(1), more = run(2);
    for (const Change& change : Compare(before, same, StatisticsBy::kWorker))
      invented += change.verdict != Verdict::kWithinNoise;
    for (const Change& change : Compare(before, more, StatisticsBy::kWorker))
      missed += change.label == "CPU0" && change.verdict != Verdict::kMoreTasks;
  }
  std::printf(
      "compare: %d of %d workers said to have run more or fewer tasks; %d of %d that took "
      "twice as many missed\n",
      invented, rounds * workers, missed, rounds);
  EXPECT_LE(invented, rounds * workers / 200);
  EXPECT_LE(missed, rounds / 20);
}

}  // namespace
}  // namespace tasklens
