// SPDX-License-Identifier: Apache-2.0
// Messages about advice, critical path, idle time, efficiency and bounds.
#include "analysis/advice.h"
#include "analysis/bounds.h"
#include "analysis/call_sites.h"
#include "analysis/critical_path.h"
#include "analysis/efficiency.h"
#include "analysis/idle.h"
#include "analysis/solver/linear_program.h"
#include "analysis/statistics.h"
#include "server/answers/answers.h"
#include "server/answers/area_bound.h"
#include "server/answers/known_values.h"
#include "server/answers/whole_ns.h"

namespace tasklens {
namespace {

std::string WorkerLabel(const TraceModel& model, uint32_t worker) {
  return StatisticsLabel(model, StatisticsBy::kWorker, worker);
}

std::map<std::string, int64_t> ByName(const CauseTimes& times_ns) {
  std::map<std::string, int64_t> by_name;
  for (size_t cause = 0; cause < kIdleCauses; ++cause)
    by_name[std::string(IdleCauseName(static_cast<IdleCause>(cause)))] = times_ns[cause];
  return by_name;
}

// Returns the place where the program waited during a pause for lack of submitted tasks, if known.
std::optional<messages::PauseWait> WaitedMessage(const TraceModel& model, const IdlePause& pause) {
  if (pause.cause_ns[static_cast<size_t>(IdleCause::kNothingSubmitted)] == 0) return std::nullopt;
  const WaitCost wait = LongestWaitWithin(model, model.workers.rank_index[pause.worker],
                                          {pause.start_ns, pause.end_ns});
  if (wait.site == kNone) return std::nullopt;
  return messages::PauseWait{.site = wait.site,
                             .file = std::string(model.str(model.sites.file[wait.site])),
                             .line = model.sites.line[wait.site],
                             .waited_ns = wait.total_ns};
}

messages::SplitTimes SplitMessage(const Efficiency& efficiency) {
  messages::SplitTimes split{EfficiencyMessage(efficiency)};
  split.task_ns = efficiency.task_ns;
  split.transfer_ns = efficiency.transfer_ns;
  split.scheduling_ns = efficiency.scheduling_ns;
  split.runtime_ns = efficiency.runtime_ns;
  split.no_work_ns = efficiency.no_work_ns;
  split.not_known_ns = efficiency.not_known_ns;
  split.not_counted_ns = efficiency.not_counted_ns;
  return split;
}

messages::EfficiencySplit SplitMessage(const TraceModel& model, const EfficiencyReport& report) {
  messages::EfficiencySplit split{.whole = SplitMessage(report.whole)};
  for (size_t rank = 0; rank < report.ranks.size(); ++rank)
    split.ranks.push_back({SplitMessage(report.ranks[rank]), model.ranks.rank[rank]});
  for (uint32_t worker = 0; worker < report.workers.size(); ++worker)
    split.workers.push_back({SplitMessage(report.workers[worker]), WorkerLabel(model, worker)});
  return split;
}

messages::BoundOfRank RankMessage(const TraceModel& model, const Bounds& bounds, size_t rank) {
  const AreaBound& area = bounds.area[rank];
  messages::BoundOfRank message{.rank = model.ranks.rank[rank],
                                .window_ns = bounds.windows[rank].length_ns(),
                                .why_not_found = KnownText(WhyNotFound(area))};
  if (!message.why_not_found) message.area_bound_ns = area.bound_ns;
  for (const Placement& placement : area.placements)
    message.placements.push_back(
        {.codelet = StatisticsLabel(model, StatisticsBy::kCodelet, placement.codelet),
         .footprint = placement.footprint,
         .kind = WorkerKindName(placement.kind),
         .ran = placement.ran,
         .best = placement.best,
         .mean_ns = WholeNs(placement.mean_ns),
         .expected = placement.expected});
  return message;
}

}  // namespace

messages::Task TaskMessage(const TraceModel& model, uint32_t task) {
  const TaskTable& tasks = model.tasks;
  const uint32_t rank = tasks.rank_index[task];
  messages::Task message{.task = task,
                         .name = std::string(model.TaskNameOf(task)),
                         .job = tasks.job[task],
                         .rank = rank < model.ranks.size() ? model.ranks.rank[rank] : 0,
                         .start_ns = KnownTime(tasks.start_ns[task]),
                         .end_ns = KnownTime(tasks.end_ns[task])};
  if (tasks.site[task] < model.sites.size()) message.site = tasks.site[task];
  if (tasks.rgb[task] != kNone) message.own_rgb = tasks.rgb[task] & 0xFFFFFF;
  return message;
}

messages::TaskWithLine TaskWithLineMessage(const TraceModel& model, uint32_t task) {
  const TaskTable& tasks = model.tasks;
  const uint32_t site = tasks.site[task], worker = tasks.worker[task];
  messages::TaskWithLine message{TaskMessage(model, task)};
  message.submit_ns = KnownTime(tasks.submit_ns[task]);
  if (worker < model.workers.size()) message.worker = WorkerLabel(model, worker);
  if (site < model.sites.size()) {
    message.file = model.str(model.sites.file[site]);
    message.line = model.sites.line[site];
  }
  return message;
}

std::optional<messages::TaskWithLine> KnownTask(const TraceModel& model, uint32_t task) {
  return task == kNone ? std::nullopt : std::optional(TaskWithLineMessage(model, task));
}

std::vector<messages::Finding> FindingMessages(const TraceModel& model,
                                               std::span<const Finding> findings) {
  std::vector<messages::Finding> rows;
  for (const Finding& finding : findings) {
    messages::Finding& row = rows.emplace_back();
    row.rule = finding.rule;
    row.severity = AdviceSeverityName(finding.severity);
    row.cost_ns = finding.cost_ns;
    row.message = finding.message;
    for (const Evidence& one : finding.evidence) row.evidence[one.name] = one.value;
    if (finding.site >= model.sites.size()) continue;
    row.site = finding.site;
    row.file = model.str(model.sites.file[finding.site]);
    row.line = model.sites.line[finding.site];
  }
  return rows;
}

messages::PathStep PathStepMessage(const TraceModel& model, const CriticalStep& step) {
  messages::PathStep message{.task = TaskWithLineMessage(model, step.task),
                             .hold = std::string(HoldName(step.hold)),
                             .wait_ns = step.wait_ns,
                             .length_ns = model.tasks.RunNs(step.task)};
  if (step.message != kNone) {
    message.sent_ns = model.messages.send_ns[step.message];
    message.received_ns = model.messages.receive_ns[step.message];
  }
  return message;
}

messages::ChainLink ChainLinkMessage(const TraceModel& model, std::span<const uint32_t> chain,
                                     size_t place) {
  const int64_t start_ns = model.tasks.start_ns[chain[place]];
  messages::ChainLink link{.task = TaskWithLineMessage(model, chain[place])};
  if (place + 1 < chain.size() && start_ns != kNever)
    link.gap_ns = start_ns - model.tasks.end_ns[chain[place + 1]];
  return link;
}

std::vector<messages::ChainLink> ChainMessages(const TraceModel& model,
                                               std::span<const uint32_t> chain) {
  std::vector<messages::ChainLink> links;
  for (size_t i = 0; i < chain.size(); ++i) links.push_back(ChainLinkMessage(model, chain, i));
  return links;
}

messages::Pause PauseMessage(const TraceModel& model, const IdlePause& pause,
                             std::span<const uint32_t> chain) {
  messages::Pause message{.worker = WorkerLabel(model, pause.worker),
                          .start_ns = pause.start_ns,
                          .end_ns = pause.end_ns,
                          .cause = std::string(IdleCauseName(pause.main_cause())),
                          .causes_ns = ByName(pause.cause_ns),
                          .waited = WaitedMessage(model, pause),
                          .next_task = KnownTask(model, pause.next_task)};
  if (message.next_task) message.chain = ChainMessages(model, chain);
  return message;
}

messages::NotIdle NotIdleMessage(const TraceModel& model, uint32_t worker, const NotIdle& instead) {
  return {.worker = WorkerLabel(model, worker),
          .what = std::string(NotIdleName(instead.what)),
          .task = KnownTask(model, instead.task),
          .begin_ns = instead.measured.begin_ns,
          .end_ns = instead.measured.end_ns};
}

std::map<std::string, int64_t> TimesByCause(const StretchTime& time) {
  std::map<std::string, int64_t> times_ns = ByName(time.cause_ns);
  times_ns["tasks"] = time.task_ns;
  return times_ns;
}

messages::Efficiency EfficiencyMessage(const Efficiency& efficiency) {
  if (efficiency.all_ns() <= 0) return {};
  return {.total = efficiency.Total(),
          .locality = efficiency.Locality(),
          .scheduling = efficiency.Scheduling(),
          .runtime = efficiency.Runtime(),
          .parallelism = efficiency.Parallelism(),
          .known = efficiency.Known()};
}

std::string WhyNotFound(const AreaBound& area) {
  if (area.status != BoundStatus::kGaveUp) return "";
  const Status solver = SolverStatus();
  return solver.ok() ? "too many kinds of tasks" : solver.message();
}

messages::Bound BoundMessage(const TraceModel& model, const Bounds& bounds,
                             const EfficiencyReport& efficiency) {
  messages::Bound message{.span_ns = bounds.span_ns,
                          .bound_ns = bounds.best_ns(),
                          .longest_chain_ns = bounds.critical_path_ns,
                          .longest_chain_tasks = bounds.critical_chain.size(),
                          .efficiency_split = SplitMessage(model, efficiency)};
  if (bounds.span_ns > 0) message.bound_over_span = bounds.BoundOverSpan();
  for (size_t rank = 0; rank < bounds.area.size(); ++rank)
    message.ranks.push_back(RankMessage(model, bounds, rank));
  return message;
}

}  // namespace tasklens
