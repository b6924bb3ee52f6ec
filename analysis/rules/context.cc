// SPDX-License-Identifier: Apache-2.0
// The figures that rules share.
#include "analysis/rules/context.h"

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <utility>

#include "analysis/bounds.h"
#include "analysis/execution_order.h"
#include "analysis/sites.h"
#include "analysis/statistics.h"
#include "analysis/sum.h"
#include "analysis/waits.h"
#include "trace/support/beside.h"

namespace tasklens {
namespace {

// Calls visit(task, time) for each callback function that a worker ran during the run: `task` is
// the last one on that worker before it, kNone if there is none. Callbacks within a task are the
// task's time.
template <class Visit>
void ForEachCallback(const TraceModel& model, const IdleReport& idle, const Visit& visit) {
  const StateTable& states = model.states;
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    const uint32_t track = model.workers.track[worker];
    if (size_t{track} + 1 >= states.first_of_track.size()) continue;
    const Span& measured = idle.workers[worker].measured;
    uint32_t task = kNone;
    int64_t task_end_ns = kNever;
    for (uint32_t s = states.first_of_track[track]; s < states.first_of_track[track + 1]; ++s) {
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

constexpr size_t kMostWaits = 1000;

// When each rank's program waited for tasks and then submitted more.
struct Wait {
  uint32_t rank_index;
  Span span;
  uint32_t next_task;  // the first one submitted afterwards
};

// Waits that leave no state in the trace, as starpu_tag_wait(): all that was submitted had ended,
// and the next submission followed at once, within a tenth of the time that had been waited: a
// program that was busy would not know when tasks end. Where that is so for half of such pauses,
// the program waits in all of them, and was woken late in the others. Once or twice is no habit: a
// program whose processor the workers took goes on when these have nothing to do, too.
void AddWaitsWithoutState(const TraceModel& model, uint32_t rank,
                          const std::vector<uint32_t>& submitted, std::vector<Wait>& waits) {
  const TaskTable& tasks = model.tasks;
  std::vector<Wait> pauses, followed_at_once;
  int64_t last_end_ns = kNever;
  for (size_t i = 0; i + 1 < submitted.size(); ++i) {
    const uint32_t task = submitted[i], next = submitted[i + 1];
    const int64_t end_ns = Executed(tasks, task) ? tasks.end_ns[task] : tasks.done_ns[task];
    if (end_ns == kNever) break;  // from here on something submitted has not ended
    last_end_ns = std::max(last_end_ns, end_ns);
    const int64_t before_ns = tasks.submit_ns[task], after_ns = tasks.submit_ns[next];
    if (last_end_ns <= before_ns || last_end_ns > after_ns) continue;
    pauses.push_back({rank, {before_ns, after_ns}, next});
    if (after_ns - last_end_ns <= (last_end_ns - before_ns) / 10)
      followed_at_once.push_back(pauses.back());
  }
  constexpr size_t kHabit = 3;
  if (followed_at_once.size() < kHabit) return;
  if (followed_at_once.size() * 2 < pauses.size()) pauses = std::move(followed_at_once);
  waits.insert(waits.end(), pauses.begin(), pauses.end());
}

std::vector<Wait> WaitsBeforeSubmissions(const TraceModel& model,
                                         const std::vector<std::vector<uint32_t>>& submitted) {
  std::vector<Wait> waits;
  const StateTable& states = model.states;
  for (uint32_t track = 0; track + 1 < states.first_of_track.size(); ++track) {
    if (model.tracks.kind[track] != TrackKind::kThread) continue;
    const uint32_t rank = model.tracks.rank_index[track];
    for (uint32_t s = states.first_of_track[track]; s < states.first_of_track[track + 1]; ++s) {
      const StateKind kind = states.kind[s];
      if (kind != StateKind::kWaitingAllTasks && kind != StateKind::kWaitingTask) continue;
      // A submission at the very end of the wait came after it.
      const auto after = std::partition_point(
          submitted[rank].begin(), submitted[rank].end(),
          [&](uint32_t task) { return model.tasks.submit_ns[task] < states.end_ns[s]; });
      if (after != submitted[rank].end())
        waits.push_back({rank, {states.start_ns[s], states.end_ns[s]}, *after});
    }
  }
  for (uint32_t rank = 0; rank < submitted.size(); ++rank)
    AddWaitsWithoutState(model, rank, submitted[rank], waits);
  // Only the longest count where a trace has more waits than a program has phases: every worker may
  // pause through all of them.
  if (waits.size() > kMostWaits) {
    std::nth_element(
        waits.begin(), waits.begin() + kMostWaits, waits.end(),
        [](const Wait& a, const Wait& b) { return a.span.length_ns() > b.span.length_ns(); });
    waits.erase(waits.begin() + kMostWaits, waits.end());
  }
  // Of waits that overlap (several threads) each keeps only what is its own.
  std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
    return std::pair(a.rank_index, a.span.begin_ns) < std::pair(b.rank_index, b.span.begin_ns);
  });
  for (size_t i = 1; i < waits.size(); ++i) {
    if (waits[i].rank_index != waits[i - 1].rank_index) continue;
    waits[i].span.begin_ns = std::max(waits[i].span.begin_ns, waits[i - 1].span.end_ns);
    waits[i].span.end_ns = std::max(waits[i].span.end_ns, waits[i].span.begin_ns);
  }
  return waits;
}

// A pause for want of tasks that the program was slow to submit.
struct SlowPause {
  int64_t lost_ns;
  uint32_t next_task;  // or kNone
};

void SumUpSlowPauses(const TraceModel& model, std::vector<SlowPause>& pauses,
                     SubmissionLoss& loss) {
  std::map<uint32_t, int64_t> lost_by_site;
  for (const SlowPause& pause : pauses) {
    AddNs(loss.slow_ns, pause.lost_ns);
    if (pause.next_task != kNone)
      AddNs(lost_by_site[model.tasks.site[pause.next_task]], pause.lost_ns);
  }
  int64_t most_ns = 0;
  for (const auto& [site, lost_ns] : lost_by_site) {
    if (lost_ns <= most_ns) continue;
    most_ns = lost_ns;
    loss.slow_site = site;
  }
  std::sort(pauses.begin(), pauses.end(),
            [](const SlowPause& a, const SlowPause& b) { return a.lost_ns > b.lost_ns; });
  int64_t sum_ns = 0;
  for (const SlowPause& pause : pauses) {
    if (sum_ns >= loss.slow_ns / 2) break;
    AddNs(sum_ns, pause.lost_ns);
    ++loss.long_pauses;
  }
  if (loss.long_pauses > 0) loss.long_pause_ns = sum_ns / static_cast<int64_t>(loss.long_pauses);
}

// Splits what pauses lost for want of submitted tasks by what the program did meanwhile. A pause
// says how much it lost, not when; where it is longer than that, the wait is taken to explain it
// before slow submission, and both before the end.
SubmissionLoss SplitSubmission(const TraceModel& model, const IdleReport& idle) {
  std::vector<std::vector<uint32_t>> submitted(model.ranks.size());
  // Where lines are recorded, what has none (as the reductions of its data) is not the program's.
  const bool with_lines = model.sites.size() > 0;
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    if (model.tasks.submit_ns[task] != kNever && IsUserTask(model, task) &&
        (!with_lines || model.tasks.site[task] != kNone))
      submitted[model.tasks.rank_index[task]].push_back(task);
  const auto earlier = [&](uint32_t a, uint32_t b) {
    return model.tasks.submit_ns[a] < model.tasks.submit_ns[b];
  };
  for (std::vector<uint32_t>& tasks : submitted)
    if (!std::is_sorted(tasks.begin(), tasks.end(), earlier))
      std::sort(tasks.begin(), tasks.end(), earlier);
  const std::vector<Wait> waits = WaitsBeforeSubmissions(model, submitted);
  std::vector<int64_t> lost_ns(waits.size());
  std::vector<SlowPause> slow_pauses;

  SubmissionLoss loss;
  for (const IdlePause& pause : idle.pauses) {
    int64_t left_ns = pause.cause_ns[static_cast<size_t>(IdleCause::kNothingSubmitted)];
    if (left_ns == 0) continue;
    const uint32_t rank = model.workers.rank_index[pause.worker];
    const int64_t last_ns =
        submitted[rank].empty() ? pause.start_ns : model.tasks.submit_ns[submitted[rank].back()];
    int64_t before_last_ns = std::max<int64_t>(0, std::min(pause.end_ns, last_ns) - pause.start_ns);
    auto wait = std::partition_point(waits.begin(), waits.end(), [&](const Wait& w) {
      return std::pair(w.rank_index, w.span.end_ns) <= std::pair(rank, pause.start_ns);
    });
    for (; wait != waits.end() && wait->rank_index == rank && left_ns > 0 &&
           wait->span.begin_ns < pause.end_ns;
         ++wait) {
      const int64_t shared_ns =
          std::min({left_ns, before_last_ns,
                    std::max<int64_t>(0, std::min(wait->span.end_ns, pause.end_ns) -
                                             std::max(wait->span.begin_ns, pause.start_ns))});
      AddNs(loss.barrier_ns, shared_ns);
      AddNs(lost_ns[static_cast<size_t>(wait - waits.begin())], shared_ns);
      left_ns -= shared_ns;
      before_last_ns -= shared_ns;
    }
    const int64_t slow_ns = std::min(left_ns, before_last_ns);
    if (slow_ns > 0) slow_pauses.push_back({slow_ns, pause.next_task});
    AddNs(loss.end_ns, left_ns - slow_ns);
  }
  SumUpSlowPauses(model, slow_pauses, loss);
  const auto worst = std::max_element(lost_ns.begin(), lost_ns.end());
  if (worst != lost_ns.end() && *worst > 0)
    loss.after_barrier = waits[static_cast<size_t>(worst - lost_ns.begin())].next_task;
  return loss;
}

// Longer than five times what 19 of 20 tasks of its codelet and footprint take: lengths that merely
// vary, even where a few tasks are another kind of work, do not make a task stand out so far. Had
// it the usual length, its worker would have done others' work meanwhile: the run would be shorter
// by what is too long shared among all workers, and by the time in which these had nothing to do,
// but never by more than is too long.
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

// Whether the trace says that all ranks ran on one machine.
bool IsOneMachine(const TraceModel& model) {
  std::vector<StringId> hosts;
  for (const auto& [key, value] : model.info)
    if (model.str(key) == "host") hosts.push_back(value);
  return hosts.size() >= model.ranks.size() &&
         std::adjacent_find(hosts.begin(), hosts.end(), std::not_equal_to<>()) == hosts.end();
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
  // One after the other, as in several runs of a process, they share nothing.
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

AdviceContext::AdviceContext(const TraceModel& trace, const IdleReport& idle_report, Stop stop)
    : model(trace), idle(idle_report), windows(RunWindows(trace)) {
  if (Stopped(stop)) return;
  // Finds the path and the chain; returns the longest area bound. None of it needs the idle times,
  // so it runs beside what does.
  const auto look_at_dependencies = [&] {
    const ExecutionOrder order(trace);
    const Waits waits(trace, order, stop);
    path = ObservedCriticalPath(trace, waits, stop);
    chain = LongestDependencyChain(trace, waits, stop);
    double area_ns = 0;
    for (const AreaBound& area : AreaBounds(trace, stop))
      area_ns = std::max(area_ns, area.bound_ns);
    return area_ns;
  };
  constexpr size_t kWorthAThread = 100'000;
  std::future<double> area = BesideIf(trace.tasks.size() >= kWorthAThread, look_at_dependencies);
  whole = SplitEfficiency(trace, idle).whole;
  sites = LossBySite(trace, idle);
  submission = SplitSubmission(trace, idle);
  const auto area_ns = static_cast<int64_t>(area.get());
  for (const Span& window : windows) span_ns = std::max(span_ns, window.length_ns());
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
  for (const auto& [key, value] : trace.info) {
    if (trace.str(key) == "scheduler") scheduler = trace.str(value);
    if (trace.str(key) == "runtime") runtime = trace.str(value);
  }
  sharing = WorkersOfSharedProcessors(trace, idle);
  outlier = FindOutlier(*this);
}

const SiteLoss* AdviceContext::WorstSite(IdleCause cause) const {
  const auto worst = std::max_element(
      sites.begin(), sites.end(),
      [&](const SiteLoss& a, const SiteLoss& b) { return a.Of(cause) < b.Of(cause); });
  return worst != sites.end() && worst->Of(cause) > 0 ? &*worst : nullptr;
}

AdviceSeverity AdviceContext::SeverityOf(int64_t cost_ns) const {
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
