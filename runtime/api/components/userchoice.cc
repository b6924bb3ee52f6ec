// SPDX-License-Identifier: Apache-2.0
// userchoice: pushes a task to the child whose number is in its sched_data.
#include <cstdint>

#include "runtime/api/components/component.h"
#include "runtime/jobs/codelet.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

Component* ChosenFor(Component* component, starpu_task* task) {
  const auto number = reinterpret_cast<uintptr_t>(task->sched_data);
  if (number >= component->nchildren) {
    Fatal("userchoice: sched_data of task '%s' is %zu, and there are %u components to choose from",
          NameOf(*task), static_cast<size_t>(number), component->nchildren);
  }
  return component->children[number];
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

starpu_sched_component* starpu_sched_component_userchoice_create(starpu_sched_tree* tree, void*) {
  return NewComponent(tree, "userchoice", PushToChosen<ChosenFor>, PullIfChosen<ChosenFor>);
}
IS_COMPONENT(userchoice, push_task, PushToChosen<ChosenFor>)

}  // extern "C"
