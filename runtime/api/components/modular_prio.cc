// SPDX-License-Identifier: Apache-2.0
// modular-prio: prio, built from components: a priority queue from which all workers pull.
#include "runtime/api/components/modular_policy.h"

namespace tasklens::runtime {
namespace {

constexpr char kName[] = "modular-prio";
constexpr char kDescription[] = "components: one queue, highest priority first";

void Init(unsigned context) {
  starpu_sched_component_initialize_simple_scheduler(
      starpu_sched_component_eager_create, nullptr,
      STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFO_ABOVE |
          STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO | STARPU_SCHED_SIMPLE_IMPL,
      context);
}

}  // namespace

extern const PolicySpec kModularPrioPolicy;
const PolicySpec kModularPrioPolicy = ModularSpec<kName, kDescription, Init>();

}  // namespace tasklens::runtime
