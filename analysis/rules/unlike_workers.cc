// SPDX-License-Identifier: Apache-2.0
// Rules about workers that take different times for the same tasks.
#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "analysis/execution_order.h"
#include "analysis/placements.h"
#include "analysis/rules/context.h"
#include "analysis/sum.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

// Fewer tasks of a codelet on a kind of worker are not significant.
constexpr uint64_t kFewest = 5;

uint32_t SiteOfCodelet(const TraceModel& model, uint32_t rank, StringId codelet) {
  const TaskTable& tasks = model.tasks;
  for (uint32_t task = 0; task < tasks.size(); ++task)
    if (tasks.name[task] == codelet && tasks.rank_index[task] == rank && Executed(tasks, task))
      return tasks.site[task];
  return kNone;
}

std::string CodeletText(const TraceModel& model, StringId codelet) {
  return "'" + std::string(model.str(codelet)) + "'";
}

bool LooksAtLengths(const std::string& scheduler) {
  return scheduler.find("dm") != scheduler.npos || scheduler.find("heft") != scheduler.npos;
}

}  // namespace

// One of several equal workers takes at least twice as long for the same tasks.
void FindSlowWorker(const AdviceContext& context, std::vector<Finding>& findings) {
  const SlowWorker& slow = context.slow_worker;
  if (slow.worker == kNone) return;
  const int64_t cost_ns = context.SlowWorkerCostNs();
  if (!context.WorthSaying(cost_ns)) return;
  const std::string name(context.model.str(context.model.workers.name[slow.worker]));
  const std::string times = std::to_string(static_cast<int64_t>(slow.times + 0.5));
  findings.push_back(context.Make(
      cost_ns, slow.site,
      "worker " + name + " is slow: tasks take " + times +
          " times as long there as on the others of its kind; check what else uses its processor "
          "(other programs, see top) and its clock frequency, or leave it out "
          "(STARPU_WORKERS_CPUID)",
      {{"worker", name}, {"times", slow.times}, {"worker_time_lost_ns", slow.beyond_ns}}));
}

// A codelet's function for a device takes at least half as long again as that for CPUs.
void FindSlowFunction(const AdviceContext& context, std::vector<Finding>& findings) {
  int64_t most_ns = 0;
  uint32_t rank = 0, of_rank = kNone;
  Placement slow, fast;
  const auto compare = [&](std::span<const Placement> placements) {
    for (const Placement& cpu : placements) {
      if (cpu.kind.arch != WorkerArch::kCpu || cpu.expected || cpu.ran < kFewest) continue;
      for (const Placement& device : placements) {
        if (device.kind.arch == WorkerArch::kCpu || device.expected || device.ran < kFewest ||
            device.mean_ns < 1.5 * cpu.mean_ns)
          continue;
        const auto beyond_ns =
            static_cast<int64_t>(static_cast<double>(device.ran) * (device.mean_ns - cpu.mean_ns));
        if (beyond_ns <= most_ns) continue;
        most_ns = beyond_ns;
        of_rank = rank;
        slow = device;
        fast = cpu;
      }
    }
  };
  for (; rank < context.areas.size(); ++rank)
    ForEachCodelet(context.areas[rank].placements, compare);
  const int64_t cost_ns = context.RunNs(most_ns);
  if (of_rank == kNone || !context.WorthSaying(cost_ns)) return;
  const auto mean_text = [](const Placement& of) {
    return DurationText(static_cast<int64_t>(of.mean_ns));
  };
  const std::string device = WorkerKindName(slow.kind);
  findings.push_back(context.Make(
      cost_ns, SiteOfCodelet(context.model, of_rank, slow.codelet),
      "the function of " + CodeletText(context.model, slow.codelet) + " for " + device +
          " is slower than the one for CPUs: " + mean_text(slow) + " against " + mean_text(fast) +
          " (means of " + CountText(slow.ran) + " and " + CountText(fast.ran) +
          " tasks); make it faster, or leave such tasks to CPUs (where, can_execute)",
      {{"codelet", std::string(context.model.str(slow.codelet))},
       {"device_mean_ns", static_cast<int64_t>(slow.mean_ns)},
       {"cpu_mean_ns", static_cast<int64_t>(fast.mean_ns)},
       {"worker_time_lost_ns", most_ns}}));
}

// Under a scheduler that ignores the lengths of tasks, tasks of the critical path ran on workers on
// which they take at least twice as long as on another kind.
void FindUnlikeWorkers(const AdviceContext& context, std::vector<Finding>& findings) {
  if (LooksAtLengths(context.scheduler) || context.scheduler.empty()) return;
  const TraceModel& model = context.model;
  const std::vector<WorkerKind> kinds = WorkerKinds(model);
  if (AreAlike(kinds)) return;
  const FastestLengths fastest_ns(model);
  struct Sum {
    int64_t took_ns = 0, could_ns = 0;
    uint64_t tasks = 0;
    uint32_t site = kNone;
  };
  std::map<std::pair<StringId, WorkerKind>, Sum> sums;
  int64_t lost_ns = 0;
  for (const CriticalStep& step : context.path.steps) {
    const uint32_t worker = model.tasks.worker[step.task];
    if (worker >= kinds.size()) continue;
    const int64_t took_ns = model.tasks.RunNs(step.task), could_ns = fastest_ns(step.task);
    if (took_ns < 2 * could_ns) continue;
    Sum& sum = sums[{model.tasks.name[step.task], kinds[worker]}];
    AddNs(sum.took_ns, took_ns);
    AddNs(sum.could_ns, could_ns);
    if (sum.tasks++ == 0) sum.site = model.tasks.site[step.task];
    AddNs(lost_ns, took_ns - could_ns);
  }
  const int64_t cost_ns = std::min(context.above_bound_ns, lost_ns);
  if (sums.empty() || !context.WorthSaying(cost_ns)) return;
  const auto& [of, worst] =
      *std::max_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) {
        return a.second.took_ns - a.second.could_ns < b.second.took_ns - b.second.could_ns;
      });
  if (worst.tasks < kFewest) return;
  const auto count = static_cast<int64_t>(worst.tasks);
  findings.push_back(context.Make(
      cost_ns, worst.site,
      "tasks run on the wrong workers: " + CountText(worst.tasks) + " of " +
          CodeletText(model, of.first) + " on the critical path of this run took " +
          DurationText(worst.took_ns / count) + " each on " + WorkerKindName(of.second) +
          ", on the fastest kind they take " + DurationText(worst.could_ns / count) +
          "; scheduler '" + context.scheduler +
          "' does not take durations into account: use dmda or dmdas, with a performance model of "
          "the codelet",
      {{"codelet", std::string(model.str(of.first))},
       {"tasks", count},
       {"mean_ns", worst.took_ns / count},
       {"fastest_ns", worst.could_ns / count}}));
}

}  // namespace tasklens
