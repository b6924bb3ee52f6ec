// SPDX-License-Identifier: Apache-2.0
// The common part of all components: parents, children, default functions, and recording of each
// step.
#include "runtime/api/components/component.h"

#include <starpu_sched_component.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

#include "runtime/core/eligibility.h"
#include "runtime/core/runtime.h"
#include "runtime/recorder/recorder.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

void Append(Component**& list, unsigned& count, Component* one) {
  list = static_cast<Component**>(realloc(list, (count + 1) * sizeof(*list)));
  list[count++] = one;
}
void Erase(Component** list, unsigned& count, Component* one) {
  count = static_cast<unsigned>(std::remove(list, list + count, one) - list);
}

void AddChild(Component* component, Component* child) {
  Append(component->children, component->nchildren, child);
}
void RemoveChild(Component* component, Component* child) {
  Erase(component->children, component->nchildren, child);
}
void AddParent(Component* component, Component* parent) {
  Append(component->parents, component->nparents, parent);
}
void RemoveParent(Component* component, Component* parent) {
  Erase(component->parents, component->nparents, parent);
}
int Notify(Component*, int, void*) { return 0; }
void Nothing(Component*) {}

int PushToFirst(Component* component, starpu_task* task) {
  return PushToChildren(component, task, 0);
}

void Collect(Component* component, std::set<Component*>& all) {
  if (!all.insert(component).second) return;
  for (unsigned i = 0; i < component->nchildren; ++i) Collect(component->children[i], all);
}

// Whether the worker can run any implementation, by the stored answers, since components call this
// under their locks.
bool CanExecute(int worker, starpu_task* task) {
  Runtime& runtime = *Runtime::Instance();
  const std::vector<int>* members = runtime.CombinedWorker(worker);
  if (members && (task->cl->type == STARPU_SEQ ||
                  static_cast<size_t>(task->cl->max_parallelism) < members->size()))
    return false;
  const Worker* single = runtime.worker(members ? members->front() : worker);
  if (!single || !single->enabled.load(std::memory_order_relaxed) || !IsNamed(*single, *task))
    return false;
  const Job& job = *ExistingJob(task);
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i)
    if (MayRun(*single, job, i)) return true;
  return false;
}

// The expected length of the task, or of its whole bundle.
double LengthUs(starpu_task* task, int worker, unsigned context, unsigned implementation) {
  if (!task->bundle)
    return starpu_task_worker_expected_length(task, static_cast<unsigned>(worker), context,
                                              implementation);
  return starpu_task_bundle_expected_length(
      task->bundle, starpu_worker_get_perf_archtype(worker, context), implementation);
}

}  // namespace

unsigned NodeOf(int worker) {
  const Worker* known = Runtime::Instance()->worker(worker);
  return known ? known->node : STARPU_MAIN_RAM;
}

Component* ChildAbove(const Component& component, int worker) {
  for (unsigned i = 0; i < component.nchildren; ++i)
    if (starpu_bitmap_get(&component.children[i]->workers_in_ctx, worker))
      return component.children[i];
  return nullptr;
}

void ForgetLeaf(Runtime& runtime, unsigned context, int worker, Component* component) {
  PolicyContext* const of_id = runtime.policy_context(context);
  if (!of_id) return;
  Component*& known = of_id->leaves[static_cast<size_t>(worker)];
  if (known == component) known = nullptr;
}

int PushToChildren(Component* component, starpu_task* task, unsigned first) {
  const unsigned count = component->nchildren;
  for (unsigned i = 0; i < count; ++i) {
    Component* child = component->children[(first + i) % count];
    if (!starpu_sched_component_can_execute_task(child, task)) continue;
    if (starpu_sched_component_push_task(component, child, task) == 0) return 0;
  }
  return 1;
}

}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short
using tasklens::EventKind;
using tasklens::Record;

