// SPDX-License-Identifier: Apache-2.0
// modular-random: random, put together from components: a short queue for each worker, filled at
// random from a long one above.
#include "runtime/sched/components/component.h"
#include "runtime/sched/program_policy.h"

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
const PolicySpec kModularRandomPolicy = {
    kName,
    kDescription,
    [](int) -> std::unique_ptr<Policy> {
      static const starpu_sched_policy functions = ModularPolicy(kName, kDescription, Init);
      return std::make_unique<ProgramPolicy>(functions);
    },
};

}  // namespace tasklens::runtime
