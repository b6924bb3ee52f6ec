// SPDX-License-Identifier: Apache-2.0
#include "analysis/joined_dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

#include "analysis/graph_browser.h"
#include "analysis/graph_view.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TestTrace;

// Tasks 1 to `count`, of which those in `hidden` are the runtime's.
TestTrace Tasks(uint32_t count, const std::set<uint32_t>& hidden) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (uint32_t i = 1; i <= count; ++i)
    trace.Task("t", 10 * i, 10 * i + 10,
               {.submit_ns = 1, .type = hidden.contains(i) ? uint32_t{kTaskInternal} : 0u});
  return trace;
}

std::vector<uint32_t> Before(const TraceModel& model, const TaskSelection& selection,
                             uint64_t job) {
  std::vector<uint32_t> jobs;
  selection.dependencies.ForEachBefore(model, model.FindTask(0, job), [&](uint32_t row) {
    if (selection.is_shown[row]) jobs.push_back(static_cast<uint32_t>(model.tasks.job[row]));
  });
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

TEST(JoinedDependencies, RunThroughChainsOfHiddenTasks) {
  const TraceModel model =
      Tasks(6, {2, 3, 5}).Dep(1, 2).Dep(2, 3).Dep(3, 4).Dep(4, 5).Dep(5, 6).Build();
  const TaskSelection selection(model, false);
  EXPECT_EQ(selection.count, 3u);
  EXPECT_EQ(selection.dependencies.size(), 2u);
  EXPECT_THAT(Before(model, selection, 4), ElementsAre(1));
  EXPECT_THAT(Before(model, selection, 6), ElementsAre(4));
  EXPECT_THAT(Before(model, selection, 1), IsEmpty());
}

TEST(JoinedDependencies, JoinAPairOnce) {
  const TraceModel model = Tasks(4, {2, 3})
                               .Dep(1, 2)
                               .Dep(1, 3)
                               .Dep(2, 4)
                               .Dep(3, 4)
                               .Dep(1, 4)  // and it waits for it by itself
                               .Build();
  const TaskSelection selection(model, false);
  EXPECT_EQ(selection.dependencies.size(), 0u);
  EXPECT_THAT(Before(model, selection, 4), ElementsAre(1));
}

TEST(JoinedDependencies, AreNoneWhereAllIsShown) {
  const TraceModel model = Tasks(3, {2}).Dep(1, 2).Dep(2, 3).Build();
  const TaskSelection all(model, true);
  EXPECT_EQ(all.dependencies.size(), 0u);
  EXPECT_THAT(Before(model, all, 3), ElementsAre(2));
}

// 9 tasks before a hidden one and 9 after it would be 81 edges, of 19 tasks and 18 dependencies.
TEST(JoinedDependencies, ShowAHiddenTaskWhereVeryManyMeet) {
  TestTrace trace = Tasks(19, {10});
  for (uint32_t i = 1; i <= 9; ++i) trace.Dep(i, 10).Dep(10, 10 + i);
  const TraceModel model = trace.Build();
  const TaskSelection selection(model, false);
  EXPECT_EQ(selection.count, 18u);
  EXPECT_THAT(selection.dependencies.worth_seeing(), ElementsAre(model.FindTask(0, 10)));
  EXPECT_EQ(selection.dependencies.size(), 0u);
  EXPECT_THAT(Before(model, selection, 19), ElementsAre(10));
  GraphQuery query;
  query.selection = &selection;
  query.nesting.clear();
  const GraphView view = ViewGraph(model, Topology(model), query);
  EXPECT_EQ(view.edges.size(), 18u);
  EXPECT_EQ(view.Caption(), "18 of 18 tasks and 1 of the runtime's");
}

// Whatever is missed behind the circle: nothing waits for itself.
TEST(JoinedDependencies, EndInCirclesThatADamagedTraceClaims) {
  const TraceModel model =
      Tasks(4, {2, 3}).Dep(1, 2).Dep(2, 3).Dep(3, 2).Dep(3, 4).Dep(4, 3).Build();
  const TaskSelection selection(model, false);
  EXPECT_THAT(Before(model, selection, 4), IsEmpty());
  EXPECT_THAT(Before(model, selection, 1), IsEmpty());
}

TEST(JoinedDependencies, AreThePathsThroughHiddenTasksOfRandomGraphs) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    constexpr uint32_t kTasks = 12;
    std::set<uint32_t> hidden;
    for (uint32_t i = 1; i <= kTasks; ++i)
      if (random() % 2) hidden.insert(i);
    TestTrace trace = Tasks(kTasks, hidden);
    std::vector<std::vector<uint32_t>> after(kTasks + 1);
    for (uint32_t to = 2; to <= kTasks; ++to)
      for (uint32_t from = 1; from < to; ++from)
        if (random() % 4 == 0) {
          trace.Dep(from, to);
          after[from].push_back(to);
        }
    const TraceModel model = trace.Build();
    const TaskSelection selection(model, false);
    ASSERT_THAT(selection.dependencies.worth_seeing(), IsEmpty());
    std::vector<std::set<uint32_t>> expected(kTasks + 1);
    for (uint32_t from = 1; from <= kTasks; ++from) {
      if (hidden.contains(from)) continue;
      const std::function<void(uint32_t)> walk = [&](uint32_t task) {
        for (const uint32_t next : after[task]) {
          if (hidden.contains(next)) {
            walk(next);
          } else {
            expected[next].insert(from);
          }
        }
      };
      walk(from);
    }
    uint64_t edges = 0;
    for (uint32_t job = 1; job <= kTasks; ++job) {
      if (hidden.contains(job)) continue;
      EXPECT_EQ(Before(model, selection, job),
                std::vector<uint32_t>(expected[job].begin(), expected[job].end()))
          << seed;
      edges += expected[job].size();
    }
    // The graph of groups has all of them, none backwards.
    for (const GroupBy by : {GroupBy::kLevels, GroupBy::kWorker, GroupBy::kCodelet}) {
      GraphQuery query;
      query.selection = &selection;
      query.nesting = {by};
      const GraphView view = ViewGraph(model, Topology(model), query);
      uint64_t counted = view.dependencies_inside;
      for (const GraphEdge& edge : view.edges) {
        EXPECT_LT(edge.from, edge.to) << seed;
        counted += edge.count;
      }
      EXPECT_EQ(counted, edges) << seed;
    }
  }
}

}  // namespace
}  // namespace tasklens
