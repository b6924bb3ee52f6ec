// SPDX-License-Identifier: Apache-2.0
#include "analysis/workers_of_tasks.h"

namespace tasklens {

std::vector<Participation> OtherWorkers(const TraceModel& model) {
  std::vector<Participation> others;
  const StateTable& states = model.states;
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    const uint32_t track = model.workers.track[worker];
    if (size_t{track} + 1 >= states.first_of_track.size()) continue;
    for (uint32_t s = states.first_of_track[track]; s < states.first_of_track[track + 1]; ++s) {
      if (states.kind[s] != StateKind::kTask) continue;
      const uint32_t task = states.task[s];
      if (task != kNone && model.tasks.worker[task] != worker)
        others.push_back({task, worker, states.start_ns[s], states.end_ns[s] - states.start_ns[s]});
    }
  }
  return others;
}

}  // namespace tasklens
