// SPDX-License-Identifier: Apache-2.0
// What is said of a submission site, against a trace whose answer is written down first, and
// against a slow count on random ones.
#include "analysis/site_reports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "analysis/execution_order.h"
#include "tests/analysis/random_run.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

TEST(SiteReports, SayEverythingOfASmallTrace) {
  const TraceModel model =
      TestTrace()
          .Worker("CPU0")
          .Worker("CPU1")
          .Task("a", 0, 10, {.file = "x.c", .line = 1, .size_bytes = 8})
          .Task("b", 10, 40, {.worker = 1, .file = "x.c", .line = 1, .size_bytes = 4})
          .Task("c", 40, 60, {.file = "x.c", .line = 2})
          .Dep(1, 3)
          .Dep(2, 3)
          .Build();
  const auto reports = ReportSites(model);
  ASSERT_EQ(reports.size(), 2u);
  const SiteReport &first = reports[0], &second = reports[1];
  EXPECT_EQ(first.tasks, 2u);
  EXPECT_EQ(first.workers, 2u);
  EXPECT_EQ(first.durations.total_ns, 40);
  EXPECT_EQ(first.size_bytes, 12u);
  ASSERT_EQ(first.parts.size(), 2u);
  EXPECT_EQ(model.str(first.parts[0].name), "b");  // the costliest first
  EXPECT_EQ(first.parts[0].MeanNs(), 30);
  ASSERT_EQ(first.it_feeds.size(), 1u);
  EXPECT_EQ(first.it_feeds[0].site, 1u);
  EXPECT_EQ(first.it_feeds[0].dependencies, 2u);
  ASSERT_EQ(second.feeds_it.size(), 1u);
  EXPECT_EQ(second.feeds_it[0].dependencies, 2u);
  EXPECT_TRUE(second.it_feeds.empty());
}

TEST(CodeletReports, SumUpTheTasksOfANameWhereverTheyWereSubmitted) {
  const TraceModel model =
      TestTrace()
          .Worker("CPU0")
          .Worker("CPU1")
          .Task("a", 0, 10, {.file = "x.c", .line = 1, .size_bytes = 8})
          .Task("b", 10, 39, {.worker = 1, .file = "x.c", .line = 1})
          .Task("a", 40, 60, {.worker = 1, .file = "x.c", .line = 2, .size_bytes = 4})
          .Build();
  const auto codelets = ReportCodelets(model);
  ASSERT_EQ(codelets.size(), 2u);
  const SiteReport& second = codelets[1].report;
  EXPECT_EQ(model.str(codelets[0].name), "a");  // the costliest first
  EXPECT_EQ(model.str(codelets[1].name), "b");
  const SiteReport& first = codelets[0].report;
  EXPECT_EQ(first.tasks, 2u);
  EXPECT_EQ(first.workers, 2u);
  EXPECT_EQ(first.size_bytes, 12u);
  EXPECT_EQ(first.durations.total_ns, 30);
  ASSERT_EQ(first.parts.size(), 1u);
  EXPECT_EQ(first.parts[0].ran, 2u);
  EXPECT_EQ(second.tasks, 1u);
}

TEST(SiteReports, AgreeWithASlowCountOnRandomRuns) {
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    const TraceModel model = testing::RandomRun(seed);
    const auto reports = ReportSites(model);
    const TaskTable& tasks = model.tasks;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> edges;
    for (uint32_t task = 0; task < tasks.size(); ++task)
      for (const DepEnd& dep : model.predecessors[task])
        ++edges[{tasks.site[dep.task], tasks.site[task]}];
    for (uint32_t site = 0; site < reports.size(); ++site) {
      uint64_t count = 0, ran = 0;
      int64_t total_ns = 0;
      for (uint32_t task = 0; task < tasks.size(); ++task) {
        if (tasks.site[task] != site) continue;
        ++count;
        if (!Executed(tasks, task)) continue;
        ++ran;
        total_ns += tasks.end_ns[task] - tasks.start_ns[task];
      }
      EXPECT_EQ(reports[site].tasks, count);
      uint64_t in_parts = 0;
      int64_t parts_ns = 0;
      for (const auto& part : reports[site].parts) {
        in_parts += part.ran;
        parts_ns += part.total_ns;
      }
      EXPECT_EQ(in_parts, ran);
      EXPECT_EQ(parts_ns, total_ns);
      for (const auto& other : reports[site].feeds_it)
        EXPECT_EQ(other.dependencies, (edges[{other.site, site}])) << seed;
      for (const auto& other : reports[site].it_feeds)
        EXPECT_EQ(other.dependencies, (edges[{site, other.site}])) << seed;
    }
  }
}

}  // namespace
}  // namespace tasklens
