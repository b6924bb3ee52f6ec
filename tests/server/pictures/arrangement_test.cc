// SPDX-License-Identifier: Apache-2.0
// Pictures that stand by themselves: everything can be seen, and nothing lies on anything else.
#include "server/pictures/arrangement.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/graph_browser.h"
#include "tests/testing/test_trace.h"

namespace tasklens {
namespace {

using testing::TestTrace;

// Each task by itself.
GraphPicture PictureOf(const TraceModel& model, GraphPlacement placement) {
  const TaskSelection selection(model, false);
  GraphQuery query;
  query.nesting.clear();
  query.selection = &selection;
  const Topology topology(model);
  const GraphView view = ViewGraph(model, topology, query);
  GraphPicture picture = PaintView(view, TaskColours(model, ColourBy::kCodelet), {});
  EXPECT_TRUE(Place(model, placement, picture).ok());
  return picture;
}

// Two workers with tasks of 10 ns, one right after the other, and one task of 1 ms.
TraceModel ShortTasks() {
  TestTrace trace;
  trace.Worker("CPU0").Worker("CPU1");
  for (int i = 0; i < 30; ++i) trace.Task("short", 10 * i, 10 * (i + 1), {.worker = 0});
  for (int i = 0; i < 30; ++i) trace.Task("other", 10 * i, 10 * (i + 1), {.worker = 1});
  return trace.Task("long", 300, 1'000'300, {.worker = 0}).Build();
}

void ExpectNothingOverlaps(const GraphPicture& picture) {
  for (size_t i = 0; i < picture.nodes.size(); ++i) {
    const GraphGlyph& a = picture.nodes[i];
    EXPECT_GE(a.x - a.width / 2, -1e-6);
    EXPECT_LE(a.x + a.width / 2, picture.width + 1e-6);
    EXPECT_LE(a.y + a.height / 2, picture.height + 1e-6);
    for (size_t j = 0; j < i; ++j) {
      const GraphGlyph& b = picture.nodes[j];
      const bool is_beside = std::abs(a.x - b.x) >= (a.width + b.width) / 2 - 1e-6;
      const bool is_below = std::abs(a.y - b.y) >= (a.height + b.height) / 2 - 1e-6;
      EXPECT_TRUE(is_beside || is_below) << i << " and " << j;
    }
  }
}

TEST(StretchTime, ShowsTheColourOfTheShortestTask) {
  const TraceModel model = ShortTasks();
  GraphPicture picture = PictureOf(model, GraphPlacement::kTime);
  StretchTime(model, picture);
  for (const GraphGlyph& glyph : picture.nodes) EXPECT_GE(glyph.width, 8) << glyph.node.label;
  ExpectNothingOverlaps(picture);
}

TEST(StretchTime, KeepsTheOrderOfTime) {
  const TraceModel model = ShortTasks();
  GraphPicture picture = PictureOf(model, GraphPlacement::kTime);
  StretchTime(model, picture);
  for (const GraphGlyph& a : picture.nodes)
    for (const GraphGlyph& b : picture.nodes) {
      const double left_a = a.x - a.width / 2, left_b = b.x - b.width / 2;
      if (a.node.start_ns < b.node.start_ns) {
        EXPECT_LT(left_a, left_b);
      }
      if (a.node.start_ns == b.node.start_ns && a.node.end_ns == b.node.end_ns) {
        EXPECT_DOUBLE_EQ(a.x, b.x);
      }
    }
}

TEST(StretchTime, GivesEachWorkerARow) {
  const TraceModel model = ShortTasks();
  GraphPicture picture = PictureOf(model, GraphPlacement::kTime);
  const std::vector<Lane> lanes = picture.lanes;
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_EQ(lanes[0].name, "CPU0");
  EXPECT_EQ(lanes[1].name, "CPU1");
  for (const GraphGlyph& glyph : picture.nodes)
    EXPECT_DOUBLE_EQ(glyph.y, lanes[model.tasks.worker[glyph.node.task]].y);
}

TEST(StretchTime, NamesNoRowsBesideGroups) {
  const TraceModel model = ShortTasks();
  GraphPicture picture = PictureOf(model, GraphPlacement::kTime);
  picture.nodes.front().node.task = kNone;
  StretchTime(model, picture);
  EXPECT_TRUE(picture.lanes.empty());
  ExpectNothingOverlaps(picture);
}

TEST(StretchTime, TakesAPictureWithoutTimes) {
  const TraceModel model = TestTrace().Worker("CPU0").Build();
  GraphPicture empty;
  empty.placement = GraphPlacement::kTime;
  StretchTime(model, empty);
  EXPECT_TRUE(empty.lanes.empty());
  GraphPicture never;
  never.width = 100;
  never.nodes.resize(3);
  StretchTime(model, never);
  ExpectNothingOverlaps(never);
}

// A chain of `tasks`.
TraceModel Chain(int tasks) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int i = 0; i < tasks; ++i) trace.Task("step", i, i + 1);
  for (int i = 1; i < tasks; ++i) trace.Dep(i, i + 1);
  return trace.Build();
}

