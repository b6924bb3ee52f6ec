// SPDX-License-Identifier: Apache-2.0
// First resolves each tag to tags with tasks; then chooses the tasks.
#include "analysis/tag_links.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/execution_order.h"
#include "analysis/joined_dependencies.h"
#include "analysis/lists.h"

namespace tasklens {
namespace {

using Rows = std::vector<uint32_t>;

// For tags without tasks: the tags with tasks that they depend on.
class Behind {
 public:
  Behind(const TagTable& tags, const Lists<uint32_t>& tasks)
      : tasks_(tasks),
        before_(ListsBySecond(tags.size(), tags.deps)),
        after_(ListsOf(tags.size(), tags.deps)) {
    // Processes tags without tasks, their dependencies first; tags in a cycle are never reached.
    std::unordered_map<uint32_t, size_t> waiting;
    Rows ready;
    for (uint32_t tag = 0; tag < tags.size(); ++tag) {
      if (!tasks_[tag].empty() || after_[tag].empty()) continue;
      const auto before = before_[tag];
      const auto count = static_cast<size_t>(std::count_if(
          before.begin(), before.end(), [&](uint32_t row) { return tasks_[row].empty(); }));
      if (count == 0) ready.push_back(tag);
      waiting[tag] = count;
    }
    for (size_t i = 0; i < ready.size(); ++i) {
      const uint32_t tag = ready[i];
      Rows rows = Of(tag);
      if (rows.size() * after_[tag].size() <= JoinedDependencies::kMostJoins)
        found_[tag] = std::move(rows);
      for (const uint32_t next : after_[tag])
        if (const auto it = waiting.find(next); it != waiting.end() && --it->second == 0)
          ready.push_back(next);
    }
  }

  // Returns the dependencies of `tag`, without duplicates.
  Rows Of(uint32_t tag) const {
    Rows rows;
    for (const uint32_t before : before_[tag]) {
      if (!tasks_[before].empty()) {
        rows.push_back(before);
      } else if (const auto it = found_.find(before); it != found_.end()) {
        rows.insert(rows.end(), it->second.begin(), it->second.end());
      }
    }
    SortAndMakeUnique(rows);
    return rows;
  }

 private:
  const Lists<uint32_t>& tasks_;
  const Lists<uint32_t> before_, after_;
  std::unordered_map<uint32_t, Rows> found_;
};

}  // namespace

TagLinks::TagLinks(const TraceModel& model) {
  if (model.tags.deps.empty() || model.tags.owners.empty()) return;
  const TaskTable& table = model.tasks;
  Lists<uint32_t> tasks = ListsOf(model.tags.size(), model.tags.owners);
  // Sorted by end; tasks that did not run come last.
  const auto ends_earlier = [&](uint32_t a, uint32_t b) {
    const bool a_ran = Executed(table, a), b_ran = Executed(table, b);
    return a_ran != b_ran ? a_ran : a_ran && table.end_ns[a] < table.end_ns[b];
  };
  for (size_t tag = 0; tag < tasks.size(); ++tag)
    std::stable_sort(tasks.items.begin() + tasks.offsets[tag],
                     tasks.items.begin() + tasks.offsets[tag + 1], ends_earlier);
  const Behind behind(model.tags, tasks);
  // Returns the one of the tasks with a tag for which `task` waited.
  const auto meant = [&](std::span<const uint32_t> had, uint32_t task) {
    if (had.size() == 1 || !Executed(table, task)) return had.front();
    const auto later = std::partition_point(had.begin(), had.end(), [&](uint32_t row) {
      return Executed(table, row) && table.end_ns[row] <= table.start_ns[task];
    });
    return later == had.begin() ? had.front() : *(later - 1);
  };
  std::vector<RowPair> links;  // before, after
  for (uint32_t tag = 0; tag < model.tags.size(); ++tag) {
    if (tasks[tag].empty()) continue;
    const Rows waits_for = behind.Of(tag);
    for (const uint32_t task : tasks[tag])
      for (const uint32_t other : waits_for)
        if (const uint32_t before_task = meant(tasks[other], task); before_task != task)
          links.push_back({before_task, task});
  }
  SortAndMakeUnique(links);
  after = ListsOf(table.size(), links);
  before = ListsBySecond(table.size(), links);
}

}  // namespace tasklens
