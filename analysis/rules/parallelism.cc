// SPDX-License-Identifier: Apache-2.0
// Rules about tasks that wait for each other.
#include <algorithm>
#include <unordered_map>

#include "analysis/execution_order.h"
#include "analysis/rules/context.h"
#include "analysis/sum.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

struct Chain {
  uint32_t handle = kNone;
  uint64_t links = 0;  // neighbours on the longest chain that both change `handle`
  uint32_t site = kNone;
  int64_t cost_ns = 0;
};

bool Changes(const TaskAccess& access) {
  return (access.mode & kAccessWrite) && !(access.mode & (kAccessScratch | kAccessCommute));
}

// Returns the handle of most links of the longest chain of dependencies. `cost_ns` is the
// difference between the length of the chain and the time of the tasks if the workers shared them
// evenly; 0: there is no such chain.
Chain FindChain(const AdviceContext& context) {
  constexpr size_t kFewest = 5;
  const std::vector<uint32_t>& tasks = context.chain.tasks;
  Chain chain;
  if (tasks.size() < kFewest || context.workers < 2) return chain;
  std::unordered_map<uint32_t, uint64_t> links;
  for (size_t i = 1; i < tasks.size(); ++i) {
    for (const TaskAccess& before : context.model.accesses[tasks[i - 1]]) {
      if (!Changes(before)) continue;
      for (const TaskAccess& after : context.model.accesses[tasks[i]]) {
        if (after.handle != before.handle || !Changes(after)) continue;
        if (++links[before.handle] > chain.links) {
          chain.links = links[before.handle];
          chain.handle = before.handle;
        }
        break;
      }
    }
  }
  // At least four links of five.
  if (chain.links * 5 < (tasks.size() - 1) * 4) return {};
  // If one task is most of the chain, that is another fault; so is a task that is much too long:
  // the chain is then judged as if it had the usual length.
  int64_t length_ns = 0, longest_ns = 0, beyond_ns = 0;
  for (const uint32_t task : tasks) {
    const int64_t task_beyond_ns = task == context.outlier.task ? context.outlier.BeyondNs() : 0;
    const int64_t usual_ns = context.model.tasks.RunNs(task) - task_beyond_ns;
    beyond_ns += task_beyond_ns;
    length_ns += usual_ns;
    longest_ns = std::max(longest_ns, usual_ns);
  }
  if (longest_ns > length_ns / 2) return {};
  const int64_t even_ns = context.RunNs(context.whole.task_ns - beyond_ns);
  // At most the idle time of the workers: the tasks of the chain may themselves be parallel.
  chain.cost_ns = std::min(length_ns - even_ns, context.RunNs(context.whole.no_work_ns));
  std::unordered_map<uint32_t, uint64_t> sites;
  for (const uint32_t task : tasks) ++sites[context.model.tasks.site[task]];
  chain.site = std::max_element(sites.begin(), sites.end(), [](const auto& a, const auto& b) {
                 return std::pair(a.second, b.first) < std::pair(b.second, a.first);
               })->first;
  // Tasks of a slow worker make any chain long.
  if (context.SlowWorkerCostNs() >= chain.cost_ns / 3 && chain.cost_ns > 0) return {};
  // The chain must be the reason for the length of the run.
  if (length_ns < (context.span_ns - beyond_ns) / 2 || !context.WorthSaying(chain.cost_ns))
    return {};
  return chain;
}

// Returns the cost of a cause that lengthens the longest chain, as time of the run: at most the
// time in which workers had no ready task, and at most the excess of the chain over the evenly
// shared time.
int64_t CostOfChainNs(const AdviceContext& context, int64_t saved_ns) {
  if (context.workers < 2) return 0;
  return std::min({saved_ns, context.NothingReadyNs(),
                   context.chain.length_ns - context.RunNs(context.whole.task_ns)});
}

// A single task that is longer than the others is an outlier.
constexpr uint64_t kSomeUnlike = 3;

// Returns the cause that explains at least a third of the cost of a long chain, or kNone.
enum class ChainCause : uint8_t { kNone, kReuse, kOrder, kUnlike };
ChainCause CauseOfChain(const AdviceContext& context) {
  const ChainCauses& causes = context.chain_causes;
  const std::pair<int64_t, ChainCause> costs[] = {
      {causes.reuse.saved_ns, ChainCause::kReuse},
      {causes.order.saved_ns, ChainCause::kOrder},
      {causes.unlike.tasks >= kSomeUnlike ? causes.unlike.saved_ns : 0, ChainCause::kUnlike}};
  const auto& [saved_ns, cause] = *std::max_element(std::begin(costs), std::end(costs));
  const int64_t cost_ns = CostOfChainNs(context, saved_ns);
  if (!context.WorthSaying(cost_ns)) return ChainCause::kNone;
  if (cause == ChainCause::kUnlike && context.SlowWorkerCostNs() >= cost_ns / 3)
    return ChainCause::kNone;
  const int64_t of_chain_ns = FindChain(context).cost_ns;
  const int64_t of_all_ns = of_chain_ns > 0 ? of_chain_ns : context.NothingReadyNs();
  return cost_ns >= of_all_ns / 3 ? cause : ChainCause::kNone;
}

