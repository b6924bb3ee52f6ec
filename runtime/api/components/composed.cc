// SPDX-License-Identifier: Apache-2.0
// composed: a chain of components, each below the one before, that acts as one component.
#include <vector>

#include "runtime/api/components/component.h"
#include "runtime/support/message.h"

struct starpu_sched_component_composed_recipe {
  struct Step {
    starpu_sched_component_create_t create;
    void* argument;
  };
  std::vector<Step> steps;
};

namespace tasklens::runtime {
namespace {

using Chain = std::vector<Component*>;  // from the top down

// Components above and below know only the composed one: tasks and calls that enter or leave the
// chain pass through it.
int Push(Component* component, starpu_task* task) {
  return starpu_sched_component_push_task(component, DataOf<Chain>(component).front(), task);
}
starpu_task* Pull(Component* component, Component* to) {
  Chain& chain = DataOf<Chain>(component);
  if (to == chain.front()) return starpu_sched_component_parents_pull_task(component, component);
  return starpu_sched_component_pull_task(chain.back(), to);
}
int CanPush(Component* component, Component* to) {
  Chain& chain = DataOf<Chain>(component);
  if (to == chain.front()) return starpu_sched_component_send_can_push_to_parents(component);
  return chain.back()->can_push(chain.back(), to);
}
int CanPull(Component* component) {
  Component* top = DataOf<Chain>(component).front();
  return top->can_pull(top);
}
double Load(Component* component) {
  Component* top = DataOf<Chain>(component).front();
  return top->estimated_load(top);
}
double End(Component* component) {
  Component* top = DataOf<Chain>(component).front();
  return top->estimated_end(top);
}

void AddChild(Component* component, Component* child) {
  starpu_sched_component_add_child(component, child);
  Component* bottom = DataOf<Chain>(component).back();
  bottom->add_child(bottom, child);
}
void RemoveChild(Component*, Component*) { Fatal("a composed component cannot lose a child"); }

// Gives all parts the same workers.
void NoteWorkers(Component* component) {
  for (Component* part : DataOf<Chain>(component)) {
    part->workers = component->workers;
    part->workers_in_ctx = component->workers_in_ctx;
    part->properties = component->properties;
    part->notify_change_workers(part);
  }
}

// The tree calls only the composed component, which passes the call on to its parts.
void DoSchedule(Component* component) {
  for (Component* part : DataOf<Chain>(component))
    if (part->do_schedule) part->do_schedule(part);
}

void Deinit(Component* component) {
  for (Component* part : DataOf<Chain>(component)) starpu_sched_component_destroy(part);
  delete &DataOf<Chain>(component);
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" {

starpu_sched_component_composed_recipe* starpu_sched_component_composed_recipe_create(void) {
  return new starpu_sched_component_composed_recipe;
}
starpu_sched_component_composed_recipe* starpu_sched_component_composed_recipe_create_singleton(
    starpu_sched_component_create_t create, void* argument) {
  return new starpu_sched_component_composed_recipe{{{create, argument}}};
}
void starpu_sched_component_composed_recipe_add(starpu_sched_component_composed_recipe* recipe,
                                                starpu_sched_component_create_t create,
                                                void* argument) {
  recipe->steps.push_back({create, argument});
}
void starpu_sched_component_composed_recipe_destroy(
    starpu_sched_component_composed_recipe* recipe) {
  delete recipe;
}

starpu_sched_component* starpu_sched_component_composed_component_create(
    starpu_sched_tree* tree, starpu_sched_component_composed_recipe* recipe) {
  using namespace tasklens::runtime;  // NOLINT: its functions
  if (recipe->steps.empty())
    Fatal("starpu_sched_component_composed_component_create(): the recipe is empty");
  if (recipe->steps.size() == 1) return recipe->steps[0].create(tree, recipe->steps[0].argument);
  starpu_sched_component* composed = NewComponent(tree, "composed", Push, Pull);
  auto* chain = new Chain;
  composed->data = chain;
  for (const auto& step : recipe->steps) {
    starpu_sched_component* part = step.create(tree, step.argument);
    if (chain->empty()) {
      part->add_parent(part, composed);
    } else {
      starpu_sched_component_connect(chain->back(), part);
    }
    chain->push_back(part);
  }
  composed->add_child = AddChild;
  composed->remove_child = RemoveChild;
  composed->can_push = CanPush;
  composed->can_pull = CanPull;
  composed->estimated_load = Load;
  composed->estimated_end = End;
  composed->do_schedule = DoSchedule;
  composed->notify_change_workers = NoteWorkers;
  composed->deinit_data = Deinit;
  return composed;
}

}  // extern "C"
