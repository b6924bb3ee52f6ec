// SPDX-License-Identifier: Apache-2.0
// Searches backwards from a task for the last of its dependencies to end.
#include "analysis/last_dependencies.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/execution_order.h"

namespace tasklens {

LastDependencies::LastDependencies(const TraceModel& model)
    : model_(model), messages_(model), tags_(model) {}

uint32_t LastDependencies::Of(uint32_t task) const {
  const TaskTable& tasks = model_.tasks;
  if (task >= tasks.size()) return kNone;
  uint32_t last = kNone;
  int64_t last_ns = kNever;
  // Rows to examine, each with the arrival of the last message on its path to the task.
  std::vector<std::pair<uint32_t, int64_t>> behind{{task, kNever}};
  std::unordered_map<uint32_t, int64_t> seen;
  const auto reach = [&](uint32_t before, int64_t arrival_ns) {
    if (!Executed(tasks, before)) {
      const auto [it, is_new] = seen.try_emplace(before, arrival_ns);
      if (!is_new && it->second >= arrival_ns) return;
      it->second = arrival_ns;
      behind.push_back({before, arrival_ns});
      return;
    }
    const int64_t over_ns = std::max(tasks.end_ns[before], arrival_ns);
    if (last != kNone && over_ns <= last_ns) return;
    last = before;
    last_ns = over_ns;
  };
  while (!behind.empty()) {
    const auto [row, arrival_ns] = behind.back();
    behind.pop_back();
    for (const DepEnd& dep : model_.predecessors[row]) reach(dep.task, arrival_ns);
    for (const uint32_t before : tags_.before[row]) reach(before, arrival_ns);
    for (const ReceivedMessages::Message& message : messages_.To(row))
      reach(message.sender, std::max(arrival_ns, model_.messages.receive_ns[message.row]));
  }
  return last;
}

uint32_t LastDependencies::NextOf(uint32_t task) const {
  const uint32_t last = Of(task);
  const int64_t here_ns = model_.tasks.end_ns[task];
  return last != kNone && here_ns != kNever && model_.tasks.end_ns[last] >= here_ns ? kNone : last;
}

std::vector<uint32_t> LastDependencies::ChainOf(uint32_t task) const {
  std::vector<uint32_t> chain;
  if (task >= model_.tasks.size()) return chain;
  for (uint32_t one = task; one != kNone; one = NextOf(one)) chain.push_back(one);
  return chain;
}

}  // namespace tasklens
