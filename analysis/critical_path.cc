// SPDX-License-Identifier: Apache-2.0
// Walks and sweeps over the execution order.
#include "analysis/critical_path.h"

#include <algorithm>
#include <limits>

#include "analysis/execution_order.h"
#include "analysis/placements.h"
#include "analysis/task_times.h"
#include "analysis/waits.h"

namespace tasklens {
namespace {

// Returns the step of `task`: of everything that delayed it, the last to end. `previous`: its
// worker's previous task, or kNone.
CriticalStep StepOf(const TraceModel& model, const Waits& waits, uint32_t task, uint32_t previous,
                    uint32_t& holder) {
  const TaskTable& tasks = model.tasks;
  CriticalStep step{task, Hold::kStart, 0};
  holder = kNone;
  int64_t over_ns = kNever;
  // If a dependency and the worker's task ended at the same moment, the dependency wins: users can
  // change it.
  waits.ForEach(task, [&](const Waits::Edge& edge) {
    if (holder != kNone && edge.arrival_ns <= over_ns) return;
    holder = edge.before;
    step.message = edge.message;
    over_ns = edge.arrival_ns;
    step.hold = Hold::kDependency;
  });
  if (previous != kNone && waits.order().Forward(tasks, previous, task) &&
      (holder == kNone || tasks.end_ns[previous] > over_ns)) {
    holder = previous;
    over_ns = tasks.end_ns[previous];
    step.hold = Hold::kWorker;
    step.message = kNone;
  }
  if (holder == kNone) return step;
  if (waits.IsPassage(holder)) {
    const Waits::Origin origin = waits.Behind(holder);
    holder = origin.task;
    if (step.message == kNone) step.message = origin.message;
  }
  if (step.message != kNone) step.hold = Hold::kMessage;
  step.wait_ns = tasks.start_ns[task] - tasks.end_ns[holder];
  // A task that was submitted early in its wait was not delayed by the program.
  if (tasks.submit_ns[task] != kNever && tasks.submit_ns[task] > over_ns &&
      tasks.submit_ns[task] - over_ns >= step.wait_ns / 2) {
    step.hold = Hold::kSubmission;
    step.message = kNone;
  }
  return step;
}

}  // namespace

std::string_view HoldName(Hold hold) {
  switch (hold) {
    case Hold::kStart: return "start";
    case Hold::kDependency: return "dependency";
    case Hold::kWorker: return "worker";
    case Hold::kSubmission: return "submission";
    case Hold::kMessage: return "message";
  }
  return "start";
}

CriticalPath ObservedCriticalPath(const TraceModel& model, Stop stop) {
  const ExecutionOrder order(model);
  return ObservedCriticalPath(model, Waits(model, order, stop), stop);
}

CriticalPath ObservedCriticalPath(const TraceModel& model, const Waits& waits, Stop stop) {
  const ExecutionOrder& order = waits.order();
  CriticalPath path;
  if (order.tasks.empty()) return path;
  const std::vector<uint32_t> previous = PreviousOnWorker(model, order);
  const TaskTable& tasks = model.tasks;
  uint32_t task =
      *std::max_element(order.tasks.begin(), order.tasks.end(),
                        [&](uint32_t a, uint32_t b) { return tasks.end_ns[a] < tasks.end_ns[b]; });
  // Ranks with unaligned clocks may begin before the one in which the run ends.
  const int64_t begin_ns = std::min(RunWindows(model)[tasks.rank_index[task]].begin_ns,
                                    tasks.start_ns[order.tasks.front()]);
  path.steps.reserve(order.tasks.size());  // unused capacity takes no memory
  while (task != kNone) {
    if (Stopped(stop, path.steps.size())) return path;
    uint32_t holder;
    CriticalStep step = StepOf(model, waits, task, previous[task], holder);
    if (holder == kNone) step.wait_ns = tasks.start_ns[task] - begin_ns;
    path.work_ns += tasks.RunNs(task);
    path.wait_ns += step.wait_ns + tasks.paused_ns[task];
    path.steps.push_back(step);
    task = holder;
  }
  std::reverse(path.steps.begin(), path.steps.end());
  return path;
}

LongestChain LongestDependencyChain(const TraceModel& model, Stop stop) {
  const ExecutionOrder order(model);
  return LongestDependencyChain(model, Waits(model, order, stop), stop);
}

LongestChain LongestDependencyChain(const TraceModel& model, const Waits& waits, Stop stop) {
  const FastestLengths fastest_ns(model, stop);
  const std::span<const uint32_t> sequence = waits.sequence();
  std::vector<int64_t> length_ns;  // by place in `sequence`
  length_ns.reserve(sequence.size());
  // Returns the place of the predecessor of `row` at the end of the longest chain, or kNone.
  const auto before = [&](uint32_t row) {
    uint32_t longest = kNone;
    waits.ForEach(row, [&](const Waits::Edge& edge) {
      const uint32_t place = waits.position(edge.before);
      if (longest == kNone || length_ns[place] > length_ns[longest]) longest = place;
    });
    return longest;
  };
  uint32_t longest = kNone;
  for (uint32_t i = 0; i < sequence.size(); ++i) {
    if (Stopped(stop, i)) return {};
    const uint32_t row = sequence[i], place = before(row);
    const bool is_passage = waits.IsPassage(row);
    length_ns.push_back((is_passage ? 0 : fastest_ns(row)) +
                        (place == kNone ? 0 : length_ns[place]));
    if (!is_passage && (longest == kNone || length_ns[i] > length_ns[longest])) longest = i;
  }
  LongestChain chain;
  if (longest == kNone) return chain;
  chain.length_ns = length_ns[longest];
  chain.tasks.reserve(longest + size_t{1});  // unused capacity takes no memory
  for (uint32_t i = longest; i != kNone; i = before(sequence[i]))
    if (!waits.IsPassage(sequence[i])) chain.tasks.push_back(sequence[i]);
  std::reverse(chain.tasks.begin(), chain.tasks.end());
  return chain;
}

std::vector<int64_t> SlackNs(const TraceModel& model, Stop stop) {
  const ExecutionOrder order(model);
  const Waits waits(model, order, stop);
  const TaskTable& tasks = model.tasks;
  const std::vector<uint32_t> previous = PreviousOnWorker(model, order);
  constexpr int64_t kAnyNs = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> slack_ns(tasks.size(), kNever);
  int64_t last_ns = 0;
  for (const uint32_t task : order.tasks) last_ns = std::max(last_ns, tasks.end_ns[task]);
  const std::span<const uint32_t> sequence = waits.sequence();
  for (const uint32_t row : sequence)
    slack_ns[row] = waits.IsPassage(row) ? kAnyNs : last_ns - tasks.end_ns[row];
  // Backwards: the slack of a task is final before its predecessors need it.
  for (size_t i = sequence.size(); i-- > 0;) {
    const uint32_t after = sequence[i];
    if (Stopped(stop, i)) return slack_ns;
    const int64_t after_ns = slack_ns[after];
    if (after_ns == kAnyNs) continue;  // no executed task waits for it
    waits.ForEach(after, [&](const Waits::Edge& edge) {
      slack_ns[edge.before] = std::min(slack_ns[edge.before], edge.room_ns + after_ns);
    });
    if (waits.IsPassage(after)) continue;
    if (const uint32_t before = previous[after];
        before != kNone && order.Forward(tasks, before, after)) {
      const int64_t room_ns = tasks.start_ns[after] - tasks.end_ns[before];
      slack_ns[before] = std::min(slack_ns[before], room_ns + after_ns);
    }
  }
  if (sequence.size() > order.tasks.size())
    for (const uint32_t row : sequence)
      if (waits.IsPassage(row)) slack_ns[row] = kNever;
  return slack_ns;
}

}  // namespace tasklens
