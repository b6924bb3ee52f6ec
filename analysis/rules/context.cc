// SPDX-License-Identifier: Apache-2.0
// Computes the data that rules share.
#include "analysis/rules/context.h"

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <utility>

#include "analysis/bounds.h"
#include "analysis/execution_order.h"
#include "analysis/placements.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "analysis/sum.h"
#include "analysis/waits.h"
#include "trace/model/questions.h"
#include "trace/support/beside.h"

namespace tasklens {
namespace {

// Calls visit(task, time) for each callback function that a worker ran during the run, outside of
// tasks: `task` is the worker's last task before it, kNone if there is none. Callbacks within a
// task count as the task's time.
template <class Visit>
void ForEachCallback(const TraceModel& model, const IdleReport& idle, const Visit& visit) {
  const StateTable& states = model.states;
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    const uint32_t track = model.workers.track[worker];
    const Span& measured = idle.workers[worker].measured;
    uint32_t task = kNone;
    int64_t task_end_ns = kNever;
    for (const uint32_t s : StatesOf(states, track)) {
      if (states.kind[s] == StateKind::kTask) {
        task = states.task[s];
        task_end_ns = states.end_ns[s];
      }
      if (states.kind[s] != StateKind::kCallback || states.start_ns[s] < task_end_ns) continue;
      const int64_t ns = std::min(states.end_ns[s], measured.end_ns) -
                         std::max(states.start_ns[s], measured.begin_ns);
      if (ns > 0) visit(task, ns);
    }
  }
}

std::vector<SiteLoss> LossBySite(const TraceModel& model, const IdleReport& idle) {
  const TaskTable& tasks = model.tasks;
  std::vector<SiteLoss> sites(model.sites.size() + 1);
  const auto of_task = [&](uint32_t task) -> SiteLoss& {
    return sites[std::min<size_t>(tasks.site[task], model.sites.size())];
  };
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (!Executed(tasks, task)) continue;
    ++of_task(task).tasks;
    AddNs(of_task(task).task_ns, tasks.RunNs(task));
  }
  for (const IdlePause& pause : idle.pauses) {
    if (pause.next_task == kNone) continue;
    for (size_t cause = 0; cause < kIdleCauses; ++cause)
      AddNs(of_task(pause.next_task).cause_ns[cause], pause.cause_ns[cause]);
  }
  ForEachCallback(model, idle, [&](uint32_t task, int64_t ns) {
    SiteLoss& site = task == kNone ? sites.back() : of_task(task);
    ++site.callbacks;
    AddNs(site.callbacks_ns, ns);
  });
  for (uint32_t site = 0; site < model.sites.size(); ++site) sites[site].site = site;
  std::erase_if(sites, [](const SiteLoss& loss) { return loss.tasks == 0; });
  return sites;
}

void AddMessages(const TraceModel& model, const IdleReport& idle, const MessageWaits& messages,
                 std::vector<SiteLoss>& sites) {
  std::vector<int64_t> messages_ns(model.sites.size() + 1);
  for (size_t row = 0; row < messages.travelling_ns.size(); ++row) {
    const IdlePause& pause = idle.pauses[row];
    if (pause.next_task == kNone) continue;
    const size_t site = std::min<size_t>(model.tasks.site[pause.next_task], model.sites.size());
    AddNs(messages_ns[site], std::min(messages.travelling_ns[row],
                                      pause.cause_ns[static_cast<size_t>(IdleCause::kTransfer)]));
  }
  for (SiteLoss& site : sites)
    site.messages_ns = messages_ns[std::min<size_t>(site.site, model.sites.size())];
}

