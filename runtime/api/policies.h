// SPDX-License-Identifier: Apache-2.0
// The table of all scheduling policies, and the choice of the one that the program or its user asks
// for.
#pragma once

#include <starpu.h>

#include <span>
#include <string_view>

#include "runtime/core/policy_context.h"
#include "runtime/sched/policy.h"

namespace tasklens::runtime {

// The policies of sched/policies.inc, then those of api/components/policies.inc. The first is the
// default.
std::span<const PolicySpec* const> Policies();
// Returns nullptr if there is no policy of that name.
const PolicySpec* FindPolicy(std::string_view name);

// Chooses the policy of a run by its configuration and the environment: one of STARPU_SCHED_LIB,
// the program's, or one of Policies(). Returns 0, or a negative errno (with a warning).
int ChooseRunPolicy(const starpu_conf& conf, Host& host, int workers, ChosenPolicy& chosen);
// Chooses the policy of a context by name, from STARPU_SCHED_LIB or Policies(); without a name, the
// first. Returns false (with a warning) if there is none.
bool ChoosePredefinedPolicy(const char* name, Host& host, int workers, ChosenPolicy& chosen);

}  // namespace tasklens::runtime
