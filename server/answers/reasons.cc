// SPDX-License-Identifier: Apache-2.0
// Advice, critical path, idle time, efficiency and bounds as JSON.
#include "analysis/call_sites.h"
#include "analysis/solver/linear_program.h"
#include "server/answers/answers.h"
#include "server/answers/area_bound.h"
#include "server/answers/common.h"

namespace tasklens {

using Json = nlohmann::ordered_json;

namespace {

Json EvidenceAnswer(const std::vector<Evidence>& evidence) {
  Json answer = Json::object();
  for (const Evidence& one : evidence)
    std::visit([&](const auto& value) { answer[one.name] = value; }, one.value);
  return answer;
}

// Where nothing was measured there is no efficiency.
Json FactorsAnswer(const Efficiency& efficiency) {
  const auto share = [&](double value) { return efficiency.all_ns() > 0 ? Json(value) : Json(); };
  return {{"task_ns", efficiency.task_ns},
          {"transfer_ns", efficiency.transfer_ns},
          {"scheduling_ns", efficiency.scheduling_ns},
          {"runtime_ns", efficiency.runtime_ns},
          {"no_work_ns", efficiency.no_work_ns},
          {"not_known_ns", efficiency.not_known_ns},
          {"not_counted_ns", efficiency.not_counted_ns},
          {"locality", share(efficiency.Locality())},
          {"scheduling", share(efficiency.Scheduling())},
          {"runtime", share(efficiency.Runtime())},
          {"parallelism", share(efficiency.Parallelism())},
          {"known", share(efficiency.Known())},
          {"total", share(efficiency.Total())}};
}

int64_t LengthNs(const TraceModel& model, uint32_t task) { return model.tasks.RunNs(task); }

Json PlacementsAnswer(const TraceModel& model, const AreaBound& bound) {
  Json rows = Json::array();
  for (const Placement& placement : bound.placements)
    rows.push_back({{"codelet", StatisticsLabel(model, StatisticsBy::kCodelet, placement.codelet)},
                    {"footprint", placement.footprint},
                    {"kind", WorkerKindName(placement.kind)},
                    {"ran", placement.ran},
                    {"best", placement.best},
                    {"mean_ns", WholeNs(placement.mean_ns)},
                    {"expected", placement.expected}});
  return rows;
}

// Adds the time of each cause, by its name.
void AddCauses(const CauseTimes& times_ns, Json& answer) {
  for (size_t cause = 0; cause < kIdleCauses; ++cause)
    answer[std::string(IdleCauseName(static_cast<IdleCause>(cause)))] = times_ns[cause];
}

Json ChainAnswer(const TraceModel& model, std::span<const uint32_t> chain) {
  Json links = Json::array();
  for (size_t i = 0; i < chain.size(); ++i) links.push_back(ChainLinkAnswer(model, chain, i));
  return links;
}

}  // namespace

Json AdviceAnswer(const TraceModel& model, std::span<const Finding> findings) {
  Json rows = Json::array();
  for (const Finding& finding : findings) {
    const bool has_site = finding.site < model.sites.size();
    rows.push_back({{"rule", finding.rule},
                    {"severity", AdviceSeverityName(finding.severity)},
                    {"cost_ns", finding.cost_ns},
                    {"file", has_site ? model.str(model.sites.file[finding.site]) : ""},
                    {"line", has_site ? model.sites.line[finding.site] : 0},
                    {"message", finding.message},
                    {"evidence", EvidenceAnswer(finding.evidence)}});
  }
  return {{"findings", std::move(rows)}};
}

Json CriticalStepAnswer(const TraceModel& model, const CriticalStep& step) {
  const MessageTable& messages = model.messages;
  const bool has_message = step.message != kNone;
  return {{"task", TaskAnswer(model, step.task)},
          {"hold", HoldName(step.hold)},
          {"wait_ns", step.wait_ns},
          {"length_ns", LengthNs(model, step.task)},
          {"sent_ns", has_message ? Json(messages.send_ns[step.message]) : Json()},
          {"received_ns", has_message ? Json(messages.receive_ns[step.message]) : Json()}};
}

Json CriticalPathAnswer(const TraceModel& model, const CriticalPath& path) {
  Json steps = Json::array();
  for (const CriticalStep& step : path.steps) steps.push_back(CriticalStepAnswer(model, step));
  return {{"work_ns", path.work_ns}, {"wait_ns", path.wait_ns}, {"steps", std::move(steps)}};
}

Json ChainLinkAnswer(const TraceModel& model, std::span<const uint32_t> chain, size_t place) {
  const int64_t start_ns = model.tasks.start_ns[chain[place]];
  const bool has_gap = place + 1 < chain.size() && start_ns != kNever;
  return {{"task", TaskAnswer(model, chain[place])},
          {"gap_ns", has_gap ? Json(start_ns - model.tasks.end_ns[chain[place + 1]]) : Json()}};
}

Json LastDependencyAnswer(const TraceModel& model, std::span<const uint32_t> chain) {
  return {{"task", chain.empty() ? Json() : TaskAnswer(model, chain.front())},
          {"chain", ChainAnswer(model, chain)}};
}

Json StretchTimeAnswer(const StretchTime& time) {
  Json times{{"tasks", time.task_ns}};
  AddCauses(time.cause_ns, times);
  return times;
}

// Where the program waited while a worker had nothing to do for want of submitted tasks.
Json WaitedAnswer(const TraceModel& model, const IdlePause& pause) {
  if (pause.cause_ns[static_cast<size_t>(IdleCause::kNothingSubmitted)] == 0) return {};
  const WaitCost wait = LongestWaitWithin(model, model.workers.rank_index[pause.worker],
                                          {pause.start_ns, pause.end_ns});
  if (wait.site == kNone) return {};
  return {{"site", wait.site},
          {"file", model.str(model.sites.file[wait.site])},
          {"line", model.sites.line[wait.site]},
          {"waited_ns", wait.total_ns}};
}

Json PauseAnswer(const TraceModel& model, const IdlePause& pause, std::span<const uint32_t> chain) {
  Json causes = Json::object();
  AddCauses(pause.cause_ns, causes);
  return {{"worker", StatisticsLabel(model, StatisticsBy::kWorker, pause.worker)},
          {"start_ns", pause.start_ns},
          {"end_ns", pause.end_ns},
          {"cause", IdleCauseName(pause.main_cause())},
          {"causes_ns", std::move(causes)},
          {"waited", WaitedAnswer(model, pause)},
          {"next_task", TaskAnswer(model, pause.next_task)},
          {"chain", pause.next_task != kNone ? ChainAnswer(model, chain) : Json()}};
}

Json NotIdleAnswer(const TraceModel& model, uint32_t worker, const NotIdle& instead) {
  return {{"worker", StatisticsLabel(model, StatisticsBy::kWorker, worker)},
          {"what", NotIdleName(instead.what)},
          {"task", TaskAnswer(model, instead.task)},
          {"begin_ns", instead.measured.begin_ns},
          {"end_ns", instead.measured.end_ns}};
}

Json EfficiencyAnswer(const TraceModel& model, const EfficiencyReport& report) {
  Json ranks = Json::array(), workers = Json::array();
  for (size_t rank = 0; rank < report.ranks.size(); ++rank) {
    Json row{{"rank", model.ranks.rank[rank]}};
    row.update(FactorsAnswer(report.ranks[rank]));
    ranks.push_back(std::move(row));
  }
  for (uint32_t worker = 0; worker < report.workers.size(); ++worker) {
    Json row{{"worker", StatisticsLabel(model, StatisticsBy::kWorker, worker)}};
    row.update(FactorsAnswer(report.workers[worker]));
    workers.push_back(std::move(row));
  }
  return {{"whole", FactorsAnswer(report.whole)},
          {"ranks", std::move(ranks)},
          {"workers", std::move(workers)}};
}

std::string WhyNotFound(const AreaBound& area) {
  if (area.status != BoundStatus::kGaveUp) return "";
  const Status solver = SolverStatus();
  return solver.ok() ? "too many kinds of tasks" : solver.message();
}

Json BoundsAnswer(const TraceModel& model, const Bounds& bounds) {
  Json ranks = Json::array();
  for (size_t rank = 0; rank < bounds.area.size(); ++rank) {
    const AreaBound& area = bounds.area[rank];
    const std::string why_not = WhyNotFound(area);
    ranks.push_back({{"rank", model.ranks.rank[rank]},
                     {"window_ns", bounds.windows[rank].length_ns()},
                     {"area_bound_ns", why_not.empty() ? Json(area.bound_ns) : Json()},
                     {"why_not_found", why_not.empty() ? Json() : Json(why_not)},
                     {"placements", PlacementsAnswer(model, area)}});
  }
  return {{"span_ns", bounds.span_ns},
          {"bound_ns", bounds.best_ns()},
          {"bound_over_span", bounds.span_ns > 0 ? Json(bounds.BoundOverSpan()) : Json()},
          {"longest_chain_ns", bounds.critical_path_ns},
          {"longest_chain_tasks", bounds.critical_chain.size()},
          {"ranks", std::move(ranks)}};
}

}  // namespace tasklens