extern "C" {

starpu_sched_component* starpu_sched_component_create(starpu_sched_tree* tree, const char* name) {
  auto* component = new starpu_sched_component();
  component->tree = tree;
  component->name = strdup(name ? name : "");
  component->add_child = AddChild;
  component->remove_child = RemoveChild;
  component->add_parent = AddParent;
  component->remove_parent = RemoveParent;
  component->push_task = PushToFirst;
  component->pull_task = starpu_sched_component_parents_pull_task;
  component->can_push = starpu_sched_component_can_push;
  component->can_pull = starpu_sched_component_can_pull;
  component->notify = Notify;
  component->estimated_load = starpu_sched_component_estimated_load;
  component->estimated_end = starpu_sched_component_estimated_end_min;
  component->deinit_data = Nothing;
  component->notify_change_workers = Nothing;
  Record<EventKind::kComponentNew>(component, std::string_view(component->name));
  return component;
}

void starpu_sched_component_destroy(starpu_sched_component* component) {
  if (component->deinit_data) component->deinit_data(component);
  free(component->children);
  free(component->parents);
  free(component->name);
  delete component;
}

void starpu_sched_component_destroy_rec(starpu_sched_component* component) {
  std::set<starpu_sched_component*> all;  // a set, as components may have several parents
  if (component) Collect(component, all);
  for (starpu_sched_component* one : all) starpu_sched_component_destroy(one);
}

void starpu_sched_component_connect(starpu_sched_component* parent, starpu_sched_component* child) {
  parent->add_child(parent, child);
  child->add_parent(child, parent);
  Record<EventKind::kComponentLink>(parent, child);
}
void starpu_sched_component_add_child(starpu_sched_component* component,
                                      starpu_sched_component* child) {
  AddChild(component, child);
}

int starpu_sched_component_push_task(starpu_sched_component* from, starpu_sched_component* to,
                                     starpu_task* task) {
  // The task may have run and be freed when push_task() returns.
  const int priority = task->priority;
  const int refused = to->push_task(to, task);
  if (!refused) Record<EventKind::kComponentPush>(from, to, task, priority);
  return refused;
}
starpu_task* starpu_sched_component_pull_task(starpu_sched_component* from,
                                              starpu_sched_component* to) {
  starpu_task* task = from->pull_task(from, to);
  if (task) Record<EventKind::kComponentPull>(from, to, task, task->priority);
  return task;
}

starpu_task* starpu_sched_component_pump_to(starpu_sched_component* component,
                                            starpu_sched_component* to, int* success) {
  int moved = 0;
  starpu_task* task;
  while ((task = component->pull_task(component, to))) {
    if (starpu_sched_component_push_task(component, to, task)) break;
    moved = 1;
  }
  if (success) *success = moved;
  return task;
}
starpu_task* starpu_sched_component_pump_downstream(starpu_sched_component* component,
                                                    int* success) {
  if (component->nchildren != 1) {
    Fatal("starpu_sched_component_pump_downstream(): '%s' has %u children, not one",
          component->name, component->nchildren);
  }
  return starpu_sched_component_pump_to(component, component->children[0], success);
}

starpu_task* starpu_sched_component_parents_pull_task(starpu_sched_component* component,
                                                      starpu_sched_component*) {
  for (unsigned i = 0; i < component->nparents; ++i) {
    starpu_task* task = starpu_sched_component_pull_task(component->parents[i], component);
    if (task) return task;
  }
  return nullptr;
}

int starpu_sched_component_send_can_push_to_parents(starpu_sched_component* component) {
  for (unsigned i = 0; i < component->nparents; ++i) {
    starpu_sched_component* parent = component->parents[i];
    if (parent->can_push(parent, component)) return 1;
  }
  return 0;
}
int starpu_sched_component_can_push(starpu_sched_component* component, starpu_sched_component*) {
  return starpu_sched_component_send_can_push_to_parents(component);
}
int starpu_sched_component_can_pull(starpu_sched_component* component) {
  for (unsigned i = 0; i < component->nchildren; ++i) {
    starpu_sched_component* child = component->children[i];
    if (child->can_pull(child)) return 1;
  }
  return 0;
}
int starpu_sched_component_can_pull_all(starpu_sched_component* component) {
  int woken = 0;
  for (unsigned i = 0; i < component->nchildren; ++i) {
    starpu_sched_component* child = component->children[i];
    if (child->can_pull(child)) woken = 1;
  }
  return woken;
}
double starpu_sched_component_estimated_load(starpu_sched_component* component) {
  double load = 0;
  for (unsigned i = 0; i < component->nchildren; ++i) {
    starpu_sched_component* child = component->children[i];
    load += child->estimated_load(child);
  }
  return load;
}

double starpu_sched_component_estimated_end_min(starpu_sched_component* component) {
  double soonest_us = INFINITY;
  for (unsigned i = 0; i < component->nchildren; ++i) {
    starpu_sched_component* child = component->children[i];
    soonest_us = std::min(soonest_us, child->estimated_end(child));
  }
  return std::isinf(soonest_us) ? starpu_timing_now() : soonest_us;
}
double starpu_sched_component_estimated_end_min_add(starpu_sched_component* component,
                                                    double length_us) {
  return starpu_sched_component_estimated_end_min(component) + length_us;
}
double starpu_sched_component_estimated_end_average(starpu_sched_component* component) {
  if (component->nchildren == 0) return starpu_timing_now();
  double sum_us = 0;
  for (unsigned i = 0; i < component->nchildren; ++i)
    sum_us += component->children[i]->estimated_end(component->children[i]);
  return sum_us / component->nchildren;
}

int starpu_sched_component_can_execute_task(starpu_sched_component* component, starpu_task* task) {
  for (int worker = starpu_bitmap_first(&component->workers_in_ctx); worker >= 0;
       worker = starpu_bitmap_next(&component->workers_in_ctx, worker)) {
    if (CanExecute(worker, task)) return 1;
  }
  return 0;
}

int starpu_sched_component_execute_preds(starpu_sched_component* component, starpu_task* task,
                                         double* length_us) {
  double least_us = INFINITY;
  bool can_execute = false, is_unknown = false;
  for (int worker = starpu_bitmap_first(&component->workers_in_ctx); worker >= 0 && !is_unknown;
       worker = starpu_bitmap_next(&component->workers_in_ctx, worker)) {
    for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS && !is_unknown; ++i) {
      if (!starpu_combined_worker_can_execute_task(static_cast<unsigned>(worker), task, i))
        continue;
      can_execute = true;
      const double us = LengthUs(task, worker, component->tree->sched_ctx_id, i);
      is_unknown = std::isnan(us);
      if (us > 0) least_us = std::min(least_us, us);
    }
    if (can_execute && STARPU_SCHED_COMPONENT_IS_HOMOGENEOUS(component)) break;
  }
  if (length_us) *length_us = is_unknown ? NAN : std::isinf(least_us) ? 0 : least_us;
  return can_execute;
}
double starpu_sched_component_transfer_length(starpu_sched_component* component,
                                              starpu_task* task) {
  double sum_us = 0;
  int workers = 0;
  ForEachWorker(&component->workers_in_ctx, [&](int worker) {
    if (workers > 0 && STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(component)) return;
    const unsigned node = NodeOf(worker);
    sum_us += task->bundle ? starpu_task_bundle_expected_data_transfer_time(task->bundle, node)
                           : starpu_task_expected_data_transfer_time(node, task);
    ++workers;
  });
  return workers ? sum_us / workers : 0;
}
void starpu_sched_component_prefetch_on_node(starpu_sched_component* component, starpu_task* task) {
  if (!STARPU_SCHED_COMPONENT_IS_SINGLE_MEMORY_NODE(component) || task->prefetched) return;
  if (!starpu_get_prefetch_flag()) return;
  const int worker = starpu_bitmap_first(&component->workers_in_ctx);
  starpu_prefetch_task_input_on_node(task, NodeOf(worker));
}

}  // extern "C"
