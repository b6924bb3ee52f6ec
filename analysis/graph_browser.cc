// SPDX-License-Identifier: Apache-2.0
// Keeps the counts of dependencies between what is shown, and corrects them where that changes.
#include "analysis/graph_browser.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace tasklens {

GraphBrowser::GraphBrowser(const TraceModel& model, const Topology& topology, GraphQuery query)
    : model_(model),
      topology_(topology),
      query_(std::move(query)),
      splitter_(model, topology, query_),
      slot_of_(model.tasks.size(), kNone) {
  GraphSet whole = splitter_.Whole();
  tasks_total_ = whole.members.size();
  if (whole.members.empty()) return;
  std::vector<GraphSet> sets = splitter_.Split(whole, query_.max_nodes);
  if (sets.empty()) sets.push_back(std::move(whole));  // one task only
  Replace(0, 0, std::move(sets));
  for (size_t i = 0; i < order_.size();) {
    const std::string& id = slots_.at(order_[i]).set.node.id;
    const bool wanted = std::find(query_.open.begin(), query_.open.end(), id) != query_.open.end();
    if (!wanted || !OpenAt(i)) ++i;
  }
}

bool GraphBrowser::Open(std::string_view id) {
  const size_t position = PositionOf(id);
  return position < order_.size() && OpenAt(position);
}

bool GraphBrowser::OpenAt(size_t position) {
  GraphSet& set = slots_.at(order_[position]).set;
  if (set.node.task != kNone || set.members.size() < 2) return false;
  // Named before it is moved away.
  const std::string id = set.node.id;
  const size_t room = order_.size() > query_.max_nodes ? 0 : query_.max_nodes - order_.size() + 1;
  std::vector<GraphSet> parts = room < 2 ? std::vector<GraphSet>{} : splitter_.Split(set, room);
  if (parts.size() < 2) {
    if (std::find(not_opened_.begin(), not_opened_.end(), id) == not_opened_.end())
      not_opened_.push_back(id);
    return false;
  }
  opened_[id] = set;
  Replace(position, 1, std::move(parts));
  return true;
}

bool GraphBrowser::Close(std::string_view id) {
  const auto closed = opened_.find(id);
  if (closed == opened_.end()) return false;
  // What it was opened into stands together, and so does what that was opened into.
  const auto inside = [&](uint32_t slot) { return IsInside(slots_.at(slot).set.node, id); };
  const auto first = std::find_if(order_.begin(), order_.end(), inside);
  const auto last = std::find_if_not(first, order_.end(), inside);
  GraphSet set = std::move(closed->second);
  opened_.erase(closed);
  std::erase_if(opened_, [&](const auto& entry) { return IsInside(entry.second.node, id); });
  std::vector<GraphSet> sets;
  sets.push_back(std::move(set));
  Replace(static_cast<size_t>(first - order_.begin()), static_cast<size_t>(last - first),
          std::move(sets));
  not_opened_.clear();  // there is room again
  return true;
}

bool GraphBrowser::IsInside(const GraphNode& node, std::string_view id) const {
  // The id of a part begins with that of its group, but single tasks have ids of their own.
  return node.parent == id || (node.parent.starts_with(id) && node.parent.size() > id.size() &&
                               node.parent[id.size()] == '/');
}

size_t GraphBrowser::PositionOf(std::string_view id) const {
  for (size_t i = 0; i < order_.size(); ++i)
    if (slots_.at(order_[i]).set.node.id == id) return i;
  return order_.size();
}

uint32_t GraphBrowser::NewSlot(GraphSet set) {
  const uint32_t slot = next_slot_++;
  splitter_.Describe(set);
  for (const uint32_t task : set.members) slot_of_[task] = slot;
  slots_.emplace(slot, Slot{std::move(set)});
  return slot;
}

void GraphBrowser::Replace(size_t position, size_t count, std::vector<GraphSet> sets) {
  const auto at = order_.begin() + static_cast<std::ptrdiff_t>(position);
  for (auto it = at; it != at + static_cast<std::ptrdiff_t>(count); ++it) slots_.erase(*it);
  if (count > 0)
    std::erase_if(counts_, [&](const auto& entry) {
      return !slots_.contains(static_cast<uint32_t>(entry.first >> 32)) ||
             !slots_.contains(static_cast<uint32_t>(entry.first));
    });
  const uint32_t first_new = next_slot_;
  std::vector<uint32_t> added;
  for (GraphSet& set : sets) added.push_back(NewSlot(std::move(set)));
  order_.insert(order_.erase(at, at + static_cast<std::ptrdiff_t>(count)), added.begin(),
                added.end());

  for (const uint32_t from : added) {
    Slot& slot = slots_.at(from);
    for (const uint32_t task : slot.set.members) {
      for (const DepEnd& dep : model_.successors[task]) {
        const uint32_t to = slot_of_[dep.task];
        if (to == kNone || !topology_.Forward(task, dep.task)) continue;
        if (to == from) {
          ++slot.inside;
        } else {
          ++counts_[uint64_t{from} << 32 | to];
        }
      }
      // Those from new slots were counted as their successors.
      for (const DepEnd& dep : model_.predecessors[task]) {
        const uint32_t before = slot_of_[dep.task];
        if (before < first_new && topology_.Forward(dep.task, task))
          ++counts_[uint64_t{before} << 32 | from];
      }
    }
  }
}

GraphView GraphBrowser::View() const {
  GraphView view;
  view.tasks_total = tasks_total_;
  view.not_opened = not_opened_;
  std::unordered_map<uint32_t, uint32_t> place;
  for (const uint32_t slot : order_) {
    place[slot] = static_cast<uint32_t>(view.nodes.size());
    view.nodes.push_back(slots_.at(slot).set.node);
    view.tasks_shown += view.nodes.back().task != kNone;
    view.dependencies_inside += slots_.at(slot).inside;
  }
  for (const auto& [ends, count] : counts_)
    view.edges.push_back({place.at(static_cast<uint32_t>(ends >> 32)),
                          place.at(static_cast<uint32_t>(ends)), count});
  // The heaviest edges say most; equal ones in a fixed order, so that a picture does not flicker.
  const auto heavier = [](const GraphEdge& a, const GraphEdge& b) {
    return std::tuple(b.count, a.from, a.to) < std::tuple(a.count, b.from, b.to);
  };
  if (view.edges.size() > query_.max_edges) {
    const auto limit = view.edges.begin() + query_.max_edges;
    std::nth_element(view.edges.begin(), limit, view.edges.end(), heavier);
    for (auto edge = limit; edge != view.edges.end(); ++edge)
      view.dependencies_left_out += edge->count;
    view.edges.erase(limit, view.edges.end());
  }
  std::sort(view.edges.begin(), view.edges.end(), heavier);
  return view;
}

}  // namespace tasklens
