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

namespace {

constexpr size_t kMaxPolicies = 64;

struct PublicFaces {
  starpu_sched_policy policies[kMaxPolicies] = {};
  starpu_sched_policy* list[kMaxPolicies + 1] = {};
  PublicFaces() {
    size_t count = 0;
    for (const PolicySpec* spec : Policies()) {
      policies[count].policy_name = spec->name;
      policies[count].policy_description = spec->description;
      list[count] = &policies[count];
      ++count;
    }
  }
};
PublicFaces& Faces() {
  static PublicFaces faces;
  return faces;
}

}  // namespace

starpu_sched_policy* PublicFace(const PolicySpec& spec) {
  for (starpu_sched_policy** at = Faces().list; *at; ++at) {
    if ((*at)->policy_name == spec.name) return *at;
  }
  return nullptr;
}

}  // namespace tasklens::runtime

extern "C" starpu_sched_policy** starpu_sched_get_predefined_policies(void) {
  return tasklens::runtime::Faces().list;
}
