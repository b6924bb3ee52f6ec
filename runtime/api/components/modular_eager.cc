// SPDX-License-Identifier: Apache-2.0
// modular-eager: eager, built from components: a queue from which all workers pull.
#include "runtime/api/components/modular_policy.h"

namespace tasklens::runtime {
namespace {

constexpr char kName[] = "modular-eager";
constexpr char kDescription[] = "components: one queue, first in first out";

void Init(unsigned context) {
  starpu_sched_component_initialize_simple_scheduler(starpu_sched_component_eager_create, nullptr,
                                                     STARPU_SCHED_SIMPLE_DECIDE_WORKERS |
                                                         STARPU_SCHED_SIMPLE_FIFO_ABOVE |
                                                         STARPU_SCHED_SIMPLE_IMPL,
                                                     context);
}

}  // namespace

extern const PolicySpec kModularEagerPolicy;
const PolicySpec kModularEagerPolicy = ModularSpec<kName, kDescription, Init>();

}  // namespace tasklens::runtime
