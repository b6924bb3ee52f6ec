// SPDX-License-Identifier: Apache-2.0
// A finder that is asked again and again finds what a new one does, and what the graph shows.
#include "analysis/group_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "analysis/graph_browser.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

// Tasks of three codelets, ten iterations and four lines, each waiting for some before it.
TraceModel RandomProgram(uint32_t seed) {
  std::mt19937 random(seed);
  TestTrace trace;
  trace.Worker("CPU0");
  for (uint32_t i = 0; i < 300; ++i) {
    trace.Task("c" + std::to_string(random() % 3), i * 10, i * 10 + 5,
               {.submit_ns = 0,
                .file = "program.c",
                .line = 1 + static_cast<uint32_t>(random() % 4),
                .iteration = static_cast<int32_t>(i / 30)});
    for (uint32_t d = 0; d < 2 && i > 0; ++d) trace.Dep(1 + random() % i, i + 1);
  }
  return trace.Build();
}

std::vector<std::string> Ids(const std::vector<const GraphSet*>& way) {
  std::vector<std::string> ids;
  for (const GraphSet* group : way) ids.push_back(group->node.id);
  return ids;
}

TEST(GroupFinder, FindsTheSameAgainAndInAnyOrder) {
  for (uint32_t seed = 0; seed < 5; ++seed) {
    const TraceModel model = RandomProgram(seed);
    const Topology topology(model);
    for (const uint32_t max_nodes : {2000u, 40u}) {
      GraphQuery query;
      query.nesting = {GroupBy::kIteration, GroupBy::kCodelet, GroupBy::kSite};
      query.max_nodes = max_nodes;
      GroupFinder asked_again(model, topology, query);
      std::mt19937 random(seed);
      for (int round = 0; round < 100; ++round) {
        const auto task = static_cast<uint32_t>(random() % model.tasks.size());
        const std::vector<const GraphSet*> way = asked_again.Around(task);
        GroupFinder fresh(model, topology, query);
        const std::vector<std::string> ids = Ids(way);
        ASSERT_EQ(ids, Ids(fresh.Around(task)));
        for (const GraphSet* group : way)
          ASSERT_NE(std::find(group->members.begin(), group->members.end(), task),
                    group->members.end());
        for (size_t i = 0; i < ids.size(); ++i) {
          const std::vector<const GraphSet*> to_group = asked_again.WayTo(ids[i]);
          ASSERT_EQ(Ids(to_group),
                    std::vector<std::string>(ids.begin(),
                                             ids.begin() + static_cast<std::ptrdiff_t>(i) + 1));
        }
      }
    }
  }
}

TEST(GroupFinder, LeadsToWhatTheGraphShowsWhenTheseAreOpened) {
  const TraceModel model = RandomProgram(7);
  const Topology topology(model);
  GraphQuery query;
  GroupFinder finder(model, topology, query);
  for (const uint32_t task : {0u, 150u, 299u}) {
    query.open = Ids(finder.Around(task));
    const GraphView view = ViewGraph(model, topology, query);
    EXPECT_TRUE(std::any_of(view.nodes.begin(), view.nodes.end(), [&](const GraphNode& node) {
      return node.task == task;
    })) << task;
  }
}

TEST(GroupFinder, HasNoWayToWhatIsNotThere) {
  const TraceModel model = RandomProgram(7);
  const Topology topology(model);
  GroupFinder finder(model, topology, GraphQuery());
  EXPECT_TRUE(finder.WayTo("/nothing").empty());
  EXPECT_TRUE(finder.WayTo("").empty());
  const std::vector<std::string> ids = Ids(finder.Around(150));
  ASSERT_FALSE(ids.empty());
  EXPECT_EQ(Ids(finder.WayTo(ids.front() + "/nothing")), std::vector<std::string>{ids.front()});
}

}  // namespace
}  // namespace tasklens
