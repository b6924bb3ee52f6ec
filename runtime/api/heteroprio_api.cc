// SPDX-License-Identifier: Apache-2.0
// The public functions about the policy heteroprio.
#include <schedulers/starpu_heteroprio.h>
#include <starpu.h>

#include "runtime/core/runtime.h"
#include "runtime/sched/heteroprio.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

Heteroprio& PolicyOf(unsigned context, const char* function) {
  auto* policy = dynamic_cast<Heteroprio*>(Runtime::Get(function).policy(context));
  if (!policy) Fatal("%s(): context %u's scheduling policy is not heteroprio", function, context);
  return *policy;
}

void CheckArguments(const char* function, starpu_worker_archtype arch, unsigned bucket) {
  if (static_cast<unsigned>(arch) >= STARPU_NARCH) {
    Fatal("%s(): there is no kind of worker %d", function, static_cast<int>(arch));
  }
  if (bucket >= STARPU_HETEROPRIO_MAX_PRIO) {
    Fatal("%s(): bucket %u is not below %d", function, bucket, STARPU_HETEROPRIO_MAX_PRIO);
  }
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_heteroprio_set_nb_prios(unsigned context, starpu_worker_archtype arch, unsigned count) {
  Heteroprio& policy = PolicyOf(context, __func__);
  if (count > STARPU_HETEROPRIO_MAX_PRIO) {
    Fatal("starpu_heteroprio_set_nb_prios(): %u are more than %d", count,
          STARPU_HETEROPRIO_MAX_PRIO);
  }
  CheckArguments(__func__, arch, 0);
  policy.SetPriorities(arch, count);
}

void starpu_heteroprio_set_mapping(unsigned context, starpu_worker_archtype arch, unsigned rank,
                                   unsigned bucket) {
  Heteroprio& policy = PolicyOf(context, __func__);
  CheckArguments(__func__, arch, bucket);
  if (!policy.SetBucket(arch, rank, bucket)) {
    Fatal(
        "starpu_heteroprio_set_mapping(): workers of this kind have no priority %u; call "
        "starpu_heteroprio_set_nb_prios() first",
        rank);
  }
}

void starpu_heteroprio_set_use_locality(unsigned context, unsigned use) {
  PolicyOf(context, __func__).UseLocality(use != 0);
}
void starpu_heteroprio_map_wgroup_memory_nodes(unsigned context) {
  if (!PolicyOf(context, __func__).uses_locality())
    Fatal("%s(): call starpu_heteroprio_set_use_locality() first", __func__);
}
void starpu_heteroprio_print_wgroups(FILE* stream, unsigned context) {
  Heteroprio& policy = PolicyOf(context, __func__);
  if (!policy.uses_locality())
    Fatal("%s(): call starpu_heteroprio_set_use_locality() first", __func__);
  policy.Print(stream);
}

void starpu_heteroprio_set_faster_arch(unsigned context, starpu_worker_archtype arch,
                                       unsigned bucket) {
  Heteroprio& policy = PolicyOf(context, __func__);
  CheckArguments(__func__, arch, bucket);
  policy.SetFaster(arch, bucket);
}
void starpu_heteroprio_set_arch_slow_factor(unsigned context, starpu_worker_archtype arch,
                                            unsigned bucket, float factor) {
  Heteroprio& policy = PolicyOf(context, __func__);
  CheckArguments(__func__, arch, bucket);
  if (!(factor > 0)) Fatal("starpu_heteroprio_set_arch_slow_factor(): %g is not above 0", factor);
  policy.SetSlowFactor(arch, bucket, factor);
}

}  // extern "C"
