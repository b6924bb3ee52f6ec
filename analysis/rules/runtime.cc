// SPDX-License-Identifier: Apache-2.0
// Rules about the workers' time between tasks.
#include <algorithm>

#include "analysis/rules/context.h"
#include "analysis/sum.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

void FindCallbacks(const AdviceContext& context, std::vector<Finding>& findings) {
  for (const SiteLoss& site : context.sites) {
    const int64_t cost_ns = context.RunNs(site.callbacks_ns);
    if (site.callbacks == 0 || !context.WorthSaying(cost_ns)) continue;
    const auto callbacks = static_cast<int64_t>(site.callbacks);
    findings.push_back(context.Make(
        cost_ns, site.site,
        "callback functions keep workers from tasks: " + CountText(site.callbacks, "callback") +
            " of " + DurationText(site.callbacks_ns / callbacks) + " on average, " +
            ShareText(context.ShareOfRun(cost_ns)) +
            " of the run; make them short, or submit their work as tasks",
        {{"callbacks", callbacks},
         {"mean_ns", site.callbacks_ns / callbacks},
         {"worker_time_lost_ns", site.callbacks_ns}}));
  }
}

// More than kMostOverheadNs for each of a site's tasks: the processor ran something else.
void FindStolenTime(const AdviceContext& context, std::vector<Finding>& findings) {
  // Other load on a shared machine delays every run a little.
  constexpr double kMuchOfRun = 0.2;
  const SiteLoss* worst = nullptr;
  int64_t lost_ns = 0, tasks = 0;
  for (const SiteLoss& site : context.sites) {
    const auto its_tasks = static_cast<int64_t>(site.tasks);
    if (site.OverheadNs() / its_tasks <= kMostOverheadNs) continue;
    AddNs(lost_ns, site.OverheadNs());
    tasks += its_tasks;
    if (!worst || site.OverheadNs() > worst->OverheadNs()) worst = &site;
  }
  const int64_t cost_ns = context.RunNs(lost_ns);
  if (!worst || context.ShareOfRun(cost_ns) < kMuchOfRun) return;
  findings.push_back(context.Make(cost_ns, worst->site,
                                  "workers were in the runtime itself for " +
                                      ShareText(context.ShareOfRun(cost_ns)) + " of the run, " +
                                      DurationText(lost_ns / tasks) +
                                      " for each task, far more than it needs: something else took "
                                      "their processors, such as more threads than processors; try "
                                      "fewer workers (STARPU_NCPU), or an otherwise idle machine",
                                  {{"tasks", tasks},
                                   {"overhead_per_task_ns", lost_ns / tasks},
                                   {"worker_time_lost_ns", lost_ns}}));
}

}  // namespace

void FindRuntimeHoldsWorkers(const AdviceContext& context, std::vector<Finding>& findings) {
  FindCallbacks(context, findings);
  FindStolenTime(context, findings);
}

}  // namespace tasklens
