// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches that keep to edges which the topology has kept.
#include "analysis/neighbourhood.h"

#include <algorithm>

namespace tasklens {
namespace {

enum Mark : uint8_t { kBefore = 1, kAfter = 2 };

// Marks what `start` depends on (kBefore) or what depends on it (kAfter), in at most `depth` steps,
// levels `low` to `high` only.
void Spread(const TraceModel& model, const Topology& topology, uint32_t start, Mark mark,
            uint32_t depth, uint32_t low, uint32_t high, std::vector<uint8_t>& marks, Stop stop) {
  std::vector<uint32_t> front{start}, next;
  marks[start] |= mark;
  uint64_t step = 0;
  for (; depth > 0 && !front.empty(); --depth) {
    for (const uint32_t task : front) {
      if (Stopped(stop, step++)) return;
      const auto& ends = mark == kBefore ? model.predecessors : model.successors;
      for (const DepEnd& dep : ends[task]) {
        const bool is_kept =
            mark == kBefore ? topology.Forward(dep.task, task) : topology.Forward(task, dep.task);
        const uint32_t level = topology.level[dep.task];
        if (!is_kept || (marks[dep.task] & mark) || level < low || level > high) continue;
        marks[dep.task] |= mark;
        next.push_back(dep.task);
      }
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

std::vector<uint32_t> TasksAround(const TraceModel& model, const Topology& topology, uint32_t task,
                                  uint32_t depth, Stop stop) {
  std::vector<uint8_t> marks(model.tasks.size());
  Spread(model, topology, task, kBefore, depth, 0, kNone, marks, stop);
  Spread(model, topology, task, kAfter, depth, 0, kNone, marks, stop);
  return Where(marks.size(), stop, [&](uint32_t row) { return marks[row] != 0; });
}

std::vector<uint32_t> TasksBetween(const TraceModel& model, const Topology& topology, uint32_t one,
                                   uint32_t other, Stop stop) {
  const auto [first, last] = std::minmax(
      one, other, [&](uint32_t a, uint32_t b) { return topology.place[a] < topology.place[b]; });
  const uint32_t low = topology.level[first], high = topology.level[last];
  std::vector<uint8_t> marks(model.tasks.size());
  Spread(model, topology, first, kAfter, kNone, low, high, marks, stop);
  Spread(model, topology, last, kBefore, kNone, low, high, marks, stop);
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
