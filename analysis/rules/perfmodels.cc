// SPDX-License-Identifier: Apache-2.0
// Rules about performance models.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "analysis/execution_order.h"
#include "analysis/rules/context.h"
#include "analysis/statistics.h"
#include "analysis/sum.h"
#include "analysis/task_estimates.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

// Whether the scheduler places tasks by their expected length. Others only record models.
bool NeedsPerfmodels(const AdviceContext& context) {
  const std::string_view name = context.scheduler;
  return name.starts_with("dm") || name.starts_with("heft") || name.starts_with("pheft") ||
         name.starts_with("modular-heft") || name.starts_with("modular-dmda") ||
         name.starts_with("modular-mct") || name.starts_with("modular-ecf");
}

uint32_t SiteOfCodelet(const TraceModel& model, StringId codelet) {
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    if (model.tasks.name[task] == codelet && model.tasks.site[task] != kNone)
      return model.tasks.site[task];
  return kNone;
}

}  // namespace

// Under a scheduler that places tasks by expected length: a codelet whose tasks all lack a
// perfmodel, in a trace that records models. Runtimes write the codelet's name if there is no
// model, but a model may have the same name: if estimates are recorded, a model exists if it gave
// any. The cost is 0, because the trace does not show what the scheduler does badly as a result.
void FindNoPerfmodel(const AdviceContext& context, std::vector<Finding>& findings) {
  const TraceModel& model = context.model;
  if (!NeedsPerfmodels(context)) return;
  struct Codelet {
    int64_t tasks = 0, with_model = 0, task_ns = 0;
  };
  const std::vector<double> estimates = EstimatesOfTasks(model);
  const bool records_estimates = !estimates.empty() || context.runtime == "TaskLens";
  bool tells = !estimates.empty();
  std::map<StringId, Codelet> codelets;
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    if (!Executed(model.tasks, task) || (model.tasks.type[task] & kTaskInternal)) continue;
    Codelet& codelet = codelets[model.tasks.name[task]];
    ++codelet.tasks;
    const StringId name_of_model = model.tasks.model[task];
    tells = tells || name_of_model != 0;
    const bool foretold = !estimates.empty() && !std::isnan(estimates[task]);
    const bool may_be_none = records_estimates && name_of_model == model.tasks.name[task];
    codelet.with_model += foretold || (name_of_model != 0 && !may_be_none);
    AddNs(codelet.task_ns, model.tasks.RunNs(task));
  }
  if (!tells) return;
  for (const auto& [name, codelet] : codelets) {
    if (codelet.with_model > 0 || !context.WorthSaying(context.RunNs(codelet.task_ns))) continue;
    Finding finding = context.Make(
        0, SiteOfCodelet(model, name),
        "codelet '" + std::string(name ? model.str(name) : "unknown") +
            "' has no performance model that predicted any of its tasks, so scheduler '" +
            context.scheduler +
            "' places them blindly; set starpu_codelet::model, for instance to a "
            "STARPU_HISTORY_BASED one",
        {{"tasks", codelet.tasks}, {"task_ns", codelet.task_ns}});
    findings.push_back(std::move(finding));
  }
}

// At least ten tasks of a codelet have estimates, and on average they took at least half as long
// again as estimated, or as much less. The cost is the estimation error divided by the workers, but
// at most the gain of another schedule; even if that is nothing, the model is wrong, and other runs
// use it too.
void FindWrongPerfmodel(const AdviceContext& context, std::vector<Finding>& findings) {
  constexpr uint64_t kFewest = 10;
  constexpr double kFarOff = 1.5;
  if (EstimatesOfTasks(context.model).empty()) return;
  for (const StatisticsRow& row : Statistics(context.model, StatisticsBy::kCodelet)) {
    const EstimateSummary& estimates = row.estimates;
    if (estimates.count < kFewest || estimates.mean_factor < kFarOff) continue;
    const double off_ns = std::fabs(estimates.measured_ns - estimates.estimated_ns);
    const auto cost_ns = std::min(
        context.above_bound_ns,
        context.RunNs(static_cast<int64_t>(std::min(off_ns, static_cast<double>(kMostNs)))));
    if (!context.WorthSaying(context.RunNs(row.durations.total_ns))) continue;
    const double factor = estimates.Bias();
    // If some take longer and others less, the sum is misleading.
    const bool one_way = std::max(factor, 1 / factor) >= kFarOff;
    char text[64];
    if (one_way) {
      std::snprintf(text, sizeof text, "%.2g times as long as predicted", factor);
    } else {
      std::snprintf(text, sizeof text, "%.2g times as long as predicted, or as much shorter",
                    estimates.mean_factor);
    }
    findings.push_back(
        context.Make(cost_ns, SiteOfCodelet(context.model, row.key),
                     "the performance model of '" +
                         StatisticsLabel(context.model, StatisticsBy::kCodelet, row.key) +
                         "' is wrong: its tasks take " + text +
                         "; calibrate again (STARPU_CALIBRATE=2), or use a footprint that "
                         "distinguishes tasks of different duration",
                     {{"tasks", static_cast<int64_t>(estimates.count)},
                      {"measured_over_estimated", factor},
                      {"mean_factor", estimates.mean_factor},
                      {"mean_relative_error", estimates.mean_error}}));
  }
}

}  // namespace tasklens
