// SPDX-License-Identifier: Apache-2.0
// Packs intervals of levels or of time into rows.
#include "drawing/graph_boxes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace tasklens {
namespace {

// With more nodes than this, a level gets a second column.
constexpr uint32_t kHighest = 12;
// The space of a frame for its title, and below the last row.
constexpr double kTitle = 0.16, kFoot = 0.04;

// The area of a frame that its parts share.
GraphBox Inside(const GraphBox& frame) {
  return {frame.x, frame.y + frame.height * kTitle, frame.width,
          frame.height * (1 - kTitle - kFoot)};
}

// A part of a frame: a node, or an inner frame, which is placed where its first node would be.
struct Part {
  uint32_t first;  // index of that node
  const NodeOfRun* node;
  GraphBox* box;
};
using Parts = std::vector<Part>;

// The range of levels in the picture.
struct Levels {
  uint32_t first = kNone, last = 0;

  explicit Levels(const Parts& whole) {
    for (const Part& part : whole) {
      first = std::min(first, part.node->first_level);
      last = std::max(last, part.node->last_level);
    }
  }
};

// Sets `columns` to the number of columns side by side.
std::vector<Interval> LevelsOf(const Parts& parts, const Levels& whole, uint32_t& columns) {
  std::map<uint32_t, uint32_t> of_level, seen;  // nodes within one level
  std::set<uint32_t> begins;
  for (const Part& part : parts) {
    if (part.node->first_level == part.node->last_level) ++of_level[part.node->first_level];
    begins.insert(part.node->first_level);
  }
  // Rounded, so that an end and a beginning at the same place are the same number.
  const double levels = static_cast<double>(whole.last) - whole.first + 1;
  const auto share = [&](double level) { return std::round(level / levels * 1e12) / 1e12; };
  uint32_t most_columns = 1;
  std::vector<Interval> intervals;
  for (const auto& [first, node, box] : parts) {
    double begin = node->first_level - whole.first;
    double end = node->last_level - whole.first + 1.;
    if (node->first_level == node->last_level && of_level[node->first_level] > kHighest) {
      // Nodes of one level do not depend on each other, so their order is free.
      const auto across = static_cast<uint32_t>(
          std::ceil(std::sqrt(of_level[node->first_level] / static_cast<double>(kHighest))));
      const double column = seen[node->first_level]++ % across;
      begin += column / across;
      end = begin + 1. / across;
      most_columns = std::max(most_columns, across);
    }
    intervals.push_back({share(begin), share(end)});
  }
  columns = static_cast<uint32_t>(begins.size()) * most_columns;
  return intervals;
}

std::vector<Interval> TimesOf(const Parts& parts) {
  std::vector<Interval> intervals;
  for (const Part& part : parts) intervals.push_back(part.node->time);
  return intervals;
}

// Sets `row_of` for each of `items`, which are indices of `intervals`: the lowest row from
// `first_row` on that is free. Returns the first unused row.
uint32_t PackRows(const std::vector<Interval>& intervals, std::vector<uint32_t> items,
                  uint32_t first_row, std::vector<uint32_t>& row_of) {
  std::stable_sort(items.begin(), items.end(),
                   [&](uint32_t a, uint32_t b) { return intervals[a].begin < intervals[b].begin; });
  std::set<uint32_t> free;
  using End = std::pair<double, uint32_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  uint32_t next = first_row;
  for (const uint32_t item : items) {
    for (; !ends.empty() && ends.top().first <= intervals[item].begin; ends.pop())
      free.insert(ends.top().second);
    if (free.empty()) free.insert(next++);
    row_of[item] = *free.begin();
    free.erase(free.begin());
    ends.emplace(intervals[item].end, row_of[item]);
  }
  return next;
}

}  // namespace

GraphBoxes BoxesOf(BoxesBy by, std::span<const NodeOfRun> nodes,
                   std::span<const NodeOfRun> frames) {
  GraphBoxes boxes;
  boxes.nodes.resize(nodes.size());
  boxes.frames.resize(frames.size());
  std::vector<Parts> parts_of(frames.size() + 1);  // the last: nodes without a frame
  const auto add = [&](uint32_t first, const NodeOfRun& node, GraphBox& box) {
    parts_of[std::min<size_t>(node.frame, frames.size())].push_back({first, &node, &box});
  };
  std::vector<uint32_t> first_of(frames.size(), kNone);
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    add(i, nodes[i], boxes.nodes[i]);
    for (uint32_t f = nodes[i].frame; f != kNone && first_of[f] == kNone; f = frames[f].frame)
      first_of[f] = i;
  }
  for (uint32_t f = 0; f < frames.size(); ++f) add(first_of[f], frames[f], boxes.frames[f]);

  const Levels levels(parts_of.back());
  const auto place = [&](Parts& parts, const GraphBox& inside) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.first < b.first; });
    uint32_t rows = 0, columns = 0;
    const std::vector<Interval> intervals =
        by == BoxesBy::kTime ? TimesOf(parts) : LevelsOf(parts, levels, columns);
    std::map<uint32_t, std::vector<uint32_t>> lanes;
    for (uint32_t i = 0; i < parts.size(); ++i)
      lanes[by == BoxesBy::kTime ? parts[i].node->worker : 0].push_back(i);
    std::vector<uint32_t> row_of(parts.size());
    for (auto& [lane, items] : lanes) rows = PackRows(intervals, std::move(items), rows, row_of);
    if (&parts == &parts_of.back())
      std::tie(boxes.rows, boxes.columns) = std::pair(std::max(rows, 1u), columns);
    for (size_t i = 0; i < parts.size(); ++i)
      *parts[i].box = {intervals[i].begin, inside.y + inside.height * row_of[i] / rows,
                       intervals[i].end - intervals[i].begin, inside.height / rows};
  };
  place(parts_of.back(), GraphBox());
  for (size_t f = 0; f < frames.size(); ++f) place(parts_of[f], Inside(boxes.frames[f]));
  return boxes;
}

}  // namespace tasklens