// Longer than five times the 95 % quantile of its codelet and footprint: ordinary variation does
// not reach this, even if a few tasks are of another kind. Had the task its usual length, its
// worker would have taken over work of others: the run would be shorter by the excess shared among
// all workers, plus the time in which these were idle, but at most by the excess.
OutlyingTask FindOutlier(const AdviceContext& context) {
  constexpr int64_t kFarBeyond = 5;
  const TaskTable& tasks = context.model.tasks;
  const auto kind_of = [&](uint32_t task) {
    return std::pair(tasks.name[task], tasks.has_footprint[task] ? tasks.footprint[task] : 0);
  };
  std::map<std::pair<StringId, uint32_t>, std::vector<int64_t>> lengths_ns;
  for (uint32_t task = 0; task < tasks.size(); ++task)
    if (Completed(tasks, task)) lengths_ns[kind_of(task)].push_back(tasks.RunNs(task));
  std::map<std::pair<StringId, uint32_t>, DurationSummary> usual;
  for (auto& [kind, kind_ns] : lengths_ns)
    if (kind_ns.size() >= kManyTasks) usual[kind] = Summarize(kind_ns);
  OutlyingTask outlier;
  for (const CriticalStep& step : context.path.steps) {
    const auto others = usual.find(kind_of(step.task));
    const int64_t length_ns = tasks.RunNs(step.task);
    if (others == usual.end() || length_ns / kFarBeyond <= others->second.quantile_ns.back())
      continue;
    OutlyingTask found{step.task, length_ns, others->second.median_ns()};
    found.cost_ns =
        std::min(found.BeyondNs(), context.RunNs(context.whole.no_work_ns + found.BeyondNs()));
    if (context.WorthSaying(found.cost_ns) && found.cost_ns > outlier.cost_ns) outlier = found;
  }
  return outlier;
}

// Whether the trace shows that all ranks ran on one machine.
bool IsOneMachine(const TraceModel& model) {
  std::vector<StringId> hosts;
  for (const auto& [key, value] : model.info)
    if (model.str(key) == "host") hosts.push_back(value);
  return hosts.size() >= model.ranks.size() && AreAlike(hosts);
}

std::vector<std::vector<uint32_t>> WorkersOfSharedProcessors(const TraceModel& model,
                                                             const IdleReport& idle) {
  const bool is_one_machine = IsOneMachine(model);
  std::map<std::pair<uint32_t, int32_t>, std::vector<uint32_t>> workers_of;  // machine, processor
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    const int32_t processor = model.workers.cpu[worker];
    if (model.workers.arch[worker] != WorkerArch::kCpu || processor < 0) continue;
    if (idle.workers[worker].busy_ns == 0) continue;
    const uint32_t machine = is_one_machine ? 0 : model.workers.rank_index[worker];
    workers_of[{machine, processor}].push_back(worker);
  }
  // Workers that existed at different times, as in several runs of a process, share nothing.
  const auto meet = [&model](uint32_t a, uint32_t b) {
    const uint32_t x = model.workers.track[a], y = model.workers.track[b];
    return model.tracks.start_ns[x] < model.tracks.end_ns[y] &&
           model.tracks.start_ns[y] < model.tracks.end_ns[x];
  };
  std::vector<std::vector<uint32_t>> shared;
  for (const auto& [place, workers] : workers_of) {
    std::vector<uint32_t> at_once;
    for (const uint32_t worker : workers) {
      const auto meets = [&](uint32_t other) { return other != worker && meet(worker, other); };
      if (std::any_of(workers.begin(), workers.end(), meets)) at_once.push_back(worker);
    }
    if (!at_once.empty()) shared.push_back(std::move(at_once));
  }
  return shared;
}

}  // namespace

