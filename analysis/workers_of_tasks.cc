// SPDX-License-Identifier: Apache-2.0
#include "analysis/workers_of_tasks.h"

#include "analysis/sum.h"
#include "analysis/task_stretches.h"

namespace tasklens {
namespace {

template <class Wanted>
std::vector<Participation> Parts(const TraceModel& model, const Wanted& wanted) {
  std::vector<Participation> parts;
  const StateTable& states = model.states;
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    const uint32_t track = model.workers.track[worker];
    if (size_t{track} + 1 >= states.first_of_track.size()) continue;
    const uint32_t first = states.first_of_track[track], last = states.first_of_track[track + 1];
    states.kind.ForEach(first, last, [&](size_t s, StateKind kind) {
      if (kind != StateKind::kTask || states.task[s] == kNone) return;
      const Participation part{states.task[s], worker, states.start_ns[s],
                               states.end_ns[s] - states.start_ns[s]};
      if (wanted(part)) parts.push_back(part);
    });
  }
  return parts;
}

// A state may begin later than its task if the runtime first pushed another state onto it.
bool IsInRow(const TaskTable& tasks, const Participation& part) {
  return tasks.worker[part.task] == part.worker && IsOfLastRun(tasks, part);
}

}  // namespace

std::vector<Participation> OtherWorkers(const TraceModel& model) {
  return Parts(model, [&](const Participation& part) { return !IsInRow(model.tasks, part); });
}

std::vector<Participation> FirstWorkers(const TraceModel& model) {
  if (model.tasks.last_start_ns.AllDefault() && model.stretches.size() == 0) return {};
  return Parts(model, [&](const Participation& part) {
    return (model.tasks.last_start_ns[part.task] != kNever || HasStretches(model, part.task)) &&
           IsInRow(model.tasks, part);
  });
}

TaskLengths::TaskLengths(const TraceModel& model) : tasks_(model.tasks) {
  for (const Participation& part : FirstWorkers(model)) {
    if (tasks_.last_worker[part.task] == part.worker && !HasStretches(model, part.task))
      AddNs(paused_.try_emplace(part.task, 0).first->second, part.length_ns);
  }
}

}  // namespace tasklens
