// SPDX-License-Identifier: Apache-2.0
// modular-heft, built from components: heft pushes each task to the queue, by priority, of the
// worker that is expected to end it first.
#include "runtime/api/components/modular_policy.h"
#include "runtime/core/runtime.h"
#include "runtime/sched/candidates.h"

namespace tasklens::runtime {
namespace {

constexpr char kName[] = "modular-heft";
constexpr char kDescription[] = "components: earliest expected end, by priority";

void Init(unsigned context) {
  ReadCostWeights(Runtime::Instance()->settings.dmda_weights);
  starpu_sched_component_initialize_simple_scheduler(
      reinterpret_cast<starpu_sched_component_create_t>(starpu_sched_component_heft_create),
      nullptr,
      STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_DECIDE_ALWAYS |
          STARPU_SCHED_SIMPLE_FIFOS_BELOW | STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO |
          STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP | STARPU_SCHED_SIMPLE_IMPL,
      context);
}

}  // namespace

extern const PolicySpec kModularHeftPolicy;
const PolicySpec kModularHeftPolicy = ModularSpec<kName, kDescription, Init>();

}  // namespace tasklens::runtime
