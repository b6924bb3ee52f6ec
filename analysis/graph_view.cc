// SPDX-License-Identifier: Apache-2.0
// Splits sets of tasks into groups, top down, as far as the query opens them.
#include "analysis/graph_view.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include "analysis/sum.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

constexpr std::string_view kGroupNames[] = {"iteration", "codelet", "site",
                                            "levels",    "data",    "worker"};

// A set of tasks on its way to become one node or many.
struct Set {
  GraphNode node;
  std::vector<uint32_t> members;  // in topological order
  size_t depth = 0;               // how much of the nesting was used on it
};

class Splitter {
 public:
  Splitter(const TraceModel& model, const Topology& topology, const GraphQuery& query)
      : model_(model),
        topology_(topology),
        query_(query),
        stage_(model.tasks.size()),
        key_(model.tasks.size()),
        part_(model.tasks.size(), kNone) {}

  // The parts of `set`: at most `room` of them, at least two, or none where it cannot be done.
  std::vector<Set> Split(const Set& set, size_t room) {
    for (size_t depth = set.depth; depth < query_.nesting.size(); ++depth) {
      std::vector<Set> parts = ByKey(set, query_.nesting[depth], depth + 1, room);
      if (parts.size() > room) break;
      if (parts.size() > 1) return parts;
    }
    if (set.depth >= query_.nesting.size() && set.members.size() <= room) return Tasks(set);
    const std::vector<Set> parts = ByLevels(set, std::min<size_t>(room, kIntervals), set.depth);
    if (parts.size() > 1) return parts;
    return Runs(set, std::min<size_t>(room, kIntervals));
  }

  Set Whole() const {
    Set set;
    set.members.reserve(topology_.order.size());
    for (const uint32_t task : topology_.order)
      if (!model_.tasks.hidden[task]) set.members.push_back(task);
    return set;
  }

  // Fills in what a node says about its members.
  void Describe(Set& set) const {
    GraphNode& node = set.node;
    const TaskTable& tasks = model_.tasks;
    // A group of one says less than the task itself.
    if (set.members.size() == 1) BecomeTask(node, set.members.front());
    node.tasks = set.members.size();
    node.first_task = set.members.front();
    node.first_level = kNone;
    for (const uint32_t task : set.members) {
      node.first_level = std::min(node.first_level, topology_.level[task]);
      node.last_level = std::max(node.last_level, topology_.level[task]);
      const int64_t start_ns = tasks.start_ns[task], end_ns = tasks.end_ns[task];
      if (start_ns == kNever || end_ns == kNever) continue;
      AddNs(node.total_ns, end_ns - start_ns);
      node.start_ns = node.start_ns == kNever ? start_ns : std::min(node.start_ns, start_ns);
      node.end_ns = std::max(node.end_ns, end_ns);
    }
    node.can_open = node.task == kNone;
  }

 private:
  static constexpr size_t kIntervals = 64;  // parts where we choose how many

