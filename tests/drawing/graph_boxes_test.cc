// SPDX-License-Identifier: Apache-2.0
// Coordinates from the run: nothing overlaps, nothing moves, edges lead to the right.
#include "drawing/graph_boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace tasklens {
namespace {

constexpr double kRounding = 1e-9;

bool Overlap(const GraphBox& a, const GraphBox& b) {
  return a.x + a.width > b.x + kRounding && b.x + b.width > a.x + kRounding &&
         a.y + a.height > b.y + kRounding && b.y + b.height > a.y + kRounding;
}

bool Inside(const GraphBox& inner, const GraphBox& outer) {
  return inner.x >= outer.x - kRounding && inner.y >= outer.y - kRounding &&
         inner.x + inner.width <= outer.x + outer.width + kRounding &&
         inner.y + inner.height <= outer.y + outer.height + kRounding;
}

struct Spans {
  std::vector<NodeOfRun> nodes, frames;
};

// Some 60 tasks on three workers; the second and the last third of them lie in a frame each, and a
// few of these in one within it.
Spans RandomSpans(uint32_t seed) {
  std::mt19937 random(seed);
  Spans run;
  const uint32_t count = 40 + random() % 40;
  for (uint32_t i = 0; i < count; ++i) {
    NodeOfRun node;
    node.first_level = node.last_level = i / 5 + random() % 3;
    node.worker = random() % 3;
    node.time.begin = (i * 20 + random() % 20) / 2000.;
    node.time.end = node.time.begin + (1 + random() % 50) / 2000.;
    node.frame = i * 3 < count ? kNone : i * 3 < 2 * count ? 0 : i + 6 > count ? 2 : 1;
    run.nodes.push_back(node);
  }
  run.frames.resize(3);
  run.frames[2].frame = 1;
  for (size_t f = run.frames.size(); f-- > 0;) {
    NodeOfRun& frame = run.frames[f];
    frame.first_level = kNone;
    frame.time.begin = 1;
    const auto hold = [&](const NodeOfRun& part) {
      frame.first_level = std::min(frame.first_level, part.first_level);
      frame.last_level = std::max(frame.last_level, part.last_level);
      frame.time.begin = std::min(frame.time.begin, part.time.begin);
      frame.time.end = std::max(frame.time.end, part.time.end);
    };
    for (const NodeOfRun& node : run.nodes)
      if (node.frame == f) hold(node);
    if (f == 1) hold(run.frames[2]);
  }
  return run;
}

void ExpectGoodPlaces(const Spans& run, const GraphBoxes& boxes) {
  const auto around = [&](uint32_t frame) {
    return frame == kNone ? GraphBox() : boxes.frames[frame];
  };
  for (size_t f = 0; f < run.frames.size(); ++f)
    EXPECT_TRUE(Inside(boxes.frames[f], around(run.frames[f].frame))) << f;
  for (size_t i = 0; i < run.nodes.size(); ++i) {
    EXPECT_TRUE(Inside(boxes.nodes[i], around(run.nodes[i].frame))) << i;
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(Overlap(boxes.nodes[i], boxes.nodes[j])) << i << " " << j;
  }
}

TEST(GraphBoxes, KeepNodesApartAndInsideTheirFrames) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Spans run = RandomSpans(seed);
    ExpectGoodPlaces(run, BoxesOf(BoxesBy::kLevel, run.nodes, run.frames));
    ExpectGoodPlaces(run, BoxesOf(BoxesBy::kTime, run.nodes, run.frames));
  }
}

TEST(GraphBoxes, StayWhereTheyAreWhenAFrameCloses) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Spans run = RandomSpans(seed);
    // The last frame of the whole becomes a node, in the place of its first.
    Spans closed;
    for (const NodeOfRun& node : run.nodes)
      if (node.frame == kNone || node.frame == 0) closed.nodes.push_back(node);
    const size_t kept = closed.nodes.size();
    closed.nodes.push_back(run.frames[1]);
    closed.frames = {run.frames[0]};
    for (const BoxesBy by : {BoxesBy::kLevel, BoxesBy::kTime}) {
      const GraphBoxes before = BoxesOf(by, run.nodes, run.frames);
      const GraphBoxes after = BoxesOf(by, closed.nodes, closed.frames);
      EXPECT_EQ(before.rows, after.rows);
      EXPECT_EQ(before.columns, after.columns);
      const auto expect_equal = [](const GraphBox& a, const GraphBox& b) {
        EXPECT_EQ(a.x, b.x);
        EXPECT_EQ(a.y, b.y);
        EXPECT_EQ(a.width, b.width);
        EXPECT_EQ(a.height, b.height);
      };
      for (size_t i = 0; i < kept; ++i) expect_equal(before.nodes[i], after.nodes[i]);
      expect_equal(before.frames[0], after.frames[0]);
      expect_equal(before.frames[1], after.nodes[kept]);
    }
  }
}

TEST(GraphBoxes, OfLaterLevelsStandFurtherRight) {
  const Spans run = RandomSpans(1);
  const GraphBoxes boxes = BoxesOf(BoxesBy::kLevel, run.nodes, run.frames);
  for (size_t i = 0; i < run.nodes.size(); ++i)
    for (size_t j = 0; j < run.nodes.size(); ++j) {
      if (run.nodes[i].last_level >= run.nodes[j].first_level) continue;
      EXPECT_LE(boxes.nodes[i].x + boxes.nodes[i].width, boxes.nodes[j].x + kRounding);
    }
}

TEST(GraphBoxes, OfTasksLieInTheRowOfTheirWorkerAtTheirTime) {
  const NodeOfRun nodes[] = {{.time = {0, 0.5}, .worker = 0},
                             {.time = {0, 1}, .worker = 1},
                             {.time = {0.5, 1}, .worker = 0}};
  const std::vector<GraphBox> boxes = BoxesOf(BoxesBy::kTime, nodes, {}).nodes;
  EXPECT_EQ(boxes[0].y, boxes[2].y);
  EXPECT_LT(boxes[0].y, boxes[1].y);
  EXPECT_DOUBLE_EQ(boxes[0].x, 0);
  EXPECT_DOUBLE_EQ(boxes[0].width, 0.5);
  EXPECT_DOUBLE_EQ(boxes[1].width, 1);
  EXPECT_DOUBLE_EQ(boxes[2].x, 0.5);
}

TEST(GraphBoxes, SpreadManyTasksOfOneLevelOverColumns) {
  const Spans run{std::vector<NodeOfRun>(300), {}};
  const GraphBoxes boxes = BoxesOf(BoxesBy::kLevel, run.nodes, run.frames);
  EXPECT_LE(boxes.rows, 100u);
  EXPECT_GE(boxes.columns * boxes.rows, 300u);
  ExpectGoodPlaces(run, boxes);
}

TEST(GraphBoxes, TakeNoNodes) {
  EXPECT_EQ(BoxesOf(BoxesBy::kLevel, {}, {}).rows, 1u);
  EXPECT_EQ(BoxesOf(BoxesBy::kTime, {}, {}).rows, 1u);
}

}  // namespace
}  // namespace tasklens
