// SPDX-License-Identifier: Apache-2.0
// Asking models, workers of one architecture once.
#include "runtime/sched/candidates.h"

#include <algorithm>
#include <cmath>

#include "runtime/core/eligibility.h"
#include "runtime/perfmodel/models.h"
#include "runtime/recorder/recorder.h"
#include "runtime/sched/policy.h"
#include "runtime/sched/task_data.h"

namespace tasklens::runtime {

void FindCandidates(Job* job, unsigned context, bool with_energy, Candidates& candidates) {
  Runtime& runtime = *Runtime::Instance();
  const WorkerSet members = runtime.contexts().WorkersOf(context);
  starpu_task* task = job->task;
  starpu_perfmodel* const model = task->cl->model;
  starpu_perfmodel* const energy = with_energy ? task->cl->energy_model : nullptr;
  // Workers of one architecture, such as CPU cores, are asked for once.
  const bool are_alike = !model || model->type != STARPU_PER_WORKER;
  const starpu_perfmodel_arch* arch = nullptr;
  double of_arch[STARPU_MAXIMPLEMENTATIONS];
  for (const bool enabled : {true, false}) {
    for (int worker = 0; worker < static_cast<int>(runtime.workers().size()); ++worker) {
      if (!members.Has(worker) || runtime.worker(worker)->enabled != enabled) continue;
      if (!CanRun(worker, job)) continue;
      const Worker& of_id = *runtime.worker(worker);
      if (!are_alike || arch != of_id.arch) std::fill(std::begin(of_arch), std::end(of_arch), -1);
      arch = of_id.arch;
      Candidate best{worker};
      bool any = false;
      for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
        if (!MayRun(of_id, *job, i)) continue;
        double& length_us = of_arch[i];
        if (length_us < 0) length_us = ExpectedCost(model, task, of_id.arch, i, worker);
        if (any && !std::isnan(length_us) &&
            (std::isnan(best.length_us) || best.length_us <= length_us))
          continue;
        if (any && std::isnan(length_us) && std::isnan(best.length_us)) continue;
        any = true;
        best.implementation = static_cast<uint8_t>(i);
        best.length_us = length_us;
      }
      if (!any) continue;
      if (energy) {
        best.energy_j = ExpectedCost(energy, task, of_id.arch, best.implementation, worker);
        if (std::isnan(best.energy_j)) best.energy_j = 0;
      }
      best.transfer_us = TransferUs(*task, of_id.node) + ConversionUs(*task, of_id);
      candidates.push_back(best);
    }
    if (!candidates.empty()) return;  // workers that are not enabled only where there is no other
  }
}

std::optional<Candidate> FindCombinedCandidate(Job* job, int worker) {
  const auto id = static_cast<unsigned>(worker);
  std::optional<Candidate> best;
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    if (!starpu_combined_worker_can_execute_task(id, job->task, i)) continue;
    const double length_us = starpu_worker_expected_length(job->task, id, i);
    if (best && !(length_us < best->length_us)) continue;
    best = Candidate{.worker = worker, .implementation = static_cast<uint8_t>(i)};
    best->length_us = length_us;
    if (std::isnan(length_us)) break;
  }
  if (best) best->transfer_us = TransferUs(*job->task, STARPU_MAIN_RAM);
  return best;
}

void RecordEstimates(uint64_t job, const Candidates& candidates) {
  for (const Candidate& candidate : candidates)
    if (candidate.IsKnown() && Runtime::Instance()->worker(candidate.worker))
      Record<EventKind::kTaskEstimate>(job, candidate.worker, candidate.length_us * 1000,
                                       candidate.transfer_us * 1000);
}

void ReadCostWeights() {
  CostWeights& weights = Runtime::Instance()->dmda_weights;
  const auto from_environment = [](const char* name, double& weight) {
    weight = starpu_getenv_float_default(name, static_cast<float>(weight));
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

double QueuedLengthUs(const starpu_task& task) {
  const auto known = [](double us) { return std::isnan(us) ? 0 : us; };
  return known(task.predicted) + known(task.predicted_transfer);
}

}  // namespace tasklens::runtime
