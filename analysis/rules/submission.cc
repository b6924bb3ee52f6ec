// SPDX-License-Identifier: Apache-2.0
// Rules about how the program submits its tasks.
#include <algorithm>

#include "analysis/execution_order.h"
#include "analysis/rules/context.h"
#include "analysis/sum.h"
#include "analysis/text.h"

namespace tasklens {

// At a site with at least 20 tasks, the runtime's work on the workers right before them (taking,
// preparing, without callback functions) is at least half of the tasks' own time, and at most 100
// us per task: a longer time is not overhead of the task but other work of the runtime, such as
// freeing memory. For tiny tasks the wait for the scheduler is part of the overhead.
void FindTasksTooShort(const AdviceContext& context, std::vector<Finding>& findings) {
  for (const SiteLoss& site : context.sites) {
    int64_t overhead_ns = site.OverheadNs();
    if (site.HasTinyTasks()) AddNs(overhead_ns, site.Of(IdleCause::kScheduler));
    const int64_t cost_ns = context.RunNs(overhead_ns);
    if (site.tasks < kManyTasks || overhead_ns < site.task_ns / 2) continue;
    const auto tasks = static_cast<int64_t>(site.tasks);
    if (overhead_ns / tasks > kMostOverheadNs || !context.WorthSaying(cost_ns)) continue;
    findings.push_back(context.Make(
        cost_ns, site.site,
        "tasks are too short: " + CountText(site.tasks) + " tasks of " +
            DurationText(site.task_ns / tasks) + " on average, each with " +
            DurationText(overhead_ns / tasks) +
            " of runtime overhead; give each task more work, for instance larger blocks",
        {{"tasks", tasks},
         {"mean_ns", site.task_ns / tasks},
         {"overhead_per_task_ns", overhead_ns / tasks}}));
  }
}

// Workers were idle while the program neither waited nor had finished submitting. The finding is at
// the line whose tasks ended most of that time. Larger tasks help if the program is equally slow
// before every one. If it does something else now and then, each worker must get several tasks
// between two such pauses: at least four, considering that the pauses counted are only half of the
// time.
void FindSubmissionTooSlow(const AdviceContext& context, std::vector<Finding>& findings) {
  constexpr uint64_t kTasksBetween = 4;
  const SubmissionLoss& loss = context.submission;
  const int64_t cost_ns = context.RunNs(loss.slow_ns);
  if (!context.WorthSaying(cost_ns)) return;
  const bool now_and_then = loss.long_pauses * 2 * kTasksBetween <= context.tasks;
  findings.push_back(context.Make(
      cost_ns, loss.slow_site,
      "tasks are submitted too slowly: workers had nothing to do for " +
          ShareText(context.ShareOfRun(cost_ns)) + " of the run while the program " +
          (now_and_then ? "did something else before it submitted" +
                              std::string(loss.slow_site == kNone ? " more" : " this") + ", for " +
                              DurationText(loss.long_pause_ns) +
                              " at a time; submit earlier, or from another thread, or turn that "
                              "work into a task"
                        : "was still submitting; make tasks larger, or do less between two "
                          "submissions"),
      {{"tasks", static_cast<int64_t>(context.tasks)},
       {"pause_ns", loss.long_pause_ns},
       {"worker_time_lost_ns", loss.slow_ns}}));
}

// Workers were idle while a thread of the program waited for tasks, and it submitted more
// afterwards. The finding is at the line of the costliest waits or, if the trace lacks that, at the
// first submission after the costliest.
void FindWaitsForAll(const AdviceContext& context, std::vector<Finding>& findings) {
  const SubmissionLoss& loss = context.submission;
  const int64_t cost_ns = context.RunNs(loss.barrier_ns);
  if (!context.WorthSaying(cost_ns)) return;
  const uint32_t task = loss.after_barrier;
  const uint32_t next_site = task == kNone ? kNone : context.model.tasks.site[task];
  const bool is_known = loss.barrier_site != kNone;
  const std::string call = loss.barrier_unpartitions
                               ? "the program unpartitions data here, which waits for tasks"
                               : "the program waits here for tasks";
  const std::string where =
      is_known
          ? call +
                (loss.barrier_calls > 1 ? ", " + CountText(loss.barrier_calls) + " times, each time"
                                        : std::string()) +
                " before it submits more"
          : std::string("the program waits for earlier tasks before it submits ") +
                (next_site == kNone ? "more" : "this");
  findings.push_back(context.Make(
      cost_ns, is_known ? loss.barrier_site : next_site,
      where + ": workers had nothing to do for " + ShareText(context.ShareOfRun(cost_ns)) +
          " of the run in such waits; " +
          (loss.barrier_unpartitions
               ? "plan the parts once and use starpu_data_unpartition_submit(), which does not wait"
               : "let data dependencies order the tasks and wait once, at the end, or read results "
                 "in a task"),
      {{"worker_time_lost_ns", loss.barrier_ns}}));
}

// Workers were idle while a limit on submitted tasks stopped the program.
void FindThrottledSubmission(const AdviceContext& context, std::vector<Finding>& findings) {
  const SubmissionLoss& loss = context.submission;
  const int64_t cost_ns = context.RunNs(loss.throttled_ns);
  if (!context.WorthSaying(cost_ns)) return;
  findings.push_back(context.Make(
      cost_ns, loss.throttled_site,
      "a limit on submitted tasks holds the program back: workers had nothing to do for " +
          ShareText(context.ShareOfRun(cost_ns)) +
          " of the run while it waited to submit more; raise STARPU_LIMIT_MAX_SUBMITTED_TASKS and "
          "STARPU_LIMIT_MIN_SUBMITTED_TASKS (starpu_set_limit_max_submitted_tasks()), or unset "
          "them",
      {{"worker_time_lost_ns", loss.throttled_ns}}));
}

// With at least two tasks per worker, the time in which no task was left to start, at most the
// length of the last task. If that is like the others, some workers have one task less in any
// order: then it is reported only from twice the usual cost on.
void FindUnevenEnd(const AdviceContext& context, std::vector<Finding>& findings) {
  const int64_t cost_ns = context.RunNs(context.submission.end_ns);
  if (!context.WorthSaying(cost_ns) || context.path.steps.empty()) return;
  if (context.tasks < 2 * static_cast<uint64_t>(context.workers)) return;
  const TaskTable& tasks = context.model.tasks;
  const uint32_t last = context.path.steps.back().task;
  const int64_t length_ns = tasks.RunNs(last);
  if (length_ns < cost_ns) return;  // another cause made the others stop early
  int64_t all_ns = 0;
  for (const SiteLoss& site : context.sites) AddNs(all_ns, site.task_ns);
  const bool is_long = length_ns > 2 * (all_ns / static_cast<int64_t>(context.tasks));
  if (!is_long && !context.WorthSaying(cost_ns / 2)) return;
  findings.push_back(context.Make(
      cost_ns, tasks.site[last],
      "the run ends unevenly: workers had nothing left to do for " +
          ShareText(context.ShareOfRun(cost_ns)) +
          " of the run while the last tasks finished (the last one took " +
          DurationText(length_ns) + "); start long tasks earlier by priority, or split them",
      {{"worker_time_lost_ns", context.submission.end_ns},
       {"last_task_job", static_cast<int64_t>(tasks.job[last])},
       {"last_task_ns", length_ns}}));
}

// Fewer than two tasks per worker, and workers were idle while they ran. (A program of one task
// needs no workers.)
void FindTooFewTasks(const AdviceContext& context, std::vector<Finding>& findings) {
  const int64_t cost_ns = context.RunNs(context.submission.end_ns);
  if (!context.WorthSaying(cost_ns)) return;
  if (context.tasks < 2 || context.tasks >= 2 * static_cast<uint64_t>(context.workers)) return;
  const auto longest =
      std::max_element(context.sites.begin(), context.sites.end(),
                       [](const SiteLoss& a, const SiteLoss& b) { return a.task_ns < b.task_ns; });
  findings.push_back(context.Make(
      cost_ns, longest->site,
      "too few tasks: " + CountText(context.tasks) + " for " +
          CountText(static_cast<uint64_t>(context.workers), "worker") +
          ", which had nothing left to do for " + ShareText(context.ShareOfRun(cost_ns)) +
          " of the run; make the tasks smaller, so that each worker gets several",
      {{"tasks", static_cast<int64_t>(context.tasks)},
       {"workers", context.workers},
       {"worker_time_lost_ns", context.submission.end_ns}}));
}

}  // namespace tasklens
