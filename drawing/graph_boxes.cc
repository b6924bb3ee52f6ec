// SPDX-License-Identifier: Apache-2.0
// Intervals of levels or of time into rows.
#include "drawing/graph_boxes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

namespace tasklens {
namespace {

// Above so many nodes of one level it gets a second column.
constexpr uint32_t kHighest = 12;
// The narrowest node of a picture by time, as a share of the picture and of its frame.
constexpr double kNarrowest = 1. / 2000, kNarrowestOfFrame = 1. / 20;
// What a frame keeps for its title, and below the last row.
constexpr double kTitle = 0.16, kFoot = 0.04;

// The part of a frame that its parts share.
GraphBox Inside(const GraphBox& frame) {
  return {frame.x, frame.y + frame.height * kTitle, frame.width,
          frame.height * (1 - kTitle - kFoot)};
}

// A part of a frame: a node, or a frame in its turn, which stands where the first node in it does.
struct Part {
  uint32_t first;  // index of that node
  const NodeOfRun* node;
  GraphBox* box;
};
using Parts = std::vector<Part>;

// Which levels and times the picture spans.
struct Span {
  uint32_t first_level = kNone, last_level = 0;
  int64_t start_ns = kNever, end_ns = kNever;

  explicit Span(const Parts& whole) {
    for (const Part& part : whole) {
      const NodeOfRun& node = *part.node;
      first_level = std::min(first_level, node.first_level);
      last_level = std::max(last_level, node.last_level);
      if (node.start_ns == kNever) continue;
      start_ns = start_ns == kNever ? node.start_ns : std::min(start_ns, node.start_ns);
      end_ns = std::max(end_ns, node.end_ns);
    }
  }
};

// Sets `columns` to how many stand side by side.
std::vector<Interval> LevelsOf(const Parts& parts, const Span& span, uint32_t& columns) {
  std::map<uint32_t, uint32_t> of_level, seen;  // nodes that lie in this level alone
  std::set<uint32_t> begins;
  for (const Part& part : parts) {
    if (part.node->first_level == part.node->last_level) ++of_level[part.node->first_level];
    begins.insert(part.node->first_level);
  }
  // Ends that are begins of others must be the same number.
  const double levels = static_cast<double>(span.last_level) - span.first_level + 1;
  const auto share = [&](double level) { return std::round(level / levels * 1e12) / 1e12; };
  uint32_t most_columns = 1;
  std::vector<Interval> intervals;
  for (const auto& [first, node, box] : parts) {
    double begin = node->first_level - span.first_level;
    double end = node->last_level - span.first_level + 1.;
    if (node->first_level == node->last_level && of_level[node->first_level] > kHighest) {
      // Nodes of one level do not depend on each other: any order will do.
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

std::vector<Interval> TimesOf(const Parts& parts, const Span& span, const GraphBox& inside) {
  const auto begin_ns = static_cast<double>(span.start_ns);
  const double length_ns = std::max(1., static_cast<double>(span.end_ns) - begin_ns);
  const double narrowest = std::min(kNarrowest, inside.width * kNarrowestOfFrame);
  const double inside_end = inside.x + inside.width;
  std::vector<Interval> intervals;
  for (const Part& part : parts) {
    // What never ran stands at the end.
    double begin = inside_end, end = inside_end;
    if (part.node->start_ns != kNever) {
      begin = (static_cast<double>(part.node->start_ns) - begin_ns) / length_ns;
      end = (static_cast<double>(part.node->end_ns) - begin_ns) / length_ns;
    }
    begin = std::clamp(begin, inside.x, inside_end - narrowest);
    intervals.push_back({begin, std::clamp(end, begin + narrowest, inside_end)});
  }
  return intervals;
}

}  // namespace

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

GraphBoxes BoxesOf(BoxesBy by, std::span<const NodeOfRun> nodes,
                   std::span<const NodeOfRun> frames) {
  GraphBoxes boxes;
  boxes.nodes.resize(nodes.size());
  boxes.frames.resize(frames.size());
  std::vector<Parts> parts_of(frames.size() + 1);  // the last: of no frame
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

  const Span span(parts_of.back());
  const auto place = [&](Parts& parts, const GraphBox& inside) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.first < b.first; });
    uint32_t rows = 0, columns = 0;
    const std::vector<Interval> intervals =
        by == BoxesBy::kTime ? TimesOf(parts, span, inside) : LevelsOf(parts, span, columns);
    std::map<uint32_t, std::vector<uint32_t>> lanes;
    for (uint32_t i = 0; i < parts.size(); ++i)
      lanes[by == BoxesBy::kTime ? parts[i].node->worker : 0].push_back(i);
    std::vector<uint32_t> row_of(parts.size());
    for (auto& [lane, items] : lanes) rows = PackRows(intervals, std::move(items), rows, row_of);
    if (&parts == &parts_of.back()) {
      boxes.rows = std::max(rows, 1u);
      boxes.columns = by == BoxesBy::kLevel
                          ? columns
                          : static_cast<uint32_t>((parts.size() + boxes.rows - 1) / boxes.rows);
    }
    for (size_t i = 0; i < parts.size(); ++i)
      *parts[i].box = {intervals[i].begin, inside.y + inside.height * row_of[i] / rows,
                       intervals[i].end - intervals[i].begin, inside.height / rows};
  };
  place(parts_of.back(), GraphBox());
  for (size_t f = 0; f < frames.size(); ++f) place(parts_of[f], Inside(boxes.frames[f]));
  return boxes;
}

}  // namespace tasklens
