// SPDX-License-Identifier: Apache-2.0
// The policies that are trees of components.
#include <starpu_sched_component.h>

#include <memory>

#include "runtime/core/program_policy.h"
#include "runtime/core/runtime.h"
#include "runtime/sched/candidates.h"

namespace tasklens::runtime {
namespace {

// The public struct of a policy whose tree `init` builds.
starpu_sched_policy ModularPolicy(const char* name, const char* description,
                                  void (*init)(unsigned context)) {
  starpu_sched_policy policy = {};
  policy.policy_name = name;
  policy.policy_description = description;
  policy.init_sched = init;
  policy.deinit_sched = starpu_sched_tree_deinitialize;
  policy.add_workers = starpu_sched_tree_add_workers;
  policy.remove_workers = starpu_sched_tree_remove_workers;
  policy.push_task = starpu_sched_tree_push_task;
  policy.pop_task = starpu_sched_tree_pop_task;
  policy.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook;
  policy.post_exec_hook = starpu_sched_component_worker_post_exec_hook;
  policy.worker_type = STARPU_WORKER_LIST;
  return policy;
}

// Builds a tree around the component that decides.
template <auto kCreate, unsigned kFlags>
void Init(unsigned context) {
  starpu_sched_component_initialize_simple_scheduler(
      reinterpret_cast<starpu_sched_component_create_t>(kCreate), nullptr,
      STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_IMPL | kFlags, context);
}
void InitHeft(unsigned context) {
  ReadCostWeights(Runtime::Instance()->settings.dmda_weights);
  Init<starpu_sched_component_heft_create,
       STARPU_SCHED_SIMPLE_DECIDE_ALWAYS | STARPU_SCHED_SIMPLE_FIFOS_BELOW |
           STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO | STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP>(context);
}

struct Modular {
  const char *name, *description;
  void (*init)(unsigned context);
};
// A queue from which all workers pull.
constexpr Modular kEager = {
    "modular-eager", "components: one queue, first in first out",
    Init<starpu_sched_component_eager_create, STARPU_SCHED_SIMPLE_FIFO_ABOVE>};
// A priority queue from which all workers pull.
constexpr Modular kPrio = {
    "modular-prio", "components: one queue, highest priority first",
    Init<starpu_sched_component_eager_create,
         STARPU_SCHED_SIMPLE_FIFO_ABOVE | STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO>};
// A short queue for each worker, filled at random from a long one above.
constexpr Modular kRandom = {
    "modular-random", "components: short queues for workers, filled at random",
    Init<starpu_sched_component_random_create,
         STARPU_SCHED_SIMPLE_FIFO_ABOVE | STARPU_SCHED_SIMPLE_FIFOS_BELOW>};
constexpr Modular kWs = {
    "modular-ws", "components: a queue for each worker; workers without tasks steal",
    Init<starpu_sched_component_work_stealing_create, STARPU_SCHED_SIMPLE_DECIDE_ALWAYS>};
// Heft pushes each task to the queue, by priority, of the worker that is expected to end it first.
constexpr Modular kHeft = {"modular-heft", "components: earliest expected end, by priority",
                           InitHeft};

// The policy's row in the table of policies.
template <const Modular& kPolicy>
constexpr PolicySpec Spec() {
  return {kPolicy.name, kPolicy.description, [](Host&, int) -> std::unique_ptr<Policy> {
            static const starpu_sched_policy functions =
                ModularPolicy(kPolicy.name, kPolicy.description, kPolicy.init);
            return std::make_unique<ProgramPolicy>(functions);
          }};
}

}  // namespace

extern const PolicySpec kModularEagerPolicy, kModularPrioPolicy, kModularRandomPolicy;
extern const PolicySpec kModularWsPolicy, kModularHeftPolicy;
const PolicySpec kModularEagerPolicy = Spec<kEager>();
const PolicySpec kModularPrioPolicy = Spec<kPrio>();
const PolicySpec kModularRandomPolicy = Spec<kRandom>();
const PolicySpec kModularWsPolicy = Spec<kWs>();
const PolicySpec kModularHeftPolicy = Spec<kHeft>();

}  // namespace tasklens::runtime
