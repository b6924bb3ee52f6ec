// SPDX-License-Identifier: Apache-2.0
// The leaf of a combined worker: runs a parallel task on all of its workers together.
#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/api/components/component.h"
#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/sched/candidates.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

struct Combined {
  std::vector<int> members;
  int id;  // id of the combined worker
  unsigned context;
  std::atomic<double> until_us{0};  // expected end of the task pushed last
};

double End(Component* component) {
  double end_us = std::max(starpu_timing_now(), DataOf<Combined>(component).until_us.load());
  for (unsigned i = 0; i < component->nchildren; ++i)
    end_us = std::max(end_us, component->children[i]->estimated_end(component->children[i]));
  return end_us;
}

int Push(Component* component, starpu_task* task) {
  Combined& combined = DataOf<Combined>(component);
  Runtime& runtime = *Runtime::Instance();
  Job* const job = ExistingJob(task);
  const bool is_parallel = task->cl->type != STARPU_SEQ && combined.members.size() > 1 &&
                           !runtime.simulation() &&
                           task->cl->max_parallelism >= static_cast<int>(combined.members.size());
  if (!is_parallel) return PushToChildren(component, task, 0);
  combined.until_us.store(End(component) + QueuedLengthUs(*task));
  starpu_push_task_end(task);
  if (ProgramPolicy* policy = runtime.program_policy(job->context)) policy->GaveAway();
  Team::Start(runtime, job, combined.members, Team::RolesFor(*job), combined.id);
  return 0;
}

// The pulling worker then finds its part of the task in its own queue, before all other jobs.
starpu_task* Pull(Component* component, Component*) {
  starpu_task* const task = starpu_sched_component_parents_pull_task(component, component);
  return task && starpu_sched_component_push_task(component, component, task) != 0 ? task : nullptr;
}

void Deinit(Component* component) {
  Combined* combined = &DataOf<Combined>(component);
  ForgetLeaf(*Runtime::Instance(), combined->context, combined->id, component);
  delete combined;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_sched_component* starpu_sched_component_parallel_worker_create(starpu_sched_tree* tree,
                                                                      unsigned count,
                                                                      unsigned* ids) {
  Runtime& runtime = Runtime::Get(__func__);
  std::vector<int> members(ids, ids + count);
  const int id = starpu_combined_worker_assign_workerid(static_cast<int>(count), members.data());
  if (id < 0) Fatal("%s(): these %u workers are not to be combined", __func__, count);
  starpu_sched_component* component = NewComponent(tree, "combined_worker", Push, Pull);
  component->data =
      new Combined{.members = *runtime.CombinedWorker(id), .id = id, .context = tree->sched_ctx_id};
  starpu_bitmap_set(&component->workers, id);
  component->can_pull = starpu_sched_component_can_pull_all;
  component->estimated_end = End;
  component->deinit_data = Deinit;
  for (const int member : DataOf<Combined>(component).members)
    starpu_sched_component_connect(component,
                                   starpu_sched_component_worker_get(tree->sched_ctx_id, member));
  return component;
}
IS_COMPONENT(combined_worker, push_task, Push)

}  // extern "C"
