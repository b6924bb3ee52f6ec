// SPDX-License-Identifier: Apache-2.0
// modular-ws: ws, built from components.
#include "runtime/api/components/modular_policy.h"

namespace tasklens::runtime {
namespace {

constexpr char kName[] = "modular-ws";
constexpr char kDescription[] = "components: a queue for each worker; workers without tasks steal";

void Init(unsigned context) {
  starpu_sched_component_initialize_simple_scheduler(
      starpu_sched_component_work_stealing_create, nullptr,
      STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_DECIDE_ALWAYS |
          STARPU_SCHED_SIMPLE_DECIDE_ALWAYS | STARPU_SCHED_SIMPLE_IMPL,
      context);
}

}  // namespace

extern const PolicySpec kModularWsPolicy;
const PolicySpec kModularWsPolicy = ModularSpec<kName, kDescription, Init>();

}  // namespace tasklens::runtime
