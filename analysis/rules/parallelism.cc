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

int64_t LengthNs(const AdviceContext& context, uint32_t task) {
  return context.model.tasks.RunNs(task);
}

// The handle through which the longest chain of dependencies mostly goes. `cost_ns` is how much
// longer the chain is than the tasks would take if the workers shared them evenly; 0: no such
// chain.
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
  // Four links of five.
  if (chain.links * 5 < (tasks.size() - 1) * 4) return {};
  // One task that is most of the chain is another fault; so is one that is far too long: the chain
  // is judged as if that had the usual length.
  int64_t length_ns = 0, longest_ns = 0, beyond_ns = 0;
  for (const uint32_t task : tasks) {
    const int64_t task_beyond_ns = task == context.outlier.task ? context.outlier.BeyondNs() : 0;
    const int64_t usual_ns = LengthNs(context, task) - task_beyond_ns;
    beyond_ns += task_beyond_ns;
    length_ns += usual_ns;
    longest_ns = std::max(longest_ns, usual_ns);
  }
  if (longest_ns > length_ns / 2) return {};
  const int64_t even_ns = context.RunNs(context.whole.task_ns - beyond_ns);
  // No more than workers had nothing to do: the tasks of the chain may themselves be parallel.
  chain.cost_ns = std::min(length_ns - even_ns, context.RunNs(context.whole.no_work_ns));
  std::unordered_map<uint32_t, uint64_t> sites;
  for (const uint32_t task : tasks) ++sites[context.model.tasks.site[task]];
  chain.site = std::max_element(sites.begin(), sites.end(), [](const auto& a, const auto& b) {
                 return std::pair(a.second, b.first) < std::pair(b.second, a.first);
               })->first;
  // It must be what made the run long, not merely be there.
  if (length_ns < (context.span_ns - beyond_ns) / 2 || !context.WorthSaying(chain.cost_ns))
    return {};
  return chain;
}

// While a ready task is kept from a worker, or waits for its data, what waits for that task is not
// for want of parallelism.
int64_t NothingReadyNs(const AdviceContext& context) {
  int64_t sum_ns = 0;
  for (const WorkerTime& time : context.idle.workers)
    if (time.counts)
      AddNs(sum_ns,
            time.cause_ns[static_cast<size_t>(IdleCause::kNothingReady)] - time.behind_others_ns);
  return context.RunNs(sum_ns);
}

// The site whose tasks take most of the observed critical path.
uint32_t SiteOfPath(const AdviceContext& context) {
  const TaskTable& tasks = context.model.tasks;
  std::unordered_map<uint32_t, int64_t> sites;
  uint32_t worst = kNone;
  int64_t most_ns = -1;
  for (const CriticalStep& step : context.path.steps) {
    int64_t& sum_ns = sites[tasks.site[step.task]];
    sum_ns += LengthNs(context, step.task);
    if (sum_ns <= most_ns) continue;
    most_ns = sum_ns;
    worst = tasks.site[step.task];
  }
  return worst;
}

}  // namespace

// Four of five links of the longest dependency chain go through one piece of data that both tasks
// change, and the chain is at least half of the run and longer than the tasks shared evenly, and
// not one long task for the most part.
void FindSerialChain(const AdviceContext& context, std::vector<Finding>& findings) {
  const Chain chain = FindChain(context);
  if (chain.cost_ns <= 0) return;
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

// A task that took far longer than others like it, with its cost.
void FindOutlyingTask(const AdviceContext& context, std::vector<Finding>& findings) {
  const OutlyingTask& outlier = context.outlier;
  if (outlier.task == kNone) return;
  const TaskTable& tasks = context.model.tasks;
  const auto job = static_cast<int64_t>(tasks.job[outlier.task]);
  findings.push_back(context.Make(
      outlier.cost_ns, tasks.site[outlier.task],
      "one task is far longer than others like it: task " + std::to_string(job) + " of '" +
          std::string(context.model.str(tasks.name[outlier.task])) + "' took " +
          DurationText(outlier.length_ns) + ", half of the others at most " +
          DurationText(outlier.usual_ns) +
          ", and the run hung on it; look what is different there (its data, or the machine), or "
          "split its work",
      {{"job", job}, {"length_ns", outlier.length_ns}, {"usual_ns", outlier.usual_ns}}));
}

// Workers were idle because all submitted tasks waited for others, and no single chain explains it,
// nor one task that took too long.
void FindTooLittleParallelism(const AdviceContext& context, std::vector<Finding>& findings) {
  if (context.workers < 2 || FindChain(context).cost_ns > 0) return;
  const int64_t cost_ns = NothingReadyNs(context);
  if (!context.WorthSaying(cost_ns) || context.outlier.cost_ns >= cost_ns) return;
  const double parallelism = context.span_ns > 0 ? static_cast<double>(context.whole.task_ns) /
                                                       static_cast<double>(context.span_ns)
                                                 : 0;
  findings.push_back(context.Make(
      cost_ns, SiteOfPath(context),
      "too little parallelism: for " + ShareText(context.ShareOfRun(cost_ns)) +
          " of their time workers had nothing ready, as tasks wait for each other; no other "
          "line has more of the critical path than this: split its tasks, raise their priority, or "
          "drop "
          "dependencies that are not needed",
      {{"mean_parallelism", parallelism},
       {"workers", context.workers},
       {"longest_chain_ns", context.chain.length_ns}}));
}

}  // namespace tasklens
