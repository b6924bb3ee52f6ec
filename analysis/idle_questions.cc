// SPDX-License-Identifier: Apache-2.0
// Queries on a report of idle times.
#include <algorithm>
#include <utility>

#include "analysis/execution_order.h"
#include "analysis/idle.h"
#include "analysis/sum.h"
#include "analysis/task_stretches.h"
#include "trace/model/questions.h"

namespace tasklens {

const IdlePause* PauseAt(const IdleReport& report, uint32_t worker, int64_t time_ns) {
  const std::span<const IdlePause> pauses = report.PausesOf(worker);
  const auto it = std::ranges::partition_point(
      pauses, [&](const IdlePause& pause) { return pause.end_ns <= time_ns; });
  return it != pauses.end() && it->start_ns <= time_ns ? &*it : nullptr;
}

StretchTime TimeWithin(const IdleReport& report, Span stretch) {
  const auto overlap_ns = [&](int64_t begin_ns, int64_t end_ns) {
    return std::max<int64_t>(
        std::min(end_ns, stretch.end_ns) - std::max(begin_ns, stretch.begin_ns), 0);
  };
  StretchTime time;
  const auto add = [&](size_t cause, int64_t ns) { AddNs(time.cause_ns[cause], ns); };
  for (size_t worker = 0; worker < report.workers.size(); ++worker) {
    const Span measured = report.workers[worker].measured;
    int64_t busy_ns = overlap_ns(measured.begin_ns, measured.end_ns);
    const std::span<const IdlePause> pauses = report.PausesOf(static_cast<uint32_t>(worker));
    auto pause = std::ranges::partition_point(
        pauses, [&](const IdlePause& one) { return one.end_ns <= stretch.begin_ns; });
    for (; pause != pauses.end() && pause->start_ns < stretch.end_ns; ++pause) {
      const int64_t ns = overlap_ns(pause->start_ns, pause->end_ns);
      const double share =
          static_cast<double>(ns) / static_cast<double>(pause->end_ns - pause->start_ns);
      int64_t rest_ns = ns;
      for (size_t cause = 0; cause < kIdleCauses; ++cause) {
        const double part_ns = static_cast<double>(pause->cause_ns[cause]) * share;
        const int64_t whole_ns = std::min(static_cast<int64_t>(part_ns), rest_ns);
        add(cause, whole_ns);
        rest_ns -= whole_ns;
      }
      add(static_cast<size_t>(pause->main_cause()), rest_ns);  // the rounding error
      busy_ns -= ns;
    }
    AddNs(time.task_ns, busy_ns);
  }
  return time;
}

std::vector<const IdlePause*> WorstPauses(const IdleReport& report, uint32_t worker) {
  std::vector<const IdlePause*> pauses;
  for (const IdlePause& pause : report.pauses)
    if (worker == kNone || pause.worker == worker) pauses.push_back(&pause);
  const auto length_ns = [](const IdlePause& pause) { return pause.end_ns - pause.start_ns; };
  const auto badness = [&](const IdlePause& pause) {
    const int64_t without_ns = pause.cause_ns[static_cast<size_t>(IdleCause::kNothingForIt)];
    return std::pair(length_ns(pause) - without_ns, length_ns(pause));
  };
  std::stable_sort(pauses.begin(), pauses.end(), [&](const IdlePause* a, const IdlePause* b) {
    return badness(*a) > badness(*b);
  });
  return pauses;
}

std::string_view NotIdleName(NotIdle::What what) {
  switch (what) {
    case NotIdle::What::kBusy: return "busy";
    case NotIdle::What::kBefore: return "before the run";
    case NotIdle::What::kAfter: return "after the run";
  }
  return "busy";
}

NotIdle WhyNotIdle(const TraceModel& model, const IdleReport& report, uint32_t worker,
                   int64_t time_ns) {
  const Span measured = report.workers[worker].measured;
  if (time_ns < measured.begin_ns) return {NotIdle::What::kBefore, kNone, measured};
  if (time_ns >= measured.end_ns) return {NotIdle::What::kAfter, kNone, measured};
  NotIdle busy{NotIdle::What::kBusy, kNone, measured};
  const TaskTable& tasks = model.tasks;
  for (uint32_t task = 0; task < tasks.size(); ++task)
    if (Executed(tasks, task) && tasks.start_ns[task] <= time_ns && time_ns < tasks.end_ns[task])
      ForEachStretch(model, task, [&](uint32_t of_worker, int64_t start_ns, int64_t end_ns) {
        if (of_worker == worker && start_ns <= time_ns && time_ns < end_ns) busy.task = task;
      });
  // The other workers of a parallel task have only a state of it.
  if (busy.task != kNone) return busy;
  const StateTable& states = model.states;
  for (const uint32_t i : StatesOf(states, model.workers.track[worker]))
    if (states.kind[i] == StateKind::kTask && states.start_ns[i] <= time_ns &&
        time_ns < states.end_ns[i])
      busy.task = states.task[i];
  return busy;
}

}  // namespace tasklens
