// SPDX-License-Identifier: Apache-2.0
#include "runtime/sched/candidates.h"

#include <algorithm>
#include <cmath>

#include "runtime/recorder/recorder.h"
#include "runtime/support/environment.h"

namespace tasklens::runtime {

void FindCandidates(const Host& host, Job* job, unsigned context, bool with_energy,
                    Candidates& candidates) {
  const WorkerSet members = host.MembersOf(context);
  const starpu_task& task = *job->task;
  const bool has_energy = with_energy && task.cl->energy_model;
  // Asks the model once for consecutive workers of the same architecture, such as CPU cores.
  const bool are_alike = !task.cl->model || task.cl->model->type != STARPU_PER_WORKER;
  const starpu_perfmodel_arch* arch = nullptr;
  double of_arch[STARPU_MAXIMPLEMENTATIONS];
  std::fill(std::begin(of_arch), std::end(of_arch), -1);
  for (const bool enabled : {true, false}) {
    for (int worker = 0; worker < host.worker_count(); ++worker) {
      if (!members.Has(worker)) continue;
      const WorkerView of_id = host.worker(worker);
      if (of_id.enabled != enabled || !host.CanRun(worker, job)) continue;
      if (!are_alike || arch != of_id.arch) std::fill(std::begin(of_arch), std::end(of_arch), -1);
      arch = of_id.arch;
      Candidate best{worker};
      bool any = false;
      for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
        if (!host.MayRun(worker, *job, i)) continue;
        double& length_us = of_arch[i];
        if (length_us < 0) length_us = host.LengthUs(*job, worker, i);
        if (any && !std::isnan(length_us) &&
            (std::isnan(best.length_us) || best.length_us <= length_us))
          continue;
        if (any && std::isnan(length_us) && std::isnan(best.length_us)) continue;
        any = true;
        best.implementation = static_cast<uint8_t>(i);
        best.length_us = length_us;
      }
      if (!any) continue;
      if (has_energy) {
        best.energy_j = host.EnergyJ(*job, worker, best.implementation);
        if (std::isnan(best.energy_j)) best.energy_j = 0;
      }
      best.transfer_us = host.TransferUs(task, of_id.node) + host.ConversionUs(task, worker);
      candidates.push_back(best);
    }
    if (!candidates.empty()) return;  // use workers that are not enabled only if there is no other
  }
}

void RecordEstimates(uint64_t job, const Candidates& candidates) {
  for (const Candidate& candidate : candidates)
    if (candidate.IsKnown() && !candidate.is_combined)
      Record<EventKind::kTaskEstimate>(job, candidate.worker, candidate.length_us * 1000,
                                       candidate.transfer_us * 1000);
}

void ReadCostWeights(CostWeights& weights) {
  const auto from_environment = [](const char* name, double& weight) {
    weight = EnvironmentFloat(name, static_cast<float>(weight));
  };
  from_environment("STARPU_SCHED_ALPHA", weights.alpha);
  from_environment("STARPU_SCHED_BETA", weights.beta);
  from_environment("STARPU_SCHED_GAMMA", weights.gamma);
  from_environment("STARPU_IDLE_POWER", weights.idle_power);
}

double CostOf(const Candidate& candidate, const CostWeights& weights, bool weighs, double start_us,
              double now_us, double latest_us) {
  const double end_us = start_us + candidate.length_us;
  double cost = weights.alpha * (end_us - now_us);
  if (!weighs) return cost;
  cost += weights.beta * candidate.transfer_us;
  const double idle_s = std::max(0.0, end_us - latest_us) / 1e6;
  return cost + weights.gamma * (candidate.energy_j + weights.idle_power * idle_s);
}

bool WantsPrefetch() { return EnvironmentNumber("STARPU_PREFETCH").value_or(1) != 0; }

double QueuedLengthUs(const starpu_task& task) {
  const auto known = [](double us) { return std::isnan(us) ? 0 : us; };
  return known(task.predicted) + known(task.predicted_transfer);
}

}  // namespace tasklens::runtime
