// SPDX-License-Identifier: Apache-2.0
// An estimate for the task's worker takes precedence over one for any worker.
#include "analysis/task_estimates.h"

#include <cmath>

namespace tasklens {

std::vector<double> EstimatesOfTasks(const TraceModel& model) {
  const EstimateTable& estimates = model.estimates;
  if (estimates.task.empty()) return {};
  std::vector<double> of_task(model.tasks.size(), NAN);
  for (size_t i = 0; i < estimates.task.size(); ++i) {
    const uint32_t task = estimates.task[i];
    const uint32_t worker = model.tasks.worker[task];
    const double length_ns = estimates.length_ns[i];
    if (worker >= model.workers.size() || !std::isfinite(length_ns) || length_ns <= 0) continue;
    const bool exact = estimates.worker[i] >= 0 &&
                       static_cast<uint32_t>(estimates.worker[i]) == model.workers.id[worker];
    if (exact || (estimates.worker[i] < 0 && std::isnan(of_task[task]))) of_task[task] = length_ns;
  }
  return of_task;
}

std::optional<int64_t> ExpectedEnd(const TraceModel& model, const std::vector<double>& estimates,
                                   const TimelineSlice& slice) {
  constexpr double kLongestNs = 1e18;  // 30 years: a longer estimate is not valid
  if (slice.count != 1 || Decl(model.states.kind[slice.state]).group != StateGroup::kTask)
    return std::nullopt;
  const uint32_t task = model.states.task[slice.state];
  if (task >= estimates.size() || !(estimates[task] < kLongestNs)) return std::nullopt;
  return model.tasks.start_ns[task] + std::llround(estimates[task]);
}

}  // namespace tasklens
