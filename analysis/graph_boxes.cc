// SPDX-License-Identifier: Apache-2.0
// Intervals into rows, the lowest free row first.
#include "analysis/graph_boxes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <set>

namespace tasklens {
namespace {

struct Interval {
  double begin, end;
};

// Above so many nodes of one level it gets a second column.
constexpr uint32_t kHighest = 12;
// The narrowest node of a picture by time, as a share of the picture and of its frame.
constexpr double kNarrowest = 1. / 2000, kNarrowestOfFrame = 1. / 20;
// What a frame keeps for its title, and below the last row.
constexpr double kTitle = 0.16, kFoot = 0.04;

// Adds to `row_of` the row of each of `items`, which are indices of `intervals`, from `first_row`
// on; returns the first row that is not used.
uint32_t Pack(const std::vector<Interval>& intervals, std::vector<uint32_t> items,
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

std::vector<uint32_t> AllOf(size_t count) {
  std::vector<uint32_t> items(count);
  std::iota(items.begin(), items.end(), 0);
  return items;
}

// The part of a frame that its parts share.
GraphBox Inside(const GraphBox& frame) {
  return {frame.x, frame.y + frame.height * kTitle, frame.width,
          frame.height * (1 - kTitle - kFoot)};
}

GraphBox BoxOf(const Interval& interval, uint32_t row, uint32_t rows, const GraphBox& inside) {
  return {interval.begin, inside.y + inside.height * row / rows, interval.end - interval.begin,
          inside.height / rows};
}

}  // namespace

GraphPlacer::GraphPlacer(const GraphNode& whole)
    : first_level_(whole.first_level),
      levels_(static_cast<double>(whole.last_level) - whole.first_level + 1) {
  if (whole.start_ns == kNever) return;
  begin_ns_ = whole.start_ns;
  length_ns_ = std::max(1., static_cast<double>(whole.end_ns) - static_cast<double>(begin_ns_));
}

void GraphPlacer::Place(const TraceModel& model, std::span<GraphNode* const> parts,
                        const GraphNode& frame) {
  const bool is_whole = frame.id.empty();
  PlaceByLevel(parts, is_whole ? frame.by_level : Inside(frame.by_level));
  PlaceByTime(model, parts, is_whole ? frame.by_time : Inside(frame.by_time));
}

void GraphPlacer::PlaceByLevel(std::span<GraphNode* const> parts, const GraphBox& inside) {
  std::map<uint32_t, uint32_t> of_level;  // nodes that lie in this level alone
  std::set<uint32_t> begins;
  for (const GraphNode* node : parts) {
    if (node->first_level == node->last_level) ++of_level[node->first_level];
    begins.insert(node->first_level);
  }
  uint32_t most_columns = 1;
  std::vector<Interval> intervals;
  std::map<uint32_t, uint32_t> seen;
  for (const GraphNode* node : parts) {
    double begin = node->first_level - first_level_, end = node->last_level - first_level_ + 1.;
    if (node->first_level == node->last_level && of_level[node->first_level] > kHighest) {
      // Nodes of one level do not depend on each other: any order will do.
      const auto columns = static_cast<uint32_t>(
          std::ceil(std::sqrt(of_level[node->first_level] / static_cast<double>(kHighest))));
      const double column = seen[node->first_level]++ % columns;
      begin += column / columns;
      end = begin + 1. / columns;
      most_columns = std::max(most_columns, columns);
    }
    intervals.push_back({begin / levels_, end / levels_});
  }
  // Ends that are begins of others must be the same number.
  for (Interval& interval : intervals) {
    interval.begin = std::round(interval.begin * 1e12) / 1e12;
    interval.end = std::round(interval.end * 1e12) / 1e12;
  }
  std::vector<uint32_t> row_of(parts.size());
  const uint32_t rows = Pack(intervals, AllOf(parts.size()), 0, row_of);
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i]->by_level = BoxOf(intervals[i], row_of[i], rows, inside);
  level_grid_ = {std::max(rows, 1u), static_cast<uint32_t>(begins.size()) * most_columns};
}

void GraphPlacer::PlaceByTime(const TraceModel& model, std::span<GraphNode* const> parts,
                              const GraphBox& inside) {
  const double narrowest = std::min(kNarrowest, inside.width * kNarrowestOfFrame);
  const double inside_end = inside.x + inside.width;
  std::vector<Interval> intervals;
  std::map<uint32_t, std::vector<uint32_t>> of_worker;
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const GraphNode& node = *parts[i];
    // What never ran stands at the end.
    double begin = inside_end, end = inside_end;
    if (node.start_ns != kNever) {
      begin = (static_cast<double>(node.start_ns) - static_cast<double>(begin_ns_)) / length_ns_;
      end = (static_cast<double>(node.end_ns) - static_cast<double>(begin_ns_)) / length_ns_;
    }
    begin = std::clamp(begin, inside.x, inside_end - narrowest);
    intervals.push_back({begin, std::clamp(end, begin + narrowest, inside_end)});
    const uint32_t worker = node.task == kNone ? kNone : model.tasks.worker[node.task];
    of_worker[worker].push_back(i);
  }
  std::vector<uint32_t> row_of(parts.size());
  uint32_t rows = 0;
  for (auto& [worker, items] : of_worker) rows = Pack(intervals, items, rows, row_of);
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i]->by_time = BoxOf(intervals[i], row_of[i], rows, inside);
  rows = std::max(rows, 1u);
  time_grid_ = {rows, static_cast<uint32_t>((parts.size() + rows - 1) / rows)};
}

}  // namespace tasklens
