// SPDX-License-Identifier: Apache-2.0
// modular-random: random, built from components: a short queue for each worker, filled at random
// from a long one above.
#include "runtime/api/components/modular_policy.h"

namespace tasklens::runtime {
namespace {

constexpr char kName[] = "modular-random";
constexpr char kDescription[] = "components: short queues for workers, filled at random";

void Init(unsigned context) {
  starpu_sched_component_initialize_simple_scheduler(
      starpu_sched_component_random_create, nullptr,
      STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_FIFO_ABOVE |
          STARPU_SCHED_SIMPLE_FIFOS_BELOW | STARPU_SCHED_SIMPLE_IMPL,
      context);
}

}  // namespace

extern const PolicySpec kModularRandomPolicy;
const PolicySpec kModularRandomPolicy = ModularSpec<kName, kDescription, Init>();

}  // namespace tasklens::runtime
