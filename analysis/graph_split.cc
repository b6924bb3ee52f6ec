// SPDX-License-Identifier: Apache-2.0
// Splits by key in stages, by intervals of levels, by runs of tasks.
#include "analysis/graph_split.h"

#include <algorithm>

#include "analysis/statistics.h"
#include "analysis/sum.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

// Groups of one key in several stages get the number of the stage in their labels. `index`: (stage,
// key) to part.
void NumberStages(std::vector<GraphSet>& parts,
                  const std::unordered_map<uint64_t, uint32_t>& index) {
  std::unordered_map<uint32_t, uint32_t> stages;  // by key: its number of stages
  for (const auto& [stage_and_key, part] : index) ++stages[static_cast<uint32_t>(stage_and_key)];
  for (const auto& [stage_and_key, part] : index)
    if (stages[static_cast<uint32_t>(stage_and_key)] > 1)
      parts[part].node.label += ", stage " + CountText((stage_and_key >> 32) + 1);
}

}  // namespace

std::vector<GraphSet> GraphSplitter::Split(const GraphSet& set, size_t room) {
  for (size_t depth = set.depth; depth < query_.nesting.size(); ++depth) {
    std::vector<GraphSet> parts = ByKey(set, query_.nesting[depth], depth + 1, room);
    if (parts.size() > room) break;
    if (parts.size() > 1) return parts;
  }
  if (set.depth >= query_.nesting.size() && set.members.size() <= room) return Tasks(set);
  const std::vector<GraphSet> parts = ByLevels(set, std::min<size_t>(room, kIntervals), set.depth);
  if (parts.size() > 1) return parts;
  return Runs(set, std::min<size_t>(room, kIntervals));
}

GraphSet GraphSplitter::Whole() const {
  GraphSet set;
  const auto is_shown = [&](uint32_t task) {
    return query_.selection ? query_.selection->is_shown[task] != 0 : !model_.tasks.hidden[task];
  };
  if (query_.only) {
    for (const uint32_t task : *query_.only)
      if (is_shown(task)) set.members.push_back(task);
    std::sort(set.members.begin(), set.members.end(),
              [&](uint32_t a, uint32_t b) { return topology_.place[a] < topology_.place[b]; });
    set.members.erase(std::unique(set.members.begin(), set.members.end()), set.members.end());
    return set;
  }
  set.members.reserve(topology_.order.size());
  for (const uint32_t task : topology_.order)
    if (is_shown(task)) set.members.push_back(task);
  return set;
}

void GraphSplitter::Describe(GraphSet& set) const {
  GraphNode& node = set.node;
  const TaskTable& tasks = model_.tasks;
  // A group of one task says less than the task itself.
  if (set.members.size() == 1) BecomeTask(node, set.members.front());
  node.tasks = set.members.size();
  node.first_task = set.members.front();
  node.first_level = kNone;
  node.last_level = 0;
  node.total_ns = 0;
  node.start_ns = node.end_ns = kNever;
  node.one_name = true;
  for (const uint32_t task : set.members) {
    node.one_name &= tasks.name[task] == tasks.name[node.first_task];
    node.first_level = std::min(node.first_level, topology_.level[task]);
    node.last_level = std::max(node.last_level, topology_.level[task]);
    const int64_t start_ns = tasks.start_ns[task], end_ns = tasks.end_ns[task];
    if (start_ns == kNever || end_ns == kNever) continue;
    AddNs(node.total_ns, tasks.RunNs(task));
    node.start_ns = node.start_ns == kNever ? start_ns : std::min(node.start_ns, start_ns);
    node.end_ns = std::max(node.end_ns, end_ns);
  }
  node.can_open = node.task == kNone;
}