std::vector<double> WorthOfWorkers(const TraceModel& model) {
  const std::vector<WorkerKind> kinds = WorkerKinds(model);
  std::vector<double> worth(kinds.size(), 1);
  if (AreAlike(kinds)) return worth;
  // For each kind, the time of its codelets' tasks there, and on the fastest kind.
  struct Times {
    double here_ns = 0, fastest_ns = 0;
  };
  std::map<std::pair<uint32_t, WorkerKind>, Times> times;  // by rank
  const std::vector<std::vector<Placement>> placements = Placements(model, kinds);
  for (uint32_t rank = 0; rank < placements.size(); ++rank) {
    ForEachCodelet(placements[rank], [&](std::span<const Placement> rows) {
      if (rows.size() < 2) return;
      double fastest_ns = rows[0].mean_ns, tasks = 0;
      for (const Placement& row : rows) {
        fastest_ns = std::min(fastest_ns, row.mean_ns);
        tasks += static_cast<double>(row.ran);
      }
      for (const Placement& row : rows) {
        Times& sum = times[{rank, row.kind}];
        sum.here_ns += tasks * row.mean_ns;
        sum.fastest_ns += tasks * fastest_ns;
      }
    });
  }
  for (size_t worker = 0; worker < kinds.size(); ++worker) {
    const auto sum = times.find({model.workers.rank_index[worker], kinds[worker]});
    if (sum != times.end() && sum->second.here_ns > 0)
      worth[worker] = sum->second.fastest_ns / sum->second.here_ns;
  }
  return worth;
}

namespace {

// nullopt: all workers have the same worth.
std::optional<IdleReport> Weighted(const TraceModel& model, const IdleReport& report) {
  const std::vector<double> worth = WorthOfWorkers(model);
  if (std::all_of(worth.begin(), worth.end(), [](double one) { return one == 1; }))
    return std::nullopt;
  IdleReport weighted = report;
  const auto weigh = [](int64_t& ns, double by) {
    ns = static_cast<int64_t>(static_cast<double>(ns) * by);
  };
  for (size_t worker = 0; worker < worth.size(); ++worker) {
    WorkerTime& time = weighted.workers[worker];
    weigh(time.busy_ns, worth[worker]);
    weigh(time.idle_ns, worth[worker]);
    weigh(time.behind_others_ns, worth[worker]);
    for (int64_t& ns : time.cause_ns) weigh(ns, worth[worker]);
  }
  for (IdlePause& pause : weighted.pauses)
    for (int64_t& ns : pause.cause_ns) weigh(ns, worth[pause.worker]);
  return weighted;
}

}  // namespace

AdviceContext::AdviceContext(const TraceModel& trace, const IdleReport& idle_report, Stop stop)
    : model(trace),
      weighted_(Weighted(trace, idle_report)),
      idle(weighted_ ? *weighted_ : idle_report),
      windows(RunWindows(trace)) {
  if (Stopped(stop)) return;
  for (const Span& window : windows) span_ns = std::max(span_ns, window.length_ns());
  constexpr int64_t kNotable = 4;
  // Finds the critical path and the longest chain; returns the longest area bound. Runs in parallel
  // with the rest of the analysis of idle times.
  const auto look_at_dependencies = [&] {
    const ExecutionOrder order(trace);
    const Waits waits(trace, order, stop);
    path = ObservedCriticalPath(trace, waits, stop);
    chain = LongestDependencyChain(trace, waits, stop);
    if (chain.length_ns > span_ns / kNotable)
      chain_causes = FindChainCauses(trace, waits, chain, stop);
    message_waits = WaitsForMessages(trace, waits, idle, stop);
    double area_ns = 0;
    areas = AreaBounds(trace, stop);
    for (const AreaBound& area : areas) area_ns = std::max(area_ns, area.bound_ns);
    return area_ns;
  };
  constexpr size_t kWorthAThread = 100'000;
  std::future<double> area = BesideIf(trace.tasks.size() >= kWorthAThread, look_at_dependencies);
  whole = SplitEfficiency(trace, idle).whole;
  sites = LossBySite(trace, idle);
  submission = SplitSubmission(trace, idle);
  const auto area_ns = static_cast<int64_t>(area.get());
  AddMessages(trace, idle, message_waits, sites);
  above_area_ns = std::max<int64_t>(0, span_ns - area_ns);
  above_bound_ns = std::max<int64_t>(0, span_ns - std::max(area_ns, chain.length_ns));
  int64_t nothing_for_it_ns = 0;
  for (const WorkerTime& time : idle.workers) {
    if (!time.counts) continue;
    workers += time.measured.length_ns() > 0;
    AddNs(nothing_for_it_ns, time.cause_ns[static_cast<size_t>(IdleCause::kNothingForIt)]);
  }
  if (span_ns > 0)
    wanted_workers = std::max(
        1., static_cast<double>(whole.all_ns() - nothing_for_it_ns) / static_cast<double>(span_ns));
  for (const SiteLoss& site : sites) tasks += site.tasks;
  scheduler = LastInfo(trace, "scheduler");
  runtime = LastInfo(trace, "runtime");
  int64_t transfer_ns = 0;
  for (const SiteLoss& site : sites) AddNs(transfer_ns, site.Of(IdleCause::kTransfer));
  if (WorthSaying(RunNs(transfer_ns))) reloads = FindReloads(trace, path);
  if (WorthSaying(NothingReadyNs())) good_order = ScheduleByList(trace, stop);
  if (good_order.span_ns > 0 && WorthSaying(span_ns - good_order.span_ns) &&
      trace.tasks.priority.AllDefault())
    order_of_run = ScheduleByList(trace, stop, ListOrder::kOfTheRun);
  fellows = FellowsOf(trace);
  slow_worker = FindSlowWorkerOf(trace, fellows);
  sharing = WorkersOfSharedProcessors(trace, idle);
  outlier = FindOutlier(*this);
}

