// SPDX-License-Identifier: Apache-2.0
// Walks and sweeps over the execution order.
#include "analysis/critical_path.h"

#include <algorithm>

#include "analysis/execution_order.h"

namespace tasklens {
namespace {

int64_t LengthNs(const TaskTable& tasks, uint32_t task) {
  return tasks.end_ns[task] - tasks.start_ns[task];
}

// Calls visit(before, hold) for each edge into `after` that the clock allows.
template <class Visit>
void ForEachHold(const TraceModel& model, const ExecutionOrder& order, uint32_t after,
                 const Visit& visit) {
  for (const DepEnd& dep : model.predecessors[after])
    if (order.Forward(model.tasks, dep.task, after)) visit(dep.task, Hold::kDependency);
  const uint32_t previous = order.previous_on_worker[after];
  if (previous != kNone && order.Forward(model.tasks, previous, after))
    visit(previous, Hold::kWorker);
}

}  // namespace

std::string_view HoldName(Hold hold) {
  switch (hold) {
    case Hold::kStart: return "start";
    case Hold::kDependency: return "dependency";
    case Hold::kWorker: return "worker";
    case Hold::kSubmission: return "submission";
  }
  return "start";
}

CriticalPath ObservedCriticalPath(const TraceModel& model, Stop stop) {
  const ExecutionOrder order(model);
  CriticalPath path;
  if (order.tasks.empty()) return path;
  const TaskTable& tasks = model.tasks;
  const int64_t begin_ns = tasks.start_ns[order.tasks.front()];
  uint32_t task =
      *std::max_element(order.tasks.begin(), order.tasks.end(),
                        [&](uint32_t a, uint32_t b) { return tasks.end_ns[a] < tasks.end_ns[b]; });
  while (task != kNone) {
    if (Stopped(stop, path.steps.size())) return path;
    // A dependency wins over the worker when both ended at the same moment: it is what one can fix.
    uint32_t holder = kNone;
    CriticalStep step{task, Hold::kStart, tasks.start_ns[task] - begin_ns};
    ForEachHold(model, order, task, [&](uint32_t before, Hold hold) {
      if (holder != kNone && tasks.end_ns[before] <= tasks.end_ns[holder]) return;
      holder = before;
      step.hold = hold;
      step.wait_ns = tasks.start_ns[task] - tasks.end_ns[before];
    });
    if (holder != kNone && tasks.submit_ns[task] != kNever &&
        tasks.submit_ns[task] > tasks.end_ns[holder])
      step.hold = Hold::kSubmission;
    path.work_ns += LengthNs(tasks, task);
    path.wait_ns += step.wait_ns;
    path.steps.push_back(step);
    task = holder;
  }
  std::reverse(path.steps.begin(), path.steps.end());
  return path;
}

LongestChain LongestDependencyChain(const TraceModel& model, Stop stop) {
  const ExecutionOrder order(model);
  const TaskTable& tasks = model.tasks;
  std::vector<int64_t> length_ns(order.tasks.size());
  std::vector<uint32_t> before(order.tasks.size(), kNone);  // in places, as length_ns
  uint32_t longest = kNone;
  for (uint32_t i = 0; i < order.tasks.size(); ++i) {
    if (Stopped(stop, i)) return {};
    const uint32_t task = order.tasks[i];
    for (const DepEnd& dep : model.predecessors[task]) {
      if (!order.Forward(tasks, dep.task, task)) continue;
      const uint32_t place = order.place[dep.task];
      if (before[i] == kNone || length_ns[place] > length_ns[before[i]]) before[i] = place;
    }
    length_ns[i] = LengthNs(tasks, task) + (before[i] == kNone ? 0 : length_ns[before[i]]);
    if (longest == kNone || length_ns[i] > length_ns[longest]) longest = i;
  }
  LongestChain chain;
  if (longest != kNone) chain.length_ns = length_ns[longest];
  for (uint32_t i = longest; i != kNone; i = before[i]) chain.tasks.push_back(order.tasks[i]);
  std::reverse(chain.tasks.begin(), chain.tasks.end());
  return chain;
}

std::vector<int64_t> SlackNs(const TraceModel& model, Stop stop) {
  const ExecutionOrder order(model);
  const TaskTable& tasks = model.tasks;
  std::vector<int64_t> slack_ns(tasks.size(), kNever);
  int64_t last_ns = 0;
  for (const uint32_t task : order.tasks) last_ns = std::max(last_ns, tasks.end_ns[task]);
  for (const uint32_t task : order.tasks) slack_ns[task] = last_ns - tasks.end_ns[task];
  // Backwards: what a task may be late by is final before its predecessors ask.
  for (auto it = order.tasks.rbegin(); it != order.tasks.rend(); ++it) {
    const uint32_t after = *it;
    if (Stopped(stop, after)) return slack_ns;
    ForEachHold(model, order, after, [&](uint32_t before, Hold) {
      const int64_t gap_ns = tasks.start_ns[after] - tasks.end_ns[before];
      slack_ns[before] = std::min(slack_ns[before], gap_ns + slack_ns[after]);
    });
  }
  return slack_ns;
}

uint32_t LastDependency(const TraceModel& model, uint32_t task) {
  const TaskTable& tasks = model.tasks;
  uint32_t last = kNone;
  // A chain of what did not run may be long, and lead in circles in a damaged trace.
  constexpr size_t kMostPassed = 1000;
  std::vector<uint32_t> passed{task};
  for (size_t i = 0; i < passed.size(); ++i) {
    for (const DepEnd& dep : model.predecessors[passed[i]]) {
      if (Executed(tasks, dep.task)) {
        if (last == kNone || tasks.end_ns[dep.task] > tasks.end_ns[last]) last = dep.task;
      } else if (passed.size() < kMostPassed &&
                 std::find(passed.begin(), passed.end(), dep.task) == passed.end()) {
        passed.push_back(dep.task);
      }
    }
  }
  return last;
}

std::vector<uint32_t> LastDependencyChain(const TraceModel& model, uint32_t task) {
  std::vector<uint32_t> chain;
  if (task >= model.tasks.size()) return chain;
  chain.push_back(task);
  // Ends must go back in time, or a damaged trace could lead in circles.
  for (uint32_t last = LastDependency(model, task); last != kNone;
       last = LastDependency(model, last)) {
    const int64_t here_ns = model.tasks.end_ns[chain.back()];
    if (here_ns != kNever && model.tasks.end_ns[last] >= here_ns) break;
    chain.push_back(last);
  }
  return chain;
}

}  // namespace tasklens