uint64_t GraphSplitter::KeyOf(GroupBy by, uint32_t task) const {
  const TaskTable& tasks = model_.tasks;
  switch (by) {
    case GroupBy::kIteration:
      return static_cast<uint64_t>(tasks.iteration[task]) << 32 |
             static_cast<uint32_t>(tasks.subiteration[task]);
    case GroupBy::kCodelet: return tasks.name[task];
    case GroupBy::kSite: return tasks.site[task];
    case GroupBy::kWorker: return tasks.worker[task];
    case GroupBy::kLevels: return topology_.level[task];
    case GroupBy::kData:
      for (const TaskAccess& access : model_.accesses[task])
        if (access.mode & (kAccessWrite | kAccessRedux)) return access.handle;
      return kNone;
  }
  return 0;
}

std::string GraphSplitter::KeyLabel(GroupBy by, uint32_t task) const {
  const TaskTable& tasks = model_.tasks;
  switch (by) {
    case GroupBy::kIteration: {
      if (tasks.iteration[task] < 0) return "no iteration";
      std::string label = "iteration " + std::to_string(tasks.iteration[task]);
      if (tasks.subiteration[task] >= 0) label += "." + std::to_string(tasks.subiteration[task]);
      return label;
    }
    case GroupBy::kCodelet: return std::string(model_.TaskNameOf(task));
    case GroupBy::kSite: return StatisticsLabel(model_, StatisticsBy::kSite, tasks.site[task]);
    case GroupBy::kWorker: {
      const uint32_t worker = tasks.worker[task];
      return worker >= model_.workers.size() ? "no worker"
                                             : std::string(model_.str(model_.workers.name[worker]));
    }
    case GroupBy::kData: {
      const auto handle = static_cast<uint32_t>(KeyOf(GroupBy::kData, task));
      if (handle >= model_.handles.size()) return "no data written";
      const std::string_view name = model_.str(model_.handles.name[handle]);
      return name.empty() ? "data " + std::to_string(handle) : std::string(name);
    }
    case GroupBy::kLevels: return "level " + std::to_string(topology_.level[task]);
  }
  return "";
}

std::vector<GraphSet> GraphSplitter::ByKey(const GraphSet& set, GroupBy by, size_t depth,
                                           size_t room) {
  if (by == GroupBy::kLevels) return ByLevels(set, kIntervals, depth);
  if (part_.empty()) {
    stage_.resize(model_.tasks.size());
    key_.resize(model_.tasks.size());
    part_.resize(model_.tasks.size(), kNone);
  }
  const uint32_t mark = ++marks_;
  std::unordered_map<uint64_t, uint32_t> numbers;
  std::vector<GraphSet> parts;
  std::unordered_map<uint64_t, uint32_t> index;  // (stage, key) to part
  for (const uint32_t task : set.members) {
    if (Stopped(stop_, task)) return parts;
    const uint32_t key =
        numbers.try_emplace(KeyOf(by, task), static_cast<uint32_t>(numbers.size())).first->second;
    uint32_t stage = 0;
    dependencies_.ForEachBefore(model_, task, [&](uint32_t before) {
      if (part_[before] != mark || !topology_.Forward(before, task)) return;
      stage = std::max(stage, stage_[before] + (key_[before] > key));
    });
    part_[task] = mark;
    key_[task] = key;
    stage_[task] = stage;
    const auto [it, is_new] = index.try_emplace(uint64_t{stage} << 32 | key, parts.size());
    if (is_new) {
      if (parts.size() > room) return parts;
      parts.emplace_back();
      GraphSet& part = parts.back();
      part.depth = depth;
      part.node.parent = set.node.id;
      part.node.label = KeyLabel(by, task);
      part.node.id = set.node.id + "/" + std::string(GroupByName(by)) + "." +
                     std::to_string(stage) + "." + std::to_string(key);
    }
    parts[it->second].members.push_back(task);
  }
  // Stages of a codelet are recognisable as steps of the algorithm; the stages of a worker need
  // numbers.
  if (by == GroupBy::kWorker) NumberStages(parts, index);
  SortByStageAndKey(parts, index);
  return parts;
}