TEST(BreakIntoBands, MakesALongLineFitAScreen) {
  GraphPicture picture = PictureOf(Chain(120), GraphPlacement::kLevels);
  Magnify(picture);
  EXPECT_GT(picture.width, 10 * picture.height);
  const Bands bands = BreakIntoBands(picture);
  EXPECT_LT(picture.width, 3 * picture.height);
  EXPECT_GT(picture.width, picture.height);
  ExpectNothingOverlaps(picture);
  // The next task is to the right, or in the next band.
  for (size_t i = 1; i < picture.nodes.size(); ++i) {
    const uint32_t before = bands.of_node[i - 1], band = bands.of_node[i];
    EXPECT_TRUE(band == before || band == before + 1);
    EXPECT_EQ(picture.nodes[i].x > picture.nodes[i - 1].x, band == before);
  }
}

TEST(BreakIntoBands, TakesCurvesAlong) {
  GraphPicture picture = PictureOf(Chain(120), GraphPlacement::kGraphviz);
  const Bands bands = BreakIntoBands(picture);
  EXPECT_LT(picture.width, 3 * picture.height);
  ExpectNothingOverlaps(picture);
  size_t curves = 0;
  for (const GraphCurve& edge : picture.edges) {
    EXPECT_EQ(edge.points.empty(), bands.of_node[edge.from] != bands.of_node[edge.to]);
    if (edge.points.empty()) continue;
    ++curves;
    const GraphGlyph& from = picture.nodes[edge.from];
    EXPECT_NEAR(edge.points.front().x, from.x + from.width / 2, 2);
    EXPECT_NEAR(edge.points.front().y, from.y, 2);
  }
  EXPECT_GT(curves, 50u);
}

TEST(BreakIntoBands, MakesColumnsOfWhatIsHigh) {
  TestTrace trace;
  trace.Worker("CPU0");
  for (int i = 0; i < 90; ++i) trace.Task("alone", i, i + 1);
  GraphPicture picture = PictureOf(trace.Build(), GraphPlacement::kGraphviz);
  EXPECT_GT(picture.height, 10 * picture.width);
  BreakIntoBands(picture);
  EXPECT_LT(picture.height, 2 * picture.width);
  EXPECT_LT(picture.width, 4 * picture.height);
  ExpectNothingOverlaps(picture);
}

TEST(BreakIntoBands, LeavesWhatFits) {
  GraphPicture picture = PictureOf(Chain(8), GraphPlacement::kLevels);
  Magnify(picture);
  const double width = picture.width;
  BreakIntoBands(picture);
  EXPECT_EQ(picture.width, width);
}

TEST(BreakIntoBands, DoesNotBreakANode) {
  GraphPicture picture = PictureOf(Chain(120), GraphPlacement::kLevels);
  Magnify(picture);
  GraphGlyph frame = picture.nodes[60];
  frame.width = picture.width / 2;
  picture.frames.push_back(frame);
  BreakIntoBands(picture);
  EXPECT_GE(picture.width, frame.width);
  for (const GraphGlyph& glyph : picture.frames) {
    EXPECT_GE(glyph.x - glyph.width / 2, 0);
    EXPECT_LE(glyph.x + glyph.width / 2, picture.width);
  }
}

}  // namespace
}  // namespace tasklens
