// SPDX-License-Identifier: Apache-2.0
// Splits groups until the room is used up, then counts the dependencies between the remaining
// groups.
#include "server/report/graph_tree.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "analysis/graph_split.h"

namespace tasklens {
namespace {

// A group to split; large groups with much time come first.
struct Candidate {
  uint32_t row;
  uint32_t depth;
  int64_t total_ns;
  bool operator<(const Candidate& other) const {
    if (depth != other.depth) return depth > other.depth;
    return total_ns != other.total_ns ? total_ns < other.total_ns : row > other.row;
  }
};

}  // namespace

GraphTree BuildGraphTree(const TraceModel& model, const Topology& topology,
                         const std::vector<GroupBy>& nesting, size_t room,
                         std::span<const std::shared_ptr<const TaskColours>> colourings,
                         bool internal) {
  GraphQuery query;
  query.nesting = nesting;
  const TaskSelection selection(model, internal);
  query.selection = &selection;
  GraphSplitter splitter(model, topology, query);
  GraphTree tree;
  std::vector<uint32_t>& leaf_of = tree.leaf_of;
  leaf_of.assign(model.tasks.size(), kNone);
  std::unordered_map<uint32_t, GraphSet> open;  // by row, while they may still be split
  std::priority_queue<Candidate> queue;

  const auto add = [&](GraphSet set, uint32_t parent, uint32_t depth) {
    const auto row = static_cast<uint32_t>(tree.nodes.size());
    for (const uint32_t task : set.members) leaf_of[task] = row;
    splitter.Describe(set);
    tree.nodes.push_back({set.node, parent, {}});
    for (const std::shared_ptr<const TaskColours>& colours : colourings)
      tree.nodes.back().colours.push_back(colours->EntryOfGroup(set.members, set.node.first_task));
    tree.nodes.back().node.can_open = false;
    if (set.members.size() < 2) return;
    queue.push({row, depth, set.node.total_ns});
    open.emplace(row, std::move(set));
  };
  if (GraphSet whole = splitter.Whole(); !whole.members.empty()) add(std::move(whole), kNone, 0);
  while (!queue.empty()) {
    const Candidate next = queue.top();
    queue.pop();
    const GraphSet set = std::move(open.extract(next.row).mapped());
    const size_t left = room - std::min(room, tree.nodes.size());
    std::vector<GraphSet> parts;
    if (left >= 2) parts = splitter.Split(set, std::min<size_t>(left, query.max_nodes));
    if (parts.empty()) {
      ++tree.not_split;
      continue;
    }
    tree.nodes[next.row].node.can_open = true;
    for (GraphSet& part : parts) add(std::move(part), next.row, next.depth + 1);
  }

  std::unordered_map<uint64_t, uint64_t> counts;
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    selection.dependencies.ForEachAfter(model, task, [&](uint32_t after) {
      const uint32_t from = leaf_of[task], to = leaf_of[after];
      if (from == kNone || to == kNone || from == to || !topology.Forward(task, after)) return;
      ++counts[uint64_t{from} << 32 | to];
    });
  tree.edges.reserve(counts.size());
  for (const auto& [ends, count] : counts)
    tree.edges.push_back({static_cast<uint32_t>(ends >> 32), static_cast<uint32_t>(ends), count});
  std::sort(tree.edges.begin(), tree.edges.end(), [](const GraphEdge& a, const GraphEdge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  return tree;
}

}  // namespace tasklens