void GraphSplitter::SortByStageAndKey(std::vector<GraphSet>& parts,
                                      const std::unordered_map<uint64_t, uint32_t>& index) const {
  std::vector<std::pair<uint64_t, uint32_t>> order(index.begin(), index.end());
  std::sort(order.begin(), order.end());
  std::vector<GraphSet> sorted;
  sorted.reserve(parts.size());
  for (const auto& [stage_and_key, part] : order) sorted.push_back(std::move(parts[part]));
  parts = std::move(sorted);
}

std::vector<GraphSet> GraphSplitter::ByLevels(const GraphSet& set, size_t most,
                                              size_t depth) const {
  uint32_t low = kNone, high = 0;
  for (const uint32_t task : set.members) {
    low = std::min(low, topology_.level[task]);
    high = std::max(high, topology_.level[task]);
  }
  const uint64_t span = uint64_t{high} - low + 1, count = std::min<uint64_t>(span, most);
  std::vector<GraphSet> intervals(count);
  for (const uint32_t task : set.members)
    intervals[(topology_.level[task] - low) * count / span].members.push_back(task);
  std::vector<GraphSet> parts;
  for (uint64_t i = 0; i < count; ++i) {
    if (intervals[i].members.empty()) continue;
    GraphSet& part = parts.emplace_back(std::move(intervals[i]));
    const uint64_t first = low + (i * span + count - 1) / count;
    const uint64_t last = low + ((i + 1) * span + count - 1) / count - 1;
    part.depth = depth;
    part.node.parent = set.node.id;
    part.node.id = set.node.id + "/levels." + std::to_string(first) + "-" + std::to_string(last);
    part.node.label = first == last
                          ? "level " + std::to_string(first)
                          : "levels " + std::to_string(first) + " to " + std::to_string(last);
  }
  return parts;
}

std::vector<GraphSet> GraphSplitter::Runs(const GraphSet& set, size_t most) const {
  const size_t count = std::min(most, set.members.size());
  if (count < 2) return {};
  if (count == set.members.size()) return Tasks(set);
  std::vector<GraphSet> parts(count);
  for (size_t i = 0; i < set.members.size(); ++i)
    parts[i * count / set.members.size()].members.push_back(set.members[i]);
  uint64_t first = 1;
  for (GraphSet& part : parts) {
    const uint64_t last = first + part.members.size() - 1;
    part.depth = set.depth;
    part.node.parent = set.node.id;
    part.node.id = set.node.id + "/run." + std::to_string(first) + "-" + std::to_string(last);
    part.node.label = "tasks " + CountText(first) + " to " + CountText(last);
    first = last + 1;
  }
  return parts;
}

std::vector<GraphSet> GraphSplitter::Tasks(const GraphSet& set) const {
  std::vector<GraphSet> parts(set.members.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i].members = {set.members[i]};
    parts[i].node.parent = set.node.id;
    BecomeTask(parts[i].node, set.members[i]);
  }
  return parts;
}

size_t GraphSplitter::RankDigits(const TraceModel& model) {
  const std::vector<uint32_t>& ranks = model.ranks.rank;
  if (ranks.size() <= 1) return 0;
  return std::to_string(*std::max_element(ranks.begin(), ranks.end())).size();
}

void GraphSplitter::BecomeTask(GraphNode& node, uint32_t task) const {
  node.task = task;
  // As in dag.dot: "task_12"; with several ranks "task_03_12".
  node.id = "task_" + std::to_string(model_.tasks.job[task]);
  if (rank_digits_ > 0) {
    std::string rank = std::to_string(model_.ranks.rank[model_.tasks.rank_index[task]]);
    node.id.insert(5, std::string(rank_digits_ - rank.size(), '0') + rank + "_");
  }
  node.label = std::string(model_.TaskNameOf(task));
}

}  // namespace tasklens
