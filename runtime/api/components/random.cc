// SPDX-License-Identifier: Apache-2.0
// random: pushes a task to a random child; if that refuses, to the next.
#include "runtime/api/components/component.h"
#include "runtime/sched/random_numbers.h"

namespace tasklens::runtime {
namespace {

int Push(Component* component, starpu_task* task) {
  if (component->nchildren == 0) return 1;
  return PushToChildren(component, task,
                        DataOf<RandomNumbers>(component).Below(component->nchildren));
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_sched_component* starpu_sched_component_random_create(starpu_sched_tree* tree, void*) {
  return NewComponent(tree, "random", new RandomNumbers, Push);
}
IS_COMPONENT(random, push_task, Push)

}  // extern "C"
