// SPDX-License-Identifier: Apache-2.0
// A whole policy around one component that decides:
//
//   [fifo or prio] -> decision -> for each worker: [fifo or prio] -> [best_impl] -> worker
#include "runtime/core/environment.h"
#include "runtime/sched/components/component.h"

namespace tasklens::runtime {
namespace {

using Component = starpu_sched_component;

constexpr int kTasksBelow = 4;
constexpr int kTasksBelowWithEnds = 30;  // enough to look ahead

Component* Queue(starpu_sched_tree* tree, bool by_priority, unsigned most) {
  if (by_priority) {
    starpu_sched_component_prio_data data = {.ntasks_threshold = most};
    return starpu_sched_component_prio_create(tree, &data);
  }
  starpu_sched_component_fifo_data data = {.ntasks_threshold = most};
  return starpu_sched_component_fifo_create(tree, &data);
}

// A component below the last one, or the root.
Component* Below(starpu_sched_tree* tree, Component* last, Component* component) {
  if (last) {
    starpu_sched_component_connect(last, component);
  } else {
    tree->root = component;
  }
  return component;
}

Component* QueueBelow(starpu_sched_tree* tree, Component* last, unsigned flags) {
  if (!(flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW)) return last;
  const bool knows_ends = flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP;
  const int most = EnvironmentNumber("STARPU_NTASKS_THRESHOLD")
                       .value_or(knows_ends ? kTasksBelowWithEnds : kTasksBelow);
  return Below(
      tree, last,
      Queue(tree, flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO, static_cast<unsigned>(most)));
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" void starpu_sched_component_initialize_simple_scheduler(
    starpu_sched_component_create_t create_decision, void* data, unsigned flags, unsigned context) {
  using namespace tasklens::runtime;  // NOLINT: the helpers above
  starpu_sched_tree* tree = starpu_sched_tree_create(context);
  starpu_sched_ctx_set_policy_data(context, tree);
  const unsigned workers = starpu_worker_get_count();
  // All workers are of one kind and one memory.
  const bool by_worker =
      (flags & STARPU_SCHED_SIMPLE_DECIDE_MASK) == STARPU_SCHED_SIMPLE_DECIDE_WORKERS;

  Component* last = nullptr;
  if (flags & STARPU_SCHED_SIMPLE_FIFO_ABOVE) {
    last = Below(tree, last, Queue(tree, flags & STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO, 0));
  }
  if ((by_worker && workers > 1) || (flags & STARPU_SCHED_SIMPLE_DECIDE_ALWAYS) || !last) {
    last = Below(tree, last, create_decision(tree, data));
  }
  if (!by_worker) {
    last = QueueBelow(tree, last, flags);
    last = Below(tree, last, starpu_sched_component_eager_create(tree, nullptr));
  }
  for (unsigned worker = 0; worker < workers; ++worker) {
    Component* at = by_worker ? QueueBelow(tree, last, flags) : last;
    if (flags & STARPU_SCHED_SIMPLE_IMPL) {
      at = Below(tree, at, starpu_sched_component_best_implementation_create(tree, nullptr));
    }
    Below(tree, at, starpu_sched_component_worker_get(context, static_cast<int>(worker)));
  }
  starpu_sched_tree_update_workers(tree);
}