int64_t AdviceContext::NothingReadyNs() const {
  int64_t sum_ns = 0;
  for (const WorkerTime& time : idle.workers)
    if (time.counts)
      AddNs(sum_ns,
            time.cause_ns[static_cast<size_t>(IdleCause::kNothingReady)] - time.behind_others_ns);
  return RunNs(std::max<int64_t>(0, sum_ns - submission.held_unready_ns));
}

std::string AdviceContext::DataText(uint32_t handle) const {
  const HandleTable& handles = model.handles;
  if (const std::string_view name = model.str(handles.name[handle]); !name.empty())
    return "'" + std::string(name) + "'";
  const std::string number = std::to_string(handle + 1);
  const StringId description = handles.description[handle];
  if (model.str(description).empty()) return "data " + number;
  size_t alike = 0;
  for (size_t other = 0; other < handles.size(); ++other)
    alike += handles.description[other] == description;
  std::string text(model.str(description));
  if (alike > 1) text += " (no. " + number + " of " + std::to_string(handles.size()) + " data)";
  return text;
}

const SiteLoss* AdviceContext::WorstSite(IdleCause cause) const {
  const auto worst = std::max_element(
      sites.begin(), sites.end(),
      [&](const SiteLoss& a, const SiteLoss& b) { return a.Of(cause) < b.Of(cause); });
  return worst != sites.end() && worst->Of(cause) > 0 ? &*worst : nullptr;
}

AdviceSeverity AdviceContext::SeverityOf(int64_t cost_ns) const {
  if (cost_ns < kNoticedNs) return AdviceSeverity::kInformation;
  const double share = ShareOfRun(cost_ns);
  if (share >= 0.5) return AdviceSeverity::kError;
  return share >= 0.1 ? AdviceSeverity::kWarning : AdviceSeverity::kInformation;
}

Finding AdviceContext::Make(int64_t cost_ns, uint32_t site, std::string message,
                            std::vector<Evidence> evidence) const {
  cost_ns = std::min(cost_ns, span_ns);
  return {"", SeverityOf(cost_ns), cost_ns, site, std::move(message), std::move(evidence)};
}

void AdviceContext::LimitCosts(CostLimit limit, std::vector<Finding>& findings,
                               size_t first) const {
  if (limit == CostLimit::kSpan) return;
  const int64_t most_ns = limit == CostLimit::kBound ? above_bound_ns : above_area_ns;
  const auto is_said_for_nothing = [&](Finding& finding) {
    if (finding.cost_ns <= most_ns) return false;
    finding.cost_ns = most_ns;
    finding.severity = SeverityOf(most_ns);
    return !WorthSaying(most_ns);
  };
  const auto begin = findings.begin() + static_cast<std::ptrdiff_t>(first);
  findings.erase(std::remove_if(begin, findings.end(), is_said_for_nothing), findings.end());
}

}  // namespace tasklens
