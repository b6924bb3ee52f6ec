// SPDX-License-Identifier: Apache-2.0
// Turns executions into samples.
#include "analysis/task_samples.h"

#include <algorithm>

#include "analysis/statistics.h"
#include "trace/model/executions.h"

namespace tasklens {

TaskSamples SamplesOf(const TraceModel& model) {
  TaskSamples result;
  const NameColours colours(model);
  std::vector<uint32_t> row_of_name(model.strings.size(), kNone);
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
    result.workers.push_back(StatisticsLabel(model, StatisticsBy::kWorker, worker));
  for (const uint32_t id : EndedExecutions(model)) {
    const Execution execution = ExecutionOf(model, id);
    const StringId name = model.tasks.name[execution.task];
    uint32_t& row = row_of_name[name];
    if (row == kNone) {
      row = static_cast<uint32_t>(result.names.size());
      result.names.emplace_back(model.TaskNameOf(execution.task));
      result.paints.push_back(colours.OfName(name));
    }
    result.samples.push_back({row, execution.worker, execution.start_ns, execution.length_ns(),
                              model.tasks.size_bytes[execution.task],
                              model.tasks.footprint[execution.task]});
  }
  return result;
}

TaskSamples SamplesOfNames(const TaskSamples& samples, const std::vector<std::string>& names) {
  TaskSamples result = samples;
  std::erase_if(result.samples, [&](const TaskSample& sample) {
    return std::find(names.begin(), names.end(), result.names[sample.name]) == names.end();
  });
  return result;
}

}  // namespace tasklens
