// SPDX-License-Identifier: Apache-2.0
// First what is shown behind each hidden task, its own predecessors before it; then the edges.
#include "analysis/joined_dependencies.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "analysis/lists.h"
#include "analysis/task_links.h"

namespace tasklens {
namespace {

using Rows = std::vector<uint32_t>;

// What is shown behind hidden tasks, looked up once for each of them.
class Behind {
 public:
  Behind(const TraceModel& model, const TaskLinks& links, std::vector<uint8_t>& is_shown)
      : model_(model),
        links_(links),
        is_shown_(is_shown),
        left_(model.tasks.size() + model.predecessors.items.size()) {}

  // Finds it for `start` and all that is hidden behind it. REQUIRES: `start` is hidden.
  void Find(uint32_t start) {
    if (!found_.try_emplace(start).second) return;
    struct Visit {
      uint32_t row;
      size_t next;  // of its predecessors
    };
    // No recursion: a chain of hidden tasks may be as long as the trace.
    std::vector<Visit> way{{start, 0}};
    while (!way.empty()) {
      const size_t next = way.back().next++;
      const auto before = model_.predecessors[way.back().row];
      const auto linked = links_.before[way.back().row];
      if (next == before.size() + linked.size()) {
        Close(way.back().row);
        way.pop_back();
        continue;
      }
      const uint32_t row = next < before.size() ? before[next].task : linked[next - before.size()];
      // In a circle what was begun counts as nothing.
      if (!is_shown_[row] && found_.try_emplace(row).second) way.push_back({row, 0});
    }
  }

  // The tasks joined to `task` from before it, ascending, without its own predecessors.
  // REQUIRES: found for all hidden ones before it that wait for anything.
  Rows Of(uint32_t task) const {
    Rows rows;
    const auto add_behind = [&](uint32_t row) {
      if (const auto it = found_.find(row); it != found_.end() && !is_shown_[row])
        rows.insert(rows.end(), it->second.begin(), it->second.end());
    };
    for (const DepEnd& dep : model_.predecessors[task]) add_behind(dep.task);
    for (const uint32_t row : links_.before[task]) {
      add_behind(row);
      if (is_shown_[row]) rows.push_back(row);
    }
    if (rows.empty()) return rows;
    Rows own{task};
    for (const DepEnd& dep : model_.predecessors[task]) own.push_back(dep.task);
    std::sort(own.begin(), own.end());
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    Rows joined;
    std::set_difference(rows.begin(), rows.end(), own.begin(), own.end(),
                        std::back_inserter(joined));
    return joined;
  }

  bool empty() const { return found_.empty(); }
  std::vector<uint32_t> TakeWorthSeeing() {
    std::sort(worth_seeing_.begin(), worth_seeing_.end());
    return std::move(worth_seeing_);
  }

 private:
  void Close(uint32_t row) {
    Rows rows = Of(row);
    for (const DepEnd& dep : model_.predecessors[row])
      if (is_shown_[dep.task]) rows.push_back(dep.task);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const size_t after = model_.successors[row].size() + links_.after[row].size();
    const size_t edges = rows.size() * after;
    if (edges > JoinedDependencies::kMostJoins) {
      if (edges > left_) {
        is_shown_[row] = 1;
        worth_seeing_.push_back(row);
        return;
      }
      left_ -= edges;
    }
    if (after > 0) found_.at(row) = std::move(rows);
  }

  const TraceModel& model_;
  const TaskLinks& links_;
  std::vector<uint8_t>& is_shown_;
  std::unordered_map<uint32_t, Rows> found_;  // by hidden row
  size_t left_;                               // edges that those above kMostJoins may still become
  std::vector<uint32_t> worth_seeing_;
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
  for (auto& [after, before] : joined) std::swap(after, before);
  after_ = ListsOf(count, joined);
}

}  // namespace tasklens
