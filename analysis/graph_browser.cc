// SPDX-License-Identifier: Apache-2.0
// Keeps the numbers of dependencies between shown nodes, and corrects them when nodes change.
#include "analysis/graph_browser.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <unordered_set>

#include "analysis/colours.h"

namespace tasklens {

GraphBrowser::GraphBrowser(const TraceModel& model, const Topology& topology, GraphQuery query,
                           Stop stop)
    : model_(model),
      topology_(topology),
      query_(std::move(query)),
      stop_(stop),
      splitter_(model, topology, query_, stop),
      slot_of_(model.tasks.size(), kNone) {
  GraphSet whole = splitter_.Whole();
  tasks_covered_ = whole.members.size();
  if (query_.selection) {
    tasks_total_ = query_.selection->count;
    for (const uint32_t task : query_.selection->dependencies.worth_seeing())
      tasks_joining_ += std::binary_search(
          whole.members.begin(), whole.members.end(), task,
          [&](uint32_t a, uint32_t b) { return topology.place[a] < topology.place[b]; });
    tasks_covered_ -= tasks_joining_;
  } else {
    for (uint32_t task = 0; task < model.tasks.size(); ++task)
      tasks_total_ += !model.tasks.hidden[task];
  }
  if (whole.members.empty()) return;
  std::vector<GraphSet> sets = splitter_.Split(whole, query_.max_nodes);
  if (Stopped(stop)) return;
  if (sets.empty()) sets.push_back(std::move(whole));  // one task only
  Replace(0, 0, std::move(sets));
  SetOpen(query_.open);
}

void GraphBrowser::set_stop(Stop stop) {
  stop_ = stop;
  splitter_.set_stop(stop);
}

bool GraphBrowser::Open(std::string_view id) {
  const size_t position = PositionOf(id);
  return position < order_.size() && OpenAt(position);
}

bool GraphBrowser::OpenAt(size_t position) {
  GraphSet& set = slots_.at(order_[position]).set;
  if (set.node.task != kNone || set.members.size() < 2) return false;
  // Copied before `set` is moved.
  const std::string id = set.node.id;
  const size_t room = order_.size() > query_.max_nodes ? 0 : query_.max_nodes - order_.size() + 1;
  std::vector<GraphSet> parts = room < 2 ? std::vector<GraphSet>{} : splitter_.Split(set, room);
  if (parts.size() < 2) {
    if (std::find(not_opened_.begin(), not_opened_.end(), id) == not_opened_.end())
      not_opened_.push_back(id);
    return false;
  }
  opened_.insert_or_assign(id, std::move(slots_.at(order_[position])));
  Replace(position, 1, std::move(parts));
  return true;
}

bool GraphBrowser::Close(std::string_view id) {
  const auto closed = opened_.find(id);
  if (closed == opened_.end()) return false;
  // The parts of a group are adjacent, and so are the parts of these.
  const auto inside = [&](uint32_t slot) { return IsInside(slots_.at(slot).set.node, id); };
  const auto first = std::find_if(order_.begin(), order_.end(), inside);
  const auto last = std::find_if_not(first, order_.end(), inside);
  Slot whole = std::move(closed->second);
  opened_.erase(closed);
  std::erase_if(opened_, [&](const auto& entry) { return IsInside(entry.second.set.node, id); });
  Rejoin(static_cast<size_t>(first - order_.begin()), static_cast<size_t>(last - order_.begin()),
         std::move(whole));
  not_opened_.clear();  // there is room again
  return true;
}

void GraphBrowser::SetOpen(const std::vector<std::string>& ids) {
  if (ids == asked_) return;
  asked_ = ids;
  const std::set<std::string_view> wanted(ids.begin(), ids.end());
  std::vector<std::string> surplus;
  for (const auto& [id, slot] : opened_)
    if (!wanted.contains(id)) surplus.push_back(id);
  for (const std::string& id : surplus) Close(id);
  not_opened_.clear();
  // An inner group may be listed before the group around it.
  for (bool any = true; any && !Stopped(stop_);) {
    any = false;
    std::vector<std::string> shown;
    for (const uint32_t slot : order_) {
      const GraphNode& node = slots_.at(slot).set.node;
      const bool is_tried =
          std::find(not_opened_.begin(), not_opened_.end(), node.id) != not_opened_.end();
      if (node.task == kNone && !is_tried && wanted.contains(node.id)) shown.push_back(node.id);
    }
    for (const std::string& id : shown) any = Open(id) || any;
  }
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
  CountDependencies(added, first_new);
}

void GraphBrowser::Rejoin(size_t first, size_t last, Slot whole) {
  const uint32_t slot = next_slot_++;
  for (const uint32_t task : whole.set.members) slot_of_[task] = slot;
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = order_.begin() + static_cast<std::ptrdiff_t>(last);
  const std::unordered_set<uint32_t> parts(begin, end);
  // The dependencies of the parts become those of the whole; those between parts are whole.inside.
  const auto joined = [&](uint64_t part) {
    return parts.contains(static_cast<uint32_t>(part)) ? slot : static_cast<uint32_t>(part);
  };
  std::unordered_map<uint64_t, uint64_t> counts;
  for (const auto& [ends, count] : counts_) {
    const uint32_t from = joined(ends >> 32), to = joined(ends & UINT32_MAX);
    if (from != to) counts[uint64_t{from} << 32 | to] += count;
  }
  counts_ = std::move(counts);
  for (const uint32_t part : parts) slots_.erase(part);
  slots_.emplace(slot, std::move(whole));
  *begin = slot;
  order_.erase(begin + 1, end);
}

void GraphBrowser::CountDependencies(const std::vector<uint32_t>& added, uint32_t first_new) {
  uint64_t step = 0;
  for (const uint32_t from : added) {
    Slot& slot = slots_.at(from);
    for (const uint32_t task : slot.set.members) {
      if (Stopped(stop_, step++)) return;
      query_.dependencies().ForEachAfter(model_, task, [&](uint32_t after) {
        const uint32_t to = slot_of_[after];
        if (to == kNone || !topology_.Forward(task, after)) return;
        if (to == from) {
          ++slot.inside;
        } else {
          ++counts_[uint64_t{from} << 32 | to];
        }
      });
      // Dependencies from new slots were counted with their successors.
      query_.dependencies().ForEachBefore(model_, task, [&](uint32_t before) {
        const uint32_t slot_before = slot_of_[before];
        if (slot_before < first_new && topology_.Forward(before, task))
          ++counts_[uint64_t{slot_before} << 32 | from];
      });
    }
  }
}

GraphView GraphBrowser::View() const {
  GraphView view;
  view.tasks_covered = tasks_covered_;
  view.tasks_total = tasks_total_;
  view.tasks_joining = tasks_joining_;
  view.not_opened = not_opened_;
  for (const std::string& id : asked_)
    if (!opened_.contains(id) &&
        std::find(not_opened_.begin(), not_opened_.end(), id) == not_opened_.end())
      view.not_found.push_back(id);
  // In order of ids: that of an outer group is a prefix of an inner one's.
  for (const auto& [id, slot] : opened_) view.frames.push_back(slot.set.node);
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
  // The heaviest edges matter most; ties have a fixed order, so that pictures do not flicker.
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

std::vector<double> GraphBrowser::Means(std::string_view name, const std::vector<int64_t>& values) {
  std::vector<double> means;
  for (const uint32_t number : order_) {
    Slot& slot = slots_.at(number);
    const auto [mean, is_new] = slot.means.try_emplace(name);
    if (is_new) mean->second = MeanOf(values, slot.set.members);
    means.push_back(mean->second);
  }
  return means;
}

}  // namespace tasklens
