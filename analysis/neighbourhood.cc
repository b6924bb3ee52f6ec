// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches along the edges of the topology.
#include "analysis/neighbourhood.h"

#include <algorithm>

namespace tasklens {
namespace {

enum Mark : uint8_t { kBefore = 1, kAfter = 2 };

// Marks the tasks that `start` depends on (kBefore) or that depend on it (kAfter), within `depth`
// steps. `for_each(task, mark, visit)` calls visit(row) for the tasks one step away.
template <class ForEach>
void Spread(const Topology& topology, uint32_t start, Mark mark, uint32_t depth,
            const ForEach& for_each, std::vector<uint8_t>& marks, Stop stop) {
  std::vector<uint32_t> front{start}, next;
  marks[start] |= mark;
  uint64_t step = 0;
  for (; depth > 0 && !front.empty(); --depth) {
    for (const uint32_t task : front) {
      if (Stopped(stop, step++)) return;
      for_each(task, mark, [&](uint32_t row) {
        const bool is_kept =
            mark == kBefore ? topology.Forward(row, task) : topology.Forward(task, row);
        if (!is_kept || (marks[row] & mark)) return;
        marks[row] |= mark;
        next.push_back(row);
      });
    }
    front.swap(next);
    next.clear();
  }
}

template <class Wanted>
std::vector<uint32_t> Where(size_t tasks, Stop stop, const Wanted& wanted) {
  std::vector<uint32_t> rows;
  for (uint32_t task = 0; task < tasks; ++task) {
    if (Stopped(stop, task)) break;
    if (wanted(task)) rows.push_back(task);
  }
  return rows;
}

}  // namespace

std::vector<uint32_t> TasksAround(const TraceModel& model, const Topology& topology,
                                  const TaskSelection& selection, uint32_t task, uint32_t depth,
                                  Stop stop) {
  std::vector<uint8_t> marks(model.tasks.size());
  const auto neighbours = [&](uint32_t of, Mark mark, const auto& visit) {
    const auto visit_shown = [&](uint32_t row) {
      if (selection.is_shown[row]) visit(row);
    };
    if (mark == kBefore) {
      selection.dependencies.ForEachBefore(model, of, visit_shown);
    } else {
      selection.dependencies.ForEachAfter(model, of, visit_shown);
    }
  };
  Spread(topology, task, kBefore, depth, neighbours, marks, stop);
  Spread(topology, task, kAfter, depth, neighbours, marks, stop);
  return Where(marks.size(), stop, [&](uint32_t row) { return marks[row] != 0; });
}

std::vector<uint32_t> TasksBetween(const TraceModel& model, const Topology& topology, uint32_t one,
                                   uint32_t other, Stop stop) {
  const auto [first, last] = std::minmax(
      one, other, [&](uint32_t a, uint32_t b) { return topology.place[a] < topology.place[b]; });
  const uint32_t low = topology.level[first], high = topology.level[last];
  std::vector<uint8_t> marks(model.tasks.size());
  const auto neighbours = [&](uint32_t of, Mark mark, const auto& visit) {
    const auto visit_level = [&](uint32_t row) {
      if (low <= topology.level[row] && topology.level[row] <= high) visit(row);
    };
    const TaskLinks& links = topology.links;
    for (const DepEnd& dep : (mark == kBefore ? model.predecessors : model.successors)[of])
      visit_level(dep.task);
    for (const uint32_t row : (mark == kBefore ? links.before : links.after)[of]) visit_level(row);
  };
  Spread(topology, first, kAfter, kNone, neighbours, marks, stop);
  Spread(topology, last, kBefore, kNone, neighbours, marks, stop);
  return Where(marks.size(), stop, [&](uint32_t row) { return marks[row] == (kBefore | kAfter); });
}

std::vector<uint32_t> TasksOfHandle(const TraceModel& model, uint32_t handle, Stop stop) {
  return Where(model.tasks.size(), stop, [&](uint32_t row) {
    const auto accesses = model.accesses[row];
    return std::any_of(accesses.begin(), accesses.end(),
                       [&](const TaskAccess& access) { return access.handle == handle; });
  });
}

std::vector<uint32_t> TasksOfTag(const TraceModel& model, uint64_t tag, Stop stop) {
  return Where(model.tasks.size(), stop, [&](uint32_t row) {
    return model.tasks.has_tag[row] && model.tasks.tag[row] == tag;
  });
}

}  // namespace tasklens
