// SPDX-License-Identifier: Apache-2.0
// mct and heft: the child below which a task is expected to end first, by performance models; a
// task that they do not know goes where the fewest wait. mct refuses a task that this child
// refuses; heft keeps it, and those behind it, by priority.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "runtime/core/sync.h"
#include "runtime/sched/candidates.h"
#include "runtime/sched/components/component.h"
#include "runtime/sched/job_queue.h"
#include "runtime/sched/task_data.h"

namespace tasklens::runtime {
namespace {

using Component = starpu_sched_component;

struct Chooser {
  bool has_own_weights = false;
  CostWeights own = {};
  const CostWeights& weights() const {
    return has_own_weights ? own : Runtime::Instance()->dmda_weights;
  }
};

struct Heft {
  Chooser chooser;
  Mutex lock;
  PriorityQueue waiting;
  size_t size = 0;
};

Chooser ChooserFor(const starpu_sched_component_mct_data* params) {
  Chooser chooser;
  if (!params) return chooser;
  chooser.has_own_weights = true;
  chooser.own.alpha = params->alpha;
  chooser.own.beta = params->beta;
  chooser.own.gamma = params->_gamma;
  chooser.own.idle_power = params->idle_power;
  return chooser;
}

struct Choice {
  Component* child = nullptr;
  Candidate candidate{0};
  double start_us = 0;
  double now_us = 0;
};

// The child above a candidate's worker, or nullptr.
Component* ChildOf(const Component& component, int worker) {
  for (unsigned i = 0; i < component.nchildren; ++i)
    if (starpu_bitmap_get(component.children[i]->workers_in_ctx, worker))
      return component.children[i];
  return nullptr;
}

Choice Choose(const Chooser& chooser, const Component& component, const Candidates& candidates) {
  Choice best;
  best.now_us = starpu_timing_now();
  double least = 0, latest_us = best.now_us;
  for (unsigned i = 0; i < component.nchildren; ++i)
    latest_us = std::max(latest_us, component.children[i]->estimated_end(component.children[i]));
  const bool all_known = std::all_of(candidates.begin(), candidates.end(),
                                     [](const Candidate& one) { return one.IsKnown(); });
  for (const Candidate& candidate : candidates) {
    Component* const child = ChildOf(component, candidate.worker);
    if (!child || (!all_known && candidate.IsKnown())) continue;
    const double start_us = child->estimated_end(child);
    const double cost = all_known ? CostOf(candidate, chooser.weights(), /*weighs=*/true, start_us,
                                           best.now_us, latest_us)
                                  : child->estimated_load(child);
    if (best.child && cost >= least) continue;
    least = cost;
    best.child = child;
    best.candidate = candidate;
    best.start_us = start_us;
  }
  return best;
}

// 0, or 1 where nobody below can run it, or the best child refuses it.
int PushToBest(const Chooser& chooser, Component* component, starpu_task* task) {
  Candidates candidates;
  FindCandidates(ExistingJob(task), component->tree->sched_ctx_id, /*with_energy=*/true,
                 candidates);
  const Choice choice = Choose(chooser, *component, candidates);
  if (!choice.child) return 1;
  task->predicted = choice.candidate.IsKnown() ? choice.candidate.length_us : NAN;
  task->predicted_start = choice.start_us;
  // The rest of the transfer is hidden behind the tasks before.
  task->predicted_transfer =
      std::max(0.0, choice.now_us + choice.candidate.transfer_us - choice.start_us);
  const unsigned node =
      starpu_worker_get_memory_node(static_cast<unsigned>(choice.candidate.worker));
  if (starpu_get_prefetch_flag()) SendData(*task, node, CopyReason::kTaskPrefetch);
  const uint64_t id = ExistingJob(task)->id.load(std::memory_order_relaxed);
  if (starpu_sched_component_push_task(component, choice.child, task) != 0) return 1;
  RecordEstimates(id, candidates);
  return 0;
}

Chooser& MctOf(Component* component) { return *static_cast<Chooser*>(component->data); }
Heft& HeftOf(Component* component) { return *static_cast<Heft*>(component->data); }

int PushMct(Component* component, starpu_task* task) {
  return PushToBest(MctOf(component), component, task);
}

// Whether any was pushed.
bool Progress(Component* component) {
  Heft& heft = HeftOf(component);
  bool any = false;
  for (;;) {
    Job* job;
    {
      std::lock_guard guard(heft.lock);
      job = heft.waiting.Pop([](Job*) { return true; });
      if (!job) return any;
      --heft.size;
    }
    if (PushToBest(heft.chooser, component, job->task) != 0) {
      std::lock_guard guard(heft.lock);
      heft.waiting.PushFront(job);
      ++heft.size;
      return any;
    }
    any = true;
  }
}

int PushHeft(Component* component, starpu_task* task) {
  Heft& heft = HeftOf(component);
  {
    std::lock_guard guard(heft.lock);
    heft.waiting.Push(ExistingJob(task));
    ++heft.size;
    starpu_push_task_end(task);
  }
  Progress(component);
  return 0;
}

int CanPushHeft(Component* component, Component*) {
  const bool any = Progress(component);
  return starpu_sched_component_send_can_push_to_parents(component) || any;
}

double LoadOfHeft(Component* component) {
  Heft& heft = HeftOf(component);
  double size;
  {
    std::lock_guard guard(heft.lock);
    size = static_cast<double>(heft.size);
  }
  return size + starpu_sched_component_estimated_load(component);
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_sched_component* starpu_sched_component_mct_create(starpu_sched_tree* tree,
                                                          starpu_sched_component_mct_data* params) {
  starpu_sched_component* component = starpu_sched_component_create(tree, "mct");
  component->data = new Chooser(ChooserFor(params));
  component->push_task = PushMct;
  component->deinit_data = [](starpu_sched_component* one) { delete &MctOf(one); };
  return component;
}
int starpu_sched_component_is_mct(starpu_sched_component* component) {
  return component->push_task == PushMct;
}

starpu_sched_component* starpu_sched_component_heft_create(
    starpu_sched_tree* tree, starpu_sched_component_mct_data* params) {
  starpu_sched_component* component = starpu_sched_component_create(tree, "heft");
  component->data = new Heft{.chooser = ChooserFor(params)};
  component->push_task = PushHeft;
  component->can_push = CanPushHeft;
  component->estimated_load = LoadOfHeft;
  component->deinit_data = [](starpu_sched_component* one) { delete &HeftOf(one); };
  return component;
}
int starpu_sched_component_is_heft(starpu_sched_component* component) {
  return component->push_task == PushHeft;
}

}  // extern "C"