  uint64_t KeyOf(GroupBy by, uint32_t task) const {
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

  std::string KeyLabel(GroupBy by, uint32_t task) const {
    const TaskTable& tasks = model_.tasks;
    switch (by) {
      case GroupBy::kIteration: {
        if (tasks.iteration[task] < 0) return "no iteration";
        std::string label = "iteration " + std::to_string(tasks.iteration[task]);
        if (tasks.subiteration[task] >= 0) label += "." + std::to_string(tasks.subiteration[task]);
        return label;
      }
      case GroupBy::kCodelet: return std::string(model_.TaskNameOf(task));
      case GroupBy::kSite: {
        const uint32_t site = tasks.site[task];
        if (site >= model_.sites.size()) return "no line";
        return std::string(model_.str(model_.sites.file[site])) + ":" +
               std::to_string(model_.sites.line[site]);
      }
      case GroupBy::kWorker: {
        const uint32_t worker = tasks.worker[task];
        return worker >= model_.workers.size()
                   ? "no worker"
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

  // Groups of equal key, in as many stages as it takes to have no cycle among them. Stops at
  // room + 1 parts: there may be as many as tasks.
  std::vector<Set> ByKey(const Set& set, GroupBy by, size_t depth, size_t room) {
    if (by == GroupBy::kLevels) return ByLevels(set, kIntervals, depth);
    const uint32_t mark = ++marks_;
    std::unordered_map<uint64_t, uint32_t> numbers;
    std::vector<Set> parts;
    std::unordered_map<uint64_t, uint32_t> index;  // (stage, key) to part
    for (const uint32_t task : set.members) {
      const uint32_t key =
          numbers.try_emplace(KeyOf(by, task), static_cast<uint32_t>(numbers.size())).first->second;
      uint32_t stage = 0;
      for (const DepEnd& dep : model_.predecessors[task]) {
        if (part_[dep.task] != mark || !topology_.Forward(dep.task, task)) continue;
        stage = std::max(stage, stage_[dep.task] + (key_[dep.task] > key));
      }
      part_[task] = mark;
      key_[task] = key;
      stage_[task] = stage;
      const auto [it, is_new] = index.try_emplace(uint64_t{stage} << 32 | key, parts.size());
      if (is_new) {
        if (parts.size() > room) return parts;
        parts.emplace_back();
        Set& part = parts.back();
        part.depth = depth;
        part.node.parent = set.node.id;
        part.node.label = KeyLabel(by, task);
        part.node.id = set.node.id + "/" + std::string(GroupByName(by)) + "." +
                       std::to_string(stage) + "." + std::to_string(key);
      }
      parts[it->second].members.push_back(task);
    }
    SortByStageAndKey(parts, index);
    return parts;
  }

  // Parts are met in topological order of their first member; edges go by (stage, key).
  void SortByStageAndKey(std::vector<Set>& parts,
                         const std::unordered_map<uint64_t, uint32_t>& index) const {
    std::vector<std::pair<uint64_t, uint32_t>> order(index.begin(), index.end());
    std::sort(order.begin(), order.end());
    std::vector<Set> sorted;
    sorted.reserve(parts.size());
    for (const auto& [stage_and_key, part] : order) sorted.push_back(std::move(parts[part]));
    parts = std::move(sorted);
  }

  // At most `most` intervals of the levels that `set` spans.
  std::vector<Set> ByLevels(const Set& set, size_t most, size_t depth) const {
    uint32_t low = kNone, high = 0;
    for (const uint32_t task : set.members) {
      low = std::min(low, topology_.level[task]);
      high = std::max(high, topology_.level[task]);
    }
    const uint64_t span = uint64_t{high} - low + 1, count = std::min<uint64_t>(span, most);
    std::vector<Set> intervals(count);
    for (const uint32_t task : set.members)
      intervals[(topology_.level[task] - low) * count / span].members.push_back(task);
    std::vector<Set> parts;
    for (uint64_t i = 0; i < count; ++i) {
      if (intervals[i].members.empty()) continue;
      Set& part = parts.emplace_back(std::move(intervals[i]));
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

  // Runs of tasks. REQUIRES: all of one level, so that no order among them is wrong.
  std::vector<Set> Runs(const Set& set, size_t most) const {
    const size_t count = std::min(most, set.members.size());
    if (count < 2) return {};
    if (count == set.members.size()) return Tasks(set);
    std::vector<Set> parts(count);
    for (size_t i = 0; i < set.members.size(); ++i)
      parts[i * count / set.members.size()].members.push_back(set.members[i]);
    uint64_t first = 1;
    for (Set& part : parts) {
      const uint64_t last = first + part.members.size() - 1;
      part.depth = set.depth;
      part.node.parent = set.node.id;
      part.node.id = set.node.id + "/run." + std::to_string(first) + "-" + std::to_string(last);
      part.node.label = "tasks " + CountText(first) + " to " + CountText(last);
      first = last + 1;
    }
    return parts;
  }

  std::vector<Set> Tasks(const Set& set) const {
    std::vector<Set> parts(set.members.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i].members = {set.members[i]};
      parts[i].node.parent = set.node.id;
      BecomeTask(parts[i].node, set.members[i]);
    }
    return parts;
  }

  void BecomeTask(GraphNode& node, uint32_t task) const {
    node.task = task;
    node.id = "task." + std::to_string(model_.tasks.rank_index[task]) + "." +
              std::to_string(model_.tasks.job[task]);
    node.label = std::string(model_.TaskNameOf(task));
  }

  const TraceModel& model_;
  const Topology& topology_;
  const GraphQuery& query_;
  std::vector<uint32_t> stage_, key_, part_;  // per task, of the last ByKey() it was in
  uint32_t marks_ = 0;
};

// The visible sets: the whole, opened, and every opened group replaced by its parts.
std::vector<Set> VisibleSets(Splitter& splitter, const GraphQuery& query, GraphView& view) {
  std::vector<Set> visible;
  Set whole = splitter.Whole();
  view.tasks_total = whole.members.size();
  if (whole.members.empty()) return visible;
  visible = splitter.Split(whole, query.max_nodes);
  if (visible.empty()) visible.push_back(std::move(whole));  // one task only
  for (size_t i = 0; i < visible.size();) {
    const std::string& id = visible[i].node.id;
    const bool wanted = visible[i].node.task == kNone && visible[i].members.size() > 1 &&
                        std::find(query.open.begin(), query.open.end(), id) != query.open.end();
    if (!wanted) {
      ++i;
      continue;
    }
    const size_t room = query.max_nodes - visible.size() + 1;
    std::vector<Set> parts = room < 2 ? std::vector<Set>{} : splitter.Split(visible[i], room);
    if (parts.size() < 2) {
      view.not_opened.push_back(id);
      ++i;
      continue;
    }
    const auto at = visible.begin() + static_cast<std::ptrdiff_t>(i);
    std::vector<Set> rest(std::make_move_iterator(at + 1), std::make_move_iterator(visible.end()));
    visible.resize(i);
    std::move(parts.begin(), parts.end(), std::back_inserter(visible));
    std::move(rest.begin(), rest.end(), std::back_inserter(visible));
  }
  return visible;
}

void AddEdges(const TraceModel& model, const Topology& topology, const std::vector<Set>& sets,
              uint32_t max_edges, GraphView& view) {
  std::vector<uint32_t> node_of(model.tasks.size(), kNone);
  for (uint32_t node = 0; node < sets.size(); ++node)
    for (const uint32_t task : sets[node].members) node_of[task] = node;
  std::unordered_map<uint64_t, uint64_t> counts;
  for (uint32_t node = 0; node < sets.size(); ++node) {
    for (const uint32_t task : sets[node].members) {
      for (const DepEnd& dep : model.successors[task]) {
        const uint32_t to = node_of[dep.task];
        if (to == kNone || !topology.Forward(task, dep.task)) continue;
        if (to == node) {
          ++view.dependencies_inside;
        } else {
          ++counts[uint64_t{node} << 32 | to];
        }
      }
    }
  }
  for (const auto& [ends, count] : counts)
    view.edges.push_back({static_cast<uint32_t>(ends >> 32), static_cast<uint32_t>(ends), count});
  // The heaviest edges say most; equal ones in a fixed order, so that a picture does not flicker.
  std::sort(view.edges.begin(), view.edges.end(), [](const GraphEdge& a, const GraphEdge& b) {
    return std::tuple(b.count, a.from, a.to) < std::tuple(a.count, b.from, b.to);
  });
  while (view.edges.size() > max_edges) {
    view.dependencies_left_out += view.edges.back().count;
    view.edges.pop_back();
  }
}

}  // namespace

std::string_view GroupByName(GroupBy by) { return kGroupNames[static_cast<size_t>(by)]; }

std::optional<GroupBy> ParseGroupBy(std::string_view name) {
  for (size_t i = 0; i < std::size(kGroupNames); ++i)
    if (kGroupNames[i] == name) return static_cast<GroupBy>(i);
  return std::nullopt;
}

std::string GraphView::Caption() const {
  const uint64_t groups = nodes.size() - tasks_shown;
  std::string text = CountText(tasks_shown) + " of " + CountText(tasks_total) + " tasks";
  if (groups > 0)
    text += ", the others in " + CountText(groups) + (groups == 1 ? " group" : " groups");
  if (dependencies_left_out > 0)
    text += "; edges for " + CountText(dependencies_left_out) + " dependencies left out";
  if (!not_opened.empty()) text += "; no room to open " + CountText(not_opened.size()) + " more";
  return text;
}

GraphView ViewGraph(const TraceModel& model, const Topology& topology, const GraphQuery& query) {
  GraphView view;
  Splitter splitter(model, topology, query);
  std::vector<Set> sets = VisibleSets(splitter, query, view);
  for (Set& set : sets) splitter.Describe(set);
  AddEdges(model, topology, sets, query.max_edges, view);
  for (Set& set : sets) {
    if (set.node.task != kNone) ++view.tasks_shown;
    view.nodes.push_back(std::move(set.node));
  }
  return view;
}

}  // namespace tasklens
