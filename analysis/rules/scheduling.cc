// SPDX-License-Identifier: Apache-2.0
// Rules about the placement and the order of tasks.
#include <algorithm>
#include <map>
#include <span>
#include <unordered_set>

#include "analysis/execution_order.h"
#include "analysis/rules/context.h"
#include "analysis/sum.h"
#include "analysis/text.h"
#include "analysis/waits.h"

namespace tasklens {
namespace {

// Returns for each task its own time plus the longest chain of its successors. The larger this is,
// the less the task may be delayed.
std::vector<int64_t> BottomLevelsNs(const TraceModel& model, const Waits& waits) {
  std::vector<int64_t> level_ns(model.tasks.size(), 0);
  const std::span<const uint32_t> sequence = waits.sequence();
  for (auto it = sequence.rbegin(); it != sequence.rend(); ++it) {
    if (!waits.IsPassage(*it)) AddNs(level_ns[*it], model.tasks.RunNs(*it));
    waits.ForEach(*it, [&](const Waits::Edge& edge) {
      level_ns[edge.before] = std::max(level_ns[edge.before], level_ns[*it]);
    });
  }
  return level_ns;
}

// Tasks of the critical path that were ready while their worker ran others with a shorter chain
// behind them.
struct Overtaken {
  int64_t wait_ns = 0;  // for the others
  int64_t tasks = 0;
  uint32_t worst = kNone;  // the task that waited longest
  int64_t worst_ns = 0;

  void Add(uint32_t task, int64_t ns) {
    if (ns == 0) return;
    AddNs(wait_ns, ns);
    ++tasks;
    if (ns > worst_ns) worst = task;
    worst_ns = std::max(worst_ns, ns);
  }
};

struct Overtaking {
  Overtaken higher, lower;  // by tasks of higher, of lower priority
};

Overtaking FindOvertaking(const AdviceContext& context) {
  constexpr size_t kMostLooks = 5'000'000;  // limit on visits of other tasks, for any trace
  const TraceModel& model = context.model;
  const TaskTable& tasks = model.tasks;
  Overtaking found;
  if (tasks.priority.AllDefault()) return found;
  const ExecutionOrder order(model);
  const std::vector<int64_t> level_ns = BottomLevelsNs(model, Waits(model, order));
  size_t looks = 0;
  // One task that goes first delays the whole rest of the path, but only once.
  std::unordered_set<uint32_t> counted;
  for (const CriticalStep& step : context.path.steps) {
    if (step.hold != Hold::kWorker) continue;
    const TaskTimes times = TimesOf(model, step.task);
    if (times.ready_ns >= times.start_ns) continue;
    auto other = std::partition_point(order.tasks.begin(), order.tasks.end(), [&](uint32_t task) {
      return tasks.start_ns[task] < times.ready_ns;
    });
    int64_t higher_ns = 0, lower_ns = 0;
    for (; other != order.tasks.end() && tasks.start_ns[*other] < times.start_ns &&
           looks < kMostLooks;
         ++other, ++looks) {
      if (tasks.worker[*other] != tasks.worker[step.task] ||
          level_ns[*other] >= level_ns[step.task] ||
          tasks.priority[*other] == tasks.priority[step.task] || !counted.insert(*other).second)
        continue;
      const int64_t length_ns =
          std::min(tasks.end_ns[*other], times.start_ns) - tasks.start_ns[*other];
      AddNs(tasks.priority[*other] > tasks.priority[step.task] ? higher_ns : lower_ns, length_ns);
    }
    found.higher.Add(step.task, higher_ns);
    found.lower.Add(step.task, lower_ns);
  }
  return found;
}

// Returns the possible gain by other priorities: at most the idle time of the workers, because the
// other tasks must run as well, only later.
int64_t CostOf(const AdviceContext& context, const Overtaken& overtaken) {
  return std::min(overtaken.wait_ns,
                  context.RunNs(context.whole.no_work_ns + context.whole.not_known_ns));
}

std::string SchedulerText(const AdviceContext& context) {
  return context.scheduler.empty() ? "" : " of scheduler '" + context.scheduler + "'";
}

// Returns the site whose tasks were ready longest before they started.
uint32_t SiteThatWaited(const TraceModel& model) {
  const TaskTable& tasks = model.tasks;
  std::map<uint32_t, int64_t> waits_ns;  // by site
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    if (!Executed(tasks, task)) continue;
    const TaskTimes times = TimesOf(model, task);
    if (times.ready_ns < times.start_ns)
      AddNs(waits_ns[tasks.site[task]], times.start_ns - times.ready_ns);
  }
  return KeyOfMost(waits_ns, kNone);
}

// Whether the trace has a codelet with a function for the architecture.
bool HasFunctionsFor(const TraceModel& model, WorkerArch arch) {
  return std::any_of(model.codelets.archs.begin(), model.codelets.archs.end(),
                     [arch](uint32_t archs) { return archs >> static_cast<int>(arch) & 1; });
}

}  // namespace

