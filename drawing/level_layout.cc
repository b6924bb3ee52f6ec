// SPDX-License-Identifier: Apache-2.0
// Levels by longest path; order within a level by the mean position of the predecessors.
#include "drawing/level_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace tasklens {
namespace {

constexpr double kColumnWidth = kWidestNode + 60;
constexpr double kRowHeight = kNodeHeight + 12;

// Nodes grouped by level; no level is empty.
struct Levels {
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> first{0};  // of each level in `nodes`, and the end

  size_t size() const { return first.size() - 1; }
  std::span<uint32_t> operator[](size_t level) {
    return {nodes.data() + first[level], first[level + 1] - first[level]};
  }
};

// Computes the level of each node.
class LevelFinder {
 public:
  explicit LevelFinder(const LevelGraph& nodes) : nodes_(nodes), level_(nodes.size(), kUnknown) {
    for (uint32_t node = 0; node < nodes.size(); ++node)
      if (nodes.IsShown(node)) Find(node);
    for (uint32_t& level : level_)
      if (level == kInCycle) level = deepest_ + 1;
  }

  Levels Group() const {
    std::vector<uint32_t> next(deepest_ + 3, 0);
    for (const uint32_t level : level_)
      if (level != kUnknown) ++next[level + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    Levels levels;
    for (size_t end = 1; end < next.size(); ++end)
      if (next[end] > levels.first.back()) levels.first.push_back(next[end]);
    levels.nodes.resize(next.back());
    for (uint32_t node = 0; node < level_.size(); ++node)
      if (level_[node] != kUnknown) levels.nodes[next[level_[node]]++] = node;
    return levels;
  }

 private:
  static constexpr uint32_t kUnknown = 0xffffffff;
  static constexpr uint32_t kOpen = 0xfffffffe;     // its predecessors are being visited
  static constexpr uint32_t kInCycle = 0xfffffffd;  // or after one

  // Depth first, without recursion: a node is met a second time when all its predecessors are
  // known, except those that depend on it.
  void Find(uint32_t first) {
    todo_.push_back(first);
    while (!todo_.empty()) {
      const uint32_t node = todo_.back();
      if (level_[node] != kUnknown && level_[node] != kOpen) {
        todo_.pop_back();
        continue;
      }
      const bool again = level_[node] == kOpen;
      level_[node] = kOpen;
      uint32_t level = 0;
      bool in_cycle = false, complete = true;
      before_.clear();
      nodes_.AppendBefore(node, before_);
      for (const uint32_t before : before_) {
        const uint32_t of_before = level_[before];
        if (of_before == kUnknown && !again) {
          complete = false;
          todo_.push_back(before);
        } else if (of_before >= kInCycle) {
          in_cycle = true;
        } else {
          level = std::max(level, of_before + 1);
        }
      }
      if (!complete) continue;
      todo_.pop_back();
      level_[node] = in_cycle ? kInCycle : level;
      if (!in_cycle) deepest_ = std::max(deepest_, level);
    }
  }

  const LevelGraph& nodes_;
  std::vector<uint32_t> level_, todo_, before_;
  uint32_t deepest_ = 0;
};

}  // namespace

LevelLayout PlaceByLevel(const LevelGraph& graph) {
  Levels levels = LevelFinder(graph).Group();

  const size_t most_rows =
      std::max<size_t>(16, static_cast<size_t>(2 * std::sqrt(levels.nodes.size())));
  size_t tallest = 0;
  for (size_t i = 0; i < levels.size(); ++i)
    tallest = std::max(tallest, std::min(levels[i].size(), most_rows));
  const double middle = static_cast<double>(tallest) * kRowHeight / 2;

  LevelLayout layout;
  std::vector<LevelLayout::Place>& at = layout.at;
  at.resize(graph.size());
  std::vector<uint32_t> before;
  std::vector<std::pair<double, uint32_t>> wishes;  // wanted position of each node of a level
  double x = kColumnWidth / 2;
  for (size_t number = 0; number < levels.size(); ++number) {
    wishes.clear();
    for (const uint32_t node : levels[number]) {
      double sum = 0;
      size_t count = 0;
      before.clear();
      graph.AppendBefore(node, before);
      for (const uint32_t from : before) {
        if (at[from].x == 0) continue;  // not placed yet: part of a cycle
        sum += at[from].y;
        ++count;
      }
      wishes.emplace_back(count > 0 ? sum / static_cast<double>(count) : middle, node);
    }
    std::sort(wishes.begin(), wishes.end());
    const size_t columns = (wishes.size() + most_rows - 1) / most_rows;
    const size_t rows = (wishes.size() + columns - 1) / columns;
    const double top = middle - static_cast<double>(rows) * kRowHeight / 2 + kRowHeight / 2;
    for (size_t i = 0; i < wishes.size(); ++i) {
      // Row by row, so that the order from top to bottom is that of the wanted positions.
      at[wishes[i].second] = {
          static_cast<float>(x + static_cast<double>(i % columns) * kColumnWidth),
          static_cast<float>(top + static_cast<double>(i / columns) * kRowHeight)};
    }
    x += static_cast<double>(columns) * kColumnWidth;
  }

  layout.width = x - kColumnWidth / 2;
  layout.height = 2 * middle;
  return layout;
}

}  // namespace tasklens
