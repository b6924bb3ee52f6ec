// SPDX-License-Identifier: Apache-2.0
// perfmodel_select and eager_calibration: three children, for tasks whose performance model is
// calibrated, tasks without a model, and tasks to be measured, which go to a worker that has not
// run them often enough yet.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "runtime/api/components/component.h"
#include "runtime/core/runtime.h"
#include "runtime/perfmodel/models.h"
#include "runtime/sched/candidates.h"

namespace tasklens::runtime {
namespace {

using Children = starpu_sched_component_perfmodel_select_data;

bool HasModel(const starpu_task& task) { return task.cl && task.cl->model; }

Component* Select(Component* component, starpu_task* task) {
  const Children& children = DataOf<Children>(component);
  if (!HasModel(*task)) return children.no_perfmodel_component;
  Candidates candidates;
  FindCandidates(Runtime::Instance()->host(), ExistingJob(task), component->tree->sched_ctx_id,
                 /*with_energy=*/false, candidates);
  const bool all_known = std::all_of(candidates.begin(), candidates.end(),
                                     [](const Candidate& one) { return one.IsKnown(); });
  return all_known ? children.perfmodel_component : children.calibrator_component;
}

// The child that eager_calibration tries first, in turn, so that all workers measure at once.
using Turn = std::atomic<unsigned>;

int PushToMeasure(Component* component, starpu_task* task) {
  Candidates candidates;
  FindCandidates(Runtime::Instance()->host(), ExistingJob(task), component->tree->sched_ctx_id,
                 /*with_energy=*/false, candidates);
  const unsigned first = DataOf<Turn>(component).fetch_add(1, std::memory_order_relaxed);
  for (unsigned i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[(first + i) % candidates.size()];
    Component* const child = ChildAbove(*component, candidate.worker);
    if (!child || candidate.IsKnown()) continue;
    starpu_task_set_implementation(task, candidate.implementation);
    task->predicted = NAN;
    task->predicted_transfer = candidate.transfer_us;
    if (starpu_sched_component_push_task(component, child, task) == 0) return 0;
  }
  // Nothing to measure, or no child has room for that.
  return component->nchildren ? PushToChildren(component, task, first % component->nchildren) : 1;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_sched_component* starpu_sched_component_perfmodel_select_create(
    starpu_sched_tree* tree, starpu_sched_component_perfmodel_select_data* data) {
  return NewComponent(tree, "perfmodel_select", new Children(*data), PushToChosen<Select>,
                      PullIfChosen<Select>);
}
IS_COMPONENT(perfmodel_select, push_task, PushToChosen<Select>)

starpu_sched_component* starpu_sched_component_eager_calibration_create(starpu_sched_tree* tree,
                                                                        void*) {
  return NewComponent(tree, "eager_calibration", new Turn{0}, PushToMeasure);
}
IS_COMPONENT(eager_calibration, push_task, PushToMeasure)

}  // extern "C"
