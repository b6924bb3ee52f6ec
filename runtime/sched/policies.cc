// SPDX-License-Identifier: Apache-2.0
// The table of policies, and the public view of it.
#include <starpu.h>

#include "runtime/sched/policy.h"

namespace tasklens::runtime {

#define POLICY(Name) extern const PolicySpec k##Name##Policy;
#include "runtime/sched/policies.inc"
#undef POLICY

std::span<const PolicySpec* const> Policies() {
  static constexpr const PolicySpec* kAll[] = {
#define POLICY(Name) &k##Name##Policy,
#include "runtime/sched/policies.inc"
#undef POLICY
  };
  return kAll;
}

const PolicySpec* FindPolicy(std::string_view name) {
  for (const PolicySpec* policy : Policies()) {
    if (name == policy->name) return policy;
  }
  return nullptr;
}

}  // namespace tasklens::runtime

extern "C" starpu_sched_policy** starpu_sched_get_predefined_policies(void) {
  static constexpr int kMax = 64;
  static starpu_sched_policy policies[kMax];
  static starpu_sched_policy* list[kMax + 1];
  static const bool filled = [] {
    int count = 0;
    for (const auto* spec : tasklens::runtime::Policies()) {
      policies[count] = {spec->name, spec->description};
      list[count] = &policies[count];
      ++count;
    }
    list[count] = nullptr;
    return true;
  }();
  (void)filled;
  return list;
}