// Returns the site whose tasks take most of the observed critical path.
uint32_t SiteOfPath(const AdviceContext& context) {
  const TaskTable& tasks = context.model.tasks;
  std::unordered_map<uint32_t, int64_t> sites;
  uint32_t worst = kNone;
  int64_t most_ns = -1;
  for (const CriticalStep& step : context.path.steps) {
    int64_t& sum_ns = sites[tasks.site[step.task]];
    sum_ns += tasks.RunNs(step.task);
    if (sum_ns <= most_ns) continue;
    most_ns = sum_ns;
    worst = tasks.site[step.task];
  }
  return worst;
}

}  // namespace

// At least four of five links of the longest dependency chain are through one piece of data that
// both tasks modify, and the chain is at least half of the run, longer than the evenly shared time
// of the tasks, and not mostly a single long task.
void FindSerialChain(const AdviceContext& context, std::vector<Finding>& findings) {
  const Chain chain = FindChain(context);
  if (chain.cost_ns <= 0 || CauseOfChain(context) != ChainCause::kNone) return;
  findings.push_back(context.Make(
      chain.cost_ns, chain.site,
      "a serial chain: " + CountText(context.chain.tasks.size()) +
          " tasks run one after the other because each changes " + context.DataText(chain.handle) +
          ", " + ShareText(context.ShareOfRun(context.chain.length_ns)) +
          " of the run; split the data with a filter, or let the tasks commute (STARPU_COMMUTE) or "
          "reduce (STARPU_REDUX)",
      {{"chain_tasks", static_cast<int64_t>(context.chain.tasks.size())},
       {"chain_ns", context.chain.length_ns},
       {"data", context.DataText(chain.handle)}}));
}

// A task that took much longer than similar ones, with its cost.
void FindOutlyingTask(const AdviceContext& context, std::vector<Finding>& findings) {
  const OutlyingTask& outlier = context.outlier;
  if (outlier.task == kNone) return;
  const TaskTable& tasks = context.model.tasks;
  const auto job = static_cast<int64_t>(tasks.job[outlier.task]);
  findings.push_back(context.Make(
      outlier.cost_ns, tasks.site[outlier.task],
      "one task is far longer than others like it: task " + std::to_string(job) + " of '" +
          std::string(context.model.str(tasks.name[outlier.task])) + "' took " +
          DurationText(outlier.length_ns) + " (median of the others " +
          DurationText(outlier.usual_ns) +
          "), and lengthened the run; check what is different there (its data, or the machine), or "
          "split its work",
      {{"job", job}, {"length_ns", outlier.length_ns}, {"usual_ns", outlier.usual_ns}}));
}

namespace {
// "26 ms instead of 126 ms": the length of the longest chain without the cause.
std::string ShorterText(const AdviceContext& context, int64_t saved_ns) {
  return DurationText(context.chain.length_ns - saved_ns) + " instead of " +
         DurationText(context.chain.length_ns);
}
}  // namespace

// The part of the longest chain due to tasks that overwrite data which other tasks still use.
void FindReusedData(const AdviceContext& context, std::vector<Finding>& findings) {
  if (CauseOfChain(context) != ChainCause::kReuse) return;
  const ChainCauses::Links& reuse = context.chain_causes.reuse;
  const int64_t cost_ns = CostOfChainNs(context, reuse.saved_ns);
  findings.push_back(
      context.Make(cost_ns, reuse.site,
                   "tasks wait only to overwrite " + context.DataText(reuse.handle) +
                       ", which earlier tasks still use: " + CountText(reuse.links) +
                       " times on the longest dependency chain, which would take " +
                       ShorterText(context, reuse.saved_ns) +
                       "; give each its own data (several handles in turn, or a temporary one for "
                       "each), or use STARPU_SCRATCH if no task reads it",
                   {{"links", static_cast<int64_t>(reuse.links)},
                    {"chain_ns", context.chain.length_ns},
                    {"chain_without_ns", context.chain.length_ns - reuse.saved_ns},
                    {"data", context.DataText(reuse.handle)}}));
}

// The part of the longest chain due to dependencies declared by the program only.
void FindDeclaredOrder(const AdviceContext& context, std::vector<Finding>& findings) {
  if (CauseOfChain(context) != ChainCause::kOrder) return;
  const ChainCauses::Links& order = context.chain_causes.order;
  const int64_t cost_ns = CostOfChainNs(context, order.saved_ns);
  findings.push_back(context.Make(
      cost_ns, order.site,
      "declared dependencies (tags, or between tasks) order tasks that share no data: " +
          CountText(order.links) + " times on the longest dependency chain, which would take " +
          ShorterText(context, order.saved_ns) +
          "; where nothing else requires this order, remove them",
      {{"links", static_cast<int64_t>(order.links)},
       {"chain_ns", context.chain.length_ns},
       {"chain_without_ns", context.chain.length_ns - order.saved_ns}}));
}

