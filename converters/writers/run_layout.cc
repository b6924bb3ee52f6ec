// SPDX-License-Identifier: Apache-2.0
// Levels by longest path, order within a level by the mean position of the predecessors.
#include "converters/writers/run_layout.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>

namespace tasklens {
namespace {

constexpr double kColumnWidth = kWidestNode + 60;
constexpr double kRowHeight = kNodeHeight + 12;

using Arrow = std::pair<uint32_t, uint32_t>;  // nodes: first the tasks, then tags, then messages

// The arrows between nodes. A tag hangs behind the task that owns it, and in front of the tasks
// whose tags depend on it; in the drawn graph tag and owner point at each other.
std::vector<Arrow> Arrows(const TraceModel& model, const TaskGraph& graph) {
  std::vector<uint32_t> node_of_task(model.tasks.size(), kNone);
  for (uint32_t i = 0; i < graph.tasks.size(); ++i) node_of_task[graph.tasks[i]] = i;
  const uint32_t first_tag = static_cast<uint32_t>(graph.tasks.size());
  const uint32_t first_message = first_tag + static_cast<uint32_t>(model.tags.size());
  std::vector<Arrow> arrows;
  arrows.reserve(graph.edges.size() + 2 * model.tags.deps.size() + model.tags.owners.size());
  for (const TaskGraphEdge& edge : graph.edges)
    arrows.push_back({node_of_task[edge.from], node_of_task[edge.to]});
  std::vector<uint32_t> owner(model.tags.size(), kNone);
  for (const auto& [tag, task] : model.tags.owners) {
    if (node_of_task[task] == kNone) continue;
    owner[tag] = node_of_task[task];
    arrows.push_back({owner[tag], first_tag + tag});
  }
  for (const auto& [father, child] : model.tags.deps)
    arrows.push_back(
        {first_tag + father, owner[child] == kNone ? first_tag + child : owner[child]});
  for (uint32_t i = 0; i < graph.messages.size(); ++i) {
    arrows.push_back({node_of_task[graph.messages[i].from], first_message + i});
    arrows.push_back({first_message + i, node_of_task[graph.messages[i].to]});
  }
  return arrows;
}

// Both directions of the arrows as lists.
struct Neighbours {
  std::vector<uint32_t> first, items;
  Neighbours(const std::vector<Arrow>& arrows, uint32_t nodes, bool forward)
      : first(nodes + 1, 0), items(arrows.size()) {
    const auto key = [&](const Arrow& a) { return forward ? a.first : a.second; };
    for (const Arrow& a : arrows) ++first[key(a) + 1];
    for (uint32_t i = 0; i < nodes; ++i) first[i + 1] += first[i];
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    for (const Arrow& a : arrows) items[next[key(a)]++] = forward ? a.second : a.first;
  }
  std::span<const uint32_t> operator[](uint32_t node) const {
    return {items.data() + first[node], first[node + 1] - first[node]};
  }
};

// Nodes grouped by level, none of which is empty. Nodes behind a cycle come last.
struct Levels {
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> first{0};  // of each level in `nodes`, and the end

  size_t size() const { return first.size() - 1; }
  std::span<uint32_t> operator[](size_t level) {
    return {nodes.data() + first[level], first[level + 1] - first[level]};
  }
};

Levels LevelsOf(const Neighbours& after, const Neighbours& before, uint32_t nodes) {
  std::vector<uint32_t> waits(nodes), level(nodes, 0), order;
  order.reserve(nodes);
  for (uint32_t node = 0; node < nodes; ++node) {
    waits[node] = static_cast<uint32_t>(before[node].size());
    if (waits[node] == 0) order.push_back(node);
  }
  uint32_t deepest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    for (const uint32_t next : after[order[i]]) {
      level[next] = std::max(level[next], level[order[i]] + 1);
      deepest = std::max(deepest, level[next]);
      if (--waits[next] == 0) order.push_back(next);
    }
  }
  for (uint32_t node = 0; node < nodes; ++node)
    if (waits[node] != 0) level[node] = deepest + 1;
  std::vector<uint32_t>().swap(waits);
  std::vector<uint32_t> next(deepest + 3, 0);
  for (const uint32_t of_node : level) ++next[of_node + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  Levels levels;
  for (size_t end = 1; end < next.size(); ++end)
    if (next[end] > levels.first.back()) levels.first.push_back(next[end]);
  levels.nodes = std::move(order);
  levels.nodes.resize(nodes);
  for (uint32_t node = 0; node < nodes; ++node) levels.nodes[next[level[node]]++] = node;
  return levels;
}

}  // namespace

RunLayout LayoutByRun(const TraceModel& model, const TaskGraph& graph) {
  const uint32_t nodes =
      static_cast<uint32_t>(graph.tasks.size() + model.tags.size() + graph.messages.size());
  std::vector<Arrow> arrows = Arrows(model, graph);
  const Neighbours before(arrows, nodes, /*forward=*/false);
  auto after = std::make_unique<Neighbours>(arrows, nodes, /*forward=*/true);
  std::vector<Arrow>().swap(arrows);
  Levels levels = LevelsOf(*after, before, nodes);
  after.reset();

  const size_t most_rows = std::max<size_t>(16, static_cast<size_t>(2 * std::sqrt(nodes)));
  size_t tallest = 0;
  for (size_t i = 0; i < levels.size(); ++i)
    tallest = std::max(tallest, std::min(levels[i].size(), most_rows));
  const double middle = static_cast<double>(tallest) * kRowHeight / 2;

  std::vector<RunLayout::Point> at(nodes);
  std::vector<double> wish(nodes, middle);
  double x = kColumnWidth / 2;
  for (size_t number = 0; number < levels.size(); ++number) {
    const std::span<uint32_t> level = levels[number];
    for (const uint32_t node : level) {
      double sum = 0;
      size_t count = 0;
      for (const uint32_t from : before[node]) {
        if (at[from].x == 0) continue;  // not placed yet: part of a cycle
        sum += at[from].y;
        ++count;
      }
      if (count > 0) wish[node] = sum / static_cast<double>(count);
    }
    std::stable_sort(level.begin(), level.end(),
                     [&](uint32_t a, uint32_t b) { return wish[a] < wish[b]; });
    const size_t columns = (level.size() + most_rows - 1) / most_rows;
    const size_t rows = (level.size() + columns - 1) / columns;
    const double top = middle - static_cast<double>(rows) * kRowHeight / 2 + kRowHeight / 2;
    for (size_t i = 0; i < level.size(); ++i) {
      // Row by row, so that the order by wish stays the order from top to bottom.
      at[level[i]] = {x + static_cast<double>(i % columns) * kColumnWidth,
                      top + static_cast<double>(i / columns) * kRowHeight};
    }
    x += static_cast<double>(columns) * kColumnWidth;
  }

  RunLayout layout;
  layout.width = x - kColumnWidth / 2;
  layout.height = 2 * middle;
  const auto part = [&](size_t first, size_t count) {
    const auto begin = at.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<RunLayout::Point>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  layout.tags = part(graph.tasks.size(), model.tags.size());
  layout.messages = part(graph.tasks.size() + model.tags.size(), graph.messages.size());
  at.resize(graph.tasks.size());
  layout.tasks = std::move(at);
  return layout;
}

}  // namespace tasklens
