// SPDX-License-Identifier: Apache-2.0
// Kahn's algorithm; when a cycle stops it, it continues with the first remaining task.
#include "analysis/topology.h"

#include <algorithm>

namespace tasklens {

Topology::Topology(const TraceModel& model, Stop stop)
    : place(model.tasks.size(), kNone), level(model.tasks.size(), 0), links(model) {
  const auto count = static_cast<uint32_t>(model.tasks.size());
  order.reserve(count);
  std::vector<uint32_t> waiting(count);  // predecessors that are not in `order` yet
  for (uint32_t task = 0; task < count; ++task) {
    waiting[task] =
        static_cast<uint32_t>(model.predecessors[task].size() + links.before[task].size());
    if (waiting[task] == 0) order.push_back(task);
  }
  uint32_t next_of_cycle = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (Stopped(stop, i)) return;
    if (i == order.size()) {
      // Only cycles (and their successors) are left: cut the first one at its first task.
      while (waiting[next_of_cycle] == 0) ++next_of_cycle;
      left_out += waiting[next_of_cycle];
      waiting[next_of_cycle] = 0;
      order.push_back(next_of_cycle);
    }
    const uint32_t task = order[i];
    place[task] = i;
    levels = std::max(levels, level[task] + 1);
    const auto lead_to = [&](uint32_t after) {
      if (waiting[after] == 0) return;  // it is in `order` already: the edge is left out
      level[after] = std::max(level[after], level[task] + 1);
      if (--waiting[after] == 0) order.push_back(after);
    };
    for (const DepEnd& dep : model.successors[task]) lead_to(dep.task);
    for (const uint32_t row : links.after[task]) lead_to(row);
  }
}

}  // namespace tasklens
