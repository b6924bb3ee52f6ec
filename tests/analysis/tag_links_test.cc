// SPDX-License-Identifier: Apache-2.0
#include "analysis/tag_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/critical_path.h"
#include "analysis/graph_view.h"
#include "analysis/last_dependencies.h"
#include "analysis/topology.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TestTrace;

// The jobs that `job` waits for by its tag.
std::vector<uint64_t> Before(const TraceModel& model, uint64_t job) {
  const TagLinks links(model);
  std::vector<uint64_t> jobs;
  for (const uint32_t row : links.before[model.FindTask(0, job)])
    jobs.push_back(model.tasks.job[row]);
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

// Jobs 1 to 3 with the tags 11 to 13.
TestTrace ThreeTags() {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  trace.Task("a", 0, 10, {.tag = 11}).Task("b", 0, 20, {.worker = 1, .tag = 12});
  trace.Task("c", 25, 30, {.tag = 13});
  return trace;
}
TestTrace& Waits(TestTrace& trace, uint64_t child, uint64_t father) {
  return trace.Event(0, EventKind::kTagDep, {child, father});
}

TEST(TagLinks, LeadFromTheTasksOfTheTagsThatATagWaitsFor) {
  TestTrace trace = ThreeTags();
  Waits(Waits(trace, 13, 11), 13, 12);
  const TraceModel model = trace.Build();
  EXPECT_THAT(Before(model, 3), ElementsAre(1, 2));
  EXPECT_THAT(Before(model, 1), IsEmpty());
  const TagLinks links(model);
  EXPECT_THAT(links.after[model.FindTask(0, 2)], ElementsAre(model.FindTask(0, 3)));
}

TEST(TagLinks, LeadThroughTagsThatNoTaskHad) {
  TestTrace trace = ThreeTags();
  Waits(Waits(Waits(Waits(trace, 13, 99), 99, 98), 98, 11), 99, 12);
  EXPECT_THAT(Before(trace.Build(), 3), ElementsAre(1, 2));
}

TEST(TagLinks, EndInCirclesThatADamagedTraceClaims) {
  TestTrace trace = ThreeTags();
  Waits(Waits(Waits(Waits(trace, 13, 99), 99, 98), 98, 99), 98, 11);
  EXPECT_THAT(Before(trace.Build(), 3), IsEmpty());
}

// A tag may be used again, by one task after the other.
TEST(TagLinks, MeanTheLastTaskThatEndedBefore) {
  TestTrace trace;
  trace.Worker("CPU0");
  trace.Task("a", 0, 10, {.tag = 11}).Task("b", 12, 14, {.tag = 12});
  trace.Task("a", 20, 30, {.tag = 11}).Task("b", 32, 34, {.tag = 12});
  Waits(trace, 12, 11);
  const TraceModel model = trace.Build();
  EXPECT_THAT(Before(model, 2), ElementsAre(1));
  EXPECT_THAT(Before(model, 4), ElementsAre(3));
}

TEST(TagLinks, AreDependenciesForEveryAnalysis) {
  TestTrace trace = ThreeTags();
  Waits(trace, 13, 12);
  const TraceModel model = trace.Build();
  const uint32_t b = model.FindTask(0, 2), c = model.FindTask(0, 3);
  const CriticalPath path = ObservedCriticalPath(model);
  ASSERT_EQ(path.steps.size(), 2u);
  EXPECT_EQ(path.steps[0].task, b);
  EXPECT_EQ(path.steps[1].hold, Hold::kDependency);
  EXPECT_EQ(LastDependencies(model).Of(c), b);
  EXPECT_THAT(LastDependencies(model).ChainOf(c), ElementsAre(c, b));
  EXPECT_THAT(LongestDependencyChain(model).tasks, ElementsAre(b, c));
  EXPECT_EQ(SlackNs(model)[b], 5);
  const Topology topology(model);
  EXPECT_EQ(topology.level[c], 1u);
  const TaskSelection selection(model, false);
  GraphQuery query;
  query.selection = &selection;
  query.nesting.clear();
  EXPECT_EQ(ViewGraph(model, topology, query).edges.size(), 1u);
}

}  // namespace
}  // namespace tasklens