// The part of the longest chain due to tasks of a line that take much longer than others: at least
// three tasks of the chain, because a single one is an outlier.
void FindUnlikeTasks(const AdviceContext& context, std::vector<Finding>& findings) {
  const ChainCauses::Unlike& unlike = context.chain_causes.unlike;
  if (CauseOfChain(context) != ChainCause::kUnlike) return;
  const int64_t cost_ns = CostOfChainNs(context, unlike.saved_ns);
  findings.push_back(context.Make(
      cost_ns, unlike.site,
      "work is divided unevenly among the tasks of this line: " + CountText(unlike.tasks) +
          " tasks of the longest dependency chain take up to " + DurationText(unlike.longest_ns) +
          ", the median is " + DurationText(unlike.median_ns) +
          "; if all took the mean, the chain would take " + ShorterText(context, unlike.saved_ns) +
          "; split the large ones, or divide the data more evenly",
      {{"tasks", static_cast<int64_t>(unlike.tasks)},
       {"longest_ns", unlike.longest_ns},
       {"median_ns", unlike.median_ns},
       {"chain_ns", context.chain.length_ns}}));
}

// Workers were idle because all submitted tasks waited for others, and neither a single chain nor a
// task that took too long explains it. The cost is at most the time that the dependencies add to a
// good schedule of the same tasks (list_schedule.h): if another order of the tasks would fill the
// workers, for example because one task was delayed by other load on the machine, there is enough
// parallelism.
void FindTooLittleParallelism(const AdviceContext& context, std::vector<Finding>& findings) {
  if (context.workers < 2 || FindChain(context).cost_ns > 0) return;
  if (CauseOfChain(context) != ChainCause::kNone) return;
  const int64_t nothing_ready_ns = context.NothingReadyNs();
  if (context.slow_worker.worker != kNone && context.SlowWorkerCostNs() >= nothing_ready_ns / 3)
    return;
  if (!context.WorthSaying(nothing_ready_ns) || context.outlier.cost_ns >= nothing_ready_ns) return;
  const int64_t of_dependencies_ns =
      std::min(context.good_order.span_ns, context.span_ns) - context.good_order.independent_ns;
  const int64_t cost_ns = std::min(nothing_ready_ns, of_dependencies_ns);
  if (!context.WorthSaying(cost_ns)) return;
  const double parallelism = context.span_ns > 0 ? static_cast<double>(context.whole.task_ns) /
                                                       static_cast<double>(context.span_ns)
                                                 : 0;
  findings.push_back(context.Make(
      cost_ns, SiteOfPath(context),
      "too little parallelism: for " + ShareText(context.ShareOfRun(nothing_ready_ns)) +
          " of their time workers had no ready task, as tasks wait for each other; this line has "
          "the largest part of the critical path: split its tasks, raise their priority, or remove "
          "dependencies that are not needed",
      {{"mean_parallelism", parallelism},
       {"workers", context.workers},
       {"longest_chain_ns", context.chain.length_ns}}));
}

// Workers had no ready task although the dependencies leave enough work: the same tasks would take
// less time if those with the longest chains behind them came first, and the program gives no
// priorities. The actual order is simulated as well, because the simulation ignores copies and the
// runtime, whose time another order would not save. Always information, because it is a simulation.
void FindOrderOfTasks(const AdviceContext& context, std::vector<Finding>& findings) {
  const int64_t span_ns = context.good_order.span_ns;
  if (context.workers < 2 || span_ns == 0) return;
  const int64_t nothing_ready_ns = context.NothingReadyNs();
  const int64_t cost_ns = std::min(
      {nothing_ready_ns, context.span_ns - span_ns, context.order_of_run.span_ns - span_ns});
  if (!context.WorthSaying(cost_ns)) return;
  Finding finding = context.Make(
      cost_ns, SiteOfPath(context),
      "tasks come in an order that leaves workers idle: for " +
          ShareText(context.ShareOfRun(nothing_ready_ns)) +
          " of their time they had no ready task; with those first on which most depends, the same "
          "tasks would take " +
          DurationText(span_ns) + " instead of " + DurationText(context.span_ns) +
          "; give the tasks of this line, which has the largest part of the critical path, a "
          "higher priority, with a scheduler that sorts by priority (prio, dmdas)",
      {{"good_order_ns", span_ns}, {"workers", context.workers}});
  finding.severity = AdviceSeverity::kInformation;
  findings.push_back(std::move(finding));
}

}  // namespace tasklens
