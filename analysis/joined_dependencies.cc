// SPDX-License-Identifier: Apache-2.0
// First finds the shown tasks before each hidden task, predecessors first; then the edges.
#include "analysis/joined_dependencies.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "analysis/lists.h"
#include "analysis/task_links.h"

namespace tasklens {
namespace {

using Rows = std::vector<uint32_t>;

// The shown tasks before hidden tasks, computed once for each of them.
class Behind {
 public:
  Behind(const TraceModel& model, const TaskLinks& links, std::vector<uint8_t>& is_shown)
      : model_(model),
        links_(links),
        is_shown_(is_shown),
        left_(model.tasks.size() + model.predecessors.items.size()),
        found_(model.tasks.size(), kNone) {}

  // Computes them for `start` and all hidden tasks before it. REQUIRES: `start` is hidden.
  void Find(uint32_t start) {
    if (!Begin(start)) return;
    way_.push_back({start, 0});
    // Without recursion: a chain of hidden tasks may be as long as the trace.
    while (!way_.empty()) {
      const size_t next = way_.back().next++;
      const auto before = model_.predecessors[way_.back().row];
      const auto linked = links_.before[way_.back().row];
      if (next == before.size() + linked.size()) {
        Close(way_.back().row);
        way_.pop_back();
        continue;
      }
      const uint32_t row = next < before.size() ? before[next].task : linked[next - before.size()];
      // In a cycle, a task that was begun already counts as empty.
      if (!is_shown_[row] && Begin(row)) way_.push_back({row, 0});
    }
  }

  // Returns the tasks joined to `task` as predecessors, ascending, without its own predecessors;
  // valid until the next call. REQUIRES: Find() was called for all hidden tasks before it that have
  // dependencies.
  const Rows& Of(uint32_t task) {
    rows_.clear();
    const auto add_behind = [&](uint32_t row) {
      if (is_shown_[row] || found_[row] == kNone) return;
      const auto [first, last] = lists_[found_[row]];
      rows_.insert(rows_.end(), pool_.begin() + first, pool_.begin() + last);
    };
    for (const DepEnd& dep : model_.predecessors[task]) add_behind(dep.task);
    for (const uint32_t row : links_.before[task]) {
      add_behind(row);
      if (is_shown_[row]) rows_.push_back(row);
    }
    if (rows_.empty()) return rows_;
    SortAndMakeUnique(rows_);
    own_.assign(1, task);
    for (const DepEnd& dep : model_.predecessors[task]) own_.push_back(dep.task);
    std::sort(own_.begin(), own_.end());
    const auto is_own = [&](uint32_t row) {
      return std::binary_search(own_.begin(), own_.end(), row);
    };
    std::erase_if(rows_, is_own);
    return rows_;
  }

  bool empty() const { return lists_.empty(); }
  std::vector<uint32_t> TakeWorthSeeing() {
    std::sort(worth_seeing_.begin(), worth_seeing_.end());
    return std::move(worth_seeing_);
  }

 private:
  struct Visit {
    uint32_t row;
    size_t next;  // index of its next predecessor
  };

  // Returns false if `row` was begun before.
  bool Begin(uint32_t row) {
    if (found_[row] != kNone) return false;
    found_[row] = static_cast<uint32_t>(lists_.size());
    lists_.push_back({0, 0});
    return true;
  }

  void Close(uint32_t row) {
    Of(row);
    for (const DepEnd& dep : model_.predecessors[row])
      if (is_shown_[dep.task]) rows_.push_back(dep.task);
    SortAndMakeUnique(rows_);
    const size_t after = model_.successors[row].size() + links_.after[row].size();
    const size_t edges = rows_.size() * after;
    if (edges > JoinedDependencies::kMostJoins) {
      if (edges > left_) {
        is_shown_[row] = 1;
        worth_seeing_.push_back(row);
        return;
      }
      left_ -= edges;
    }
    if (after == 0) return;
    lists_[found_[row]] = {pool_.size(), pool_.size() + rows_.size()};
    pool_.insert(pool_.end(), rows_.begin(), rows_.end());
  }

  const TraceModel& model_;
  const TaskLinks& links_;
  std::vector<uint8_t>& is_shown_;
  size_t left_;                  // edges that tasks above kMostJoins may still become
  std::vector<uint32_t> found_;  // per row: its index in lists_; kNone: not begun
  std::vector<std::pair<size_t, size_t>> lists_;  // ranges of pool_
  Rows pool_, worth_seeing_;
  Rows rows_, own_;         // of the last Of()
  std::vector<Visit> way_;  // empty between calls
};

}  // namespace

JoinedDependencies::JoinedDependencies(const TraceModel& model, std::vector<uint8_t>& is_shown,
                                       Stop stop) {
  const auto count = static_cast<uint32_t>(is_shown.size());
  const TaskLinks links(model);
  Behind behind(model, links, is_shown);
  for (uint32_t task = 0; task < count; ++task) {
    if (Stopped(stop, task)) return;
    const bool waits = !model.predecessors[task].empty() || !links.before[task].empty();
    const bool leads = !model.successors[task].empty() || !links.after[task].empty();
    if (!is_shown[task] && waits && leads) behind.Find(task);
  }
  worth_seeing_ = behind.TakeWorthSeeing();
  if (behind.empty() && links.empty()) return;
  std::vector<RowPair> joined;  // after, before
  for (uint32_t task = 0; task < count; ++task) {
    if (Stopped(stop, task)) return;
    if (!is_shown[task]) continue;
    for (const uint32_t before : behind.Of(task)) joined.push_back({task, before});
  }
  if (joined.empty()) return;
  before_ = ListsOf(count, joined);
  after_ = ListsBySecond(count, joined);
}

}  // namespace tasklens
