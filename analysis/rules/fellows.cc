// SPDX-License-Identifier: Apache-2.0
#include "analysis/rules/fellows.h"

#include <algorithm>

#include "analysis/execution_order.h"
#include "analysis/rules/context.h"

namespace tasklens {

std::vector<Fellows> FellowsOf(const TraceModel& model) {
  const TaskTable& tasks = model.tasks;
  std::vector<std::vector<Fellows>> of_site(model.sites.size());
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const uint32_t site = tasks.site[task];
    if (site == kNone || !Completed(tasks, task)) continue;
    const StringId name = tasks.name[task];
    const uint32_t footprint = tasks.has_footprint[task] ? tasks.footprint[task] : 0;
    const WorkerArch arch = model.workers.arch[tasks.worker[task]];
    std::vector<Fellows>& groups = of_site[site];
    // A line has few kinds of tasks; of a line with many, only the first kinds are used.
    constexpr size_t kMostKinds = 64;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Fellows& of) {
      return of.footprint == footprint && of.name == name && of.arch == arch;
    });
    if (group == groups.end()) {
      if (groups.size() == kMostKinds) continue;
      group = groups.insert(group, {site, name, footprint, arch, {}});
    }
    group->tasks.push_back(task);
  }
  std::vector<Fellows> result;
  for (std::vector<Fellows>& groups : of_site)
    for (Fellows& of : groups)
      if (of.tasks.size() >= kManyTasks) result.push_back(std::move(of));
  return result;
}

int64_t MedianNs(std::vector<int64_t> lengths_ns) {
  const auto middle = lengths_ns.begin() + static_cast<ptrdiff_t>(lengths_ns.size() / 2);
  std::nth_element(lengths_ns.begin(), middle, lengths_ns.end());
  return *middle;
}

}  // namespace tasklens
