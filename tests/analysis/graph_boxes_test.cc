// SPDX-License-Identifier: Apache-2.0
// Coordinates from the run: nothing overlaps, nothing moves, edges lead to the right.
#include "analysis/graph_boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "analysis/graph_browser.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

constexpr double kRounding = 1e-9;

// Some 60 tasks of three codelets on three workers, one after another, with random dependencies.
TraceModel RandomTasks(uint32_t seed) {
  std::mt19937 random(seed);
  TestTrace trace;
  for (const char* name : {"CPU0", "CPU1", "CPU2"}) trace.Worker(name);
  const char* names[] = {"a", "b", "c"};
  int64_t free_ns[3] = {};
  const uint32_t tasks = 20 + random() % 40;
  for (uint32_t task = 0; task < tasks; ++task) {
    const uint32_t worker = random() % 3;
    int64_t& now_ns = free_ns[worker];
    const int64_t start_ns = now_ns + random() % 5;
    now_ns = start_ns + random() % 50;
    trace.Task(names[random() % 3], start_ns, now_ns,
               {.worker = worker, .iteration = static_cast<int32_t>(task / 8)});
    for (uint32_t before = task > 10 ? task - 10 : 0; before < task; ++before)
      if (random() % 4 == 0) trace.Dep(before + 1, task + 1);
  }
  return trace.Build();
}

bool Overlap(const GraphBox& a, const GraphBox& b) {
  return a.x + a.width > b.x + kRounding && b.x + b.width > a.x + kRounding &&
         a.y + a.height > b.y + kRounding && b.y + b.height > a.y + kRounding;
}

bool Inside(const GraphBox& inner, const GraphBox& outer) {
  return inner.x >= outer.x - kRounding && inner.y >= outer.y - kRounding &&
         inner.x + inner.width <= outer.x + outer.width + kRounding &&
         inner.y + inner.height <= outer.y + outer.height + kRounding;
}

void ExpectGoodPlaces(const GraphView& view, GraphBox GraphNode::*box) {
  std::map<std::string, GraphBox> frames{{"", GraphBox()}};
  for (const GraphNode& frame : view.frames) frames[frame.id] = frame.*box;
  for (size_t i = 0; i < view.nodes.size(); ++i) {
    const GraphNode& node = view.nodes[i];
    EXPECT_TRUE(Inside(node.*box, frames.at(node.parent))) << node.id;
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(Overlap(node.*box, view.nodes[j].*box)) << node.id << " " << view.nodes[j].id;
  }
}

TEST(GraphPlacer, KeepsNodesApartAndInsideTheirFrames) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const TraceModel model = RandomTasks(seed);
    const Topology topology(model);
    std::mt19937 random(seed);
    GraphQuery query;
    if (seed % 3 == 1) query.nesting = {GroupBy::kWorker};
    if (seed % 3 == 2) query.nesting = {};
    GraphBrowser browser(model, topology, query);
    for (int step = 0; step < 6; ++step) {
      const GraphView view = browser.View();
      ExpectGoodPlaces(view, &GraphNode::by_level);
      ExpectGoodPlaces(view, &GraphNode::by_time);
      browser.Open(view.nodes[random() % view.nodes.size()].id);
    }
  }
}

TEST(GraphPlacer, LetsDependenciesOfTasksLeadToTheRight) {
  const TraceModel model = RandomTasks(1);
  const GraphView view = ViewGraph(model, Topology(model), {.nesting = {}});
  ASSERT_FALSE(view.edges.empty());
  for (const GraphEdge& edge : view.edges) {
    const GraphBox &from = view.nodes[edge.from].by_level, &to = view.nodes[edge.to].by_level;
    EXPECT_LE(from.x + from.width, to.x + kRounding);
  }
}

TEST(GraphPlacer, PutsTasksIntoTheRowOfTheirWorkerAtTheirTime) {
  const TraceModel model = TestTrace()
                               .Worker("CPU0")
                               .Worker("CPU1")
                               .Task("a", 0, 50)
                               .Task("b", 0, 100, {.worker = 1})
                               .Task("c", 50, 100)
                               .Build();
  const GraphView view = ViewGraph(model, Topology(model), {.nesting = {}});
  ASSERT_EQ(view.nodes.size(), 3u);
  const GraphBox &a = view.nodes[0].by_time, &b = view.nodes[1].by_time, &c = view.nodes[2].by_time;
  EXPECT_EQ(a.y, c.y);
  EXPECT_LT(a.y, b.y);
  EXPECT_DOUBLE_EQ(a.x, 0);
  EXPECT_DOUBLE_EQ(a.width, 0.5);
  EXPECT_DOUBLE_EQ(b.width, 1);
  EXPECT_DOUBLE_EQ(c.x, 0.5);
}

TEST(GraphPlacer, SpreadsManyTasksOfOneLevelOverColumns) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int task = 0; task < 300; ++task) trace.Task("t", task, task + 1);
  const TraceModel model = trace.Build();
  const GraphView view = ViewGraph(model, Topology(model), {.nesting = {}});
  EXPECT_LE(view.level_rows, 100u);
  EXPECT_GE(view.level_columns * view.level_rows, 300u);
  ExpectGoodPlaces(view, &GraphNode::by_level);
}

TEST(GraphPlacer, PlacesTasksThatNeverRan) {
  // Nothing but a dependency mentions task 2.
  const TraceModel model = TestTrace().Worker("CPU0").Task("a", 0, 50).Dep(1, 2).Build();
  const GraphView view = ViewGraph(model, Topology(model), {.nesting = {}});
  ASSERT_EQ(view.nodes.size(), 2u);
  ExpectGoodPlaces(view, &GraphNode::by_time);
}

}  // namespace
}  // namespace tasklens