// A worker without any task, though its kind ran some and tasks for it were ready; or a kind of
// device that ran none while others were busy (the cost is then unknown), unless the scheduler
// chose so. CPU workers do not count: they exist even without work for them.
void FindUnusedWorkers(const AdviceContext& context, std::vector<Finding>& findings) {
  struct Kind {
    int64_t workers = 0, unused = 0, kept_ns = 0;
  };
  std::map<WorkerArch, Kind> kinds;
  for (uint32_t worker = 0; worker < context.idle.workers.size(); ++worker) {
    const WorkerTime& time = context.idle.workers[worker];
    Kind& kind = kinds[context.model.workers.arch[worker]];
    ++kind.workers;
    if (time.busy_ns > 0 || time.measured.length_ns() < context.span_ns / 2) continue;
    ++kind.unused;
    AddNs(kind.kept_ns, time.cause_ns[static_cast<size_t>(IdleCause::kScheduler)]);
  }
  for (const auto& [arch, kind] : kinds) {
    if (kind.unused == 0 || context.tasks == 0) continue;
    const std::string name(WorkerArchName(arch));
    const std::string of_all = CountText(static_cast<uint64_t>(kind.unused)) + " of " +
                               CountText(static_cast<uint64_t>(kind.workers)) + " " + name +
                               " workers";
    if (kind.unused == kind.workers && kinds.size() > 1) {
      if (arch == WorkerArch::kCpu || HasFunctionsFor(context.model, arch)) continue;
      findings.push_back(context.Make(
          0, kNone,
          of_all + " never ran a task: no codelet of this run ran on " + name +
              "; give the expensive ones an implementation for it, or leave these workers out",
          {{"workers", kind.workers}, {"unused", kind.unused}}));
      continue;
    }
    const int64_t cost_ns = context.RunNs(kind.kept_ns);
    if (!context.WorthSaying(cost_ns)) continue;
    findings.push_back(context.Make(
        cost_ns, SiteThatWaited(context.model),
        of_all +
            " never ran a task though tasks were ready; check whether the tasks are bound to other "
            "workers (STARPU_EXECUTE_ON_WORKER), the performance models of your codelets, and the "
            "mask of workers" +
            SchedulerText(context),
        {{"workers", kind.workers}, {"unused", kind.unused}, {"kept_ns", kind.kept_ns}}));
  }
}

// Ready tasks waited while workers that can run them were free. The finding is at the line whose
// tasks waited most. For tiny tasks that is the normal cost (FindTasksTooShort). Of workers that
// share a processor one appears free while another runs.
void FindSchedulerKeepsTasks(const AdviceContext& context, std::vector<Finding>& findings) {
  int64_t kept_ns = 0;
  for (const WorkerTime& time : context.idle.workers)
    // Workers that never get a task have a rule of their own.
    if (time.busy_ns > 0) AddNs(kept_ns, time.cause_ns[static_cast<size_t>(IdleCause::kScheduler)]);
  // The last pause of a worker precedes no task: the share of tiny tasks is assumed to be that of
  // other pauses.
  double before_any_ns = 0, before_tiny_ns = 0;
  for (const SiteLoss& site : context.sites) {
    const auto site_ns = static_cast<double>(site.Of(IdleCause::kScheduler));
    before_any_ns += site_ns;
    if (site.HasTinyTasks()) before_tiny_ns += site_ns;
  }
  if (before_tiny_ns > 0)
    kept_ns -= static_cast<int64_t>(static_cast<double>(kept_ns) * before_tiny_ns / before_any_ns);
  const int64_t cost_ns = context.RunNs(kept_ns);
  if (!context.WorthSaying(cost_ns)) return;
  const SiteLoss* site = context.WorstSite(IdleCause::kScheduler);
  findings.push_back(context.Make(
      cost_ns, site ? site->site : kNone,
      "ready tasks wait while workers are free: " + DurationText(kept_ns) + " of worker time" +
          (site ? ", the largest part of it before tasks of this line" : "") +
          (context.sharing.empty() ? "; try" : "; use one worker per processor first, or try") +
          " another scheduling policy (STARPU_SCHED), or larger tasks if the decisions" +
          SchedulerText(context) + " take long",
      {{"worker_time_lost_ns", kept_ns}, {"scheduler", context.scheduler}}));
}

// On the critical path, ready tasks waited for their worker, which meanwhile started others of
// higher priority but with less work behind them (less time from them to the end of the graph).
void FindPrioritiesHurt(const AdviceContext& context, std::vector<Finding>& findings) {
  const Overtaking found = FindOvertaking(context);
  const int64_t cost_ns = CostOf(context, found.higher);
  if (!context.WorthSaying(cost_ns)) return;
  const TaskTable& tasks = context.model.tasks;
  findings.push_back(
      context.Make(cost_ns, tasks.site[found.higher.worst],
                   "priorities hurt: " + CountText(static_cast<uint64_t>(found.higher.tasks)) +
                       " tasks of the critical path waited " + DurationText(found.higher.wait_ns) +
                       " behind tasks of higher priority on which less depends; raise the priority "
                       "of this line above " +
                       std::to_string(tasks.priority[found.higher.worst]),
                   {{"tasks", found.higher.tasks},
                    {"wait_ns", found.higher.wait_ns},
                    {"job", static_cast<int64_t>(tasks.job[found.higher.worst])}}));
}

// The same with others of lower priority: the scheduler ignores priorities.
void FindPrioritiesIgnored(const AdviceContext& context, std::vector<Finding>& findings) {
  const Overtaking found = FindOvertaking(context);
  const int64_t cost_ns = CostOf(context, found.lower);
  if (!context.WorthSaying(cost_ns)) return;
  const TaskTable& tasks = context.model.tasks;
  findings.push_back(context.Make(
      cost_ns, tasks.site[found.lower.worst],
      "priorities are ignored: " + CountText(static_cast<uint64_t>(found.lower.tasks)) +
          " tasks of the critical path waited " + DurationText(found.lower.wait_ns) +
          " behind tasks of lower priority; use a scheduler that sorts by priority (prio, dmdas, "
          "heteroprio)" +
          (context.scheduler.empty() ? "" : " instead of " + context.scheduler),
      {{"tasks", found.lower.tasks},
       {"wait_ns", found.lower.wait_ns},
       {"job", static_cast<int64_t>(tasks.job[found.lower.worst])}}));
}

}  // namespace tasklens
