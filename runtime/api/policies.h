// SPDX-License-Identifier: Apache-2.0
// The table of all scheduling policies, and which of them a program or its user asks for.
#pragma once

#include <starpu.h>

#include <span>
#include <string_view>

#include "runtime/core/policy_context.h"
#include "runtime/sched/policy.h"

namespace tasklens::runtime {

// Those of sched/policies.inc, then those of api/components/policies.inc. The first is what runs
// where nobody asks for another.
std::span<const PolicySpec* const> Policies();
// nullptr when no policy is called that.
const PolicySpec* FindPolicy(std::string_view name);

// The policy of a run, by its configuration and the environment: STARPU_SCHED_LIB's, the program's,
// or one of Policies(). 0, or a negative errno with a line when it cannot be.
int ChooseRunPolicy(const starpu_conf& conf, Host& host, int workers, ChosenPolicy& chosen);
// That of a context: of STARPU_SCHED_LIB or predefined, by its name, the first without one. False,
// with a line, when there is none.
bool ChoosePredefinedPolicy(const char* name, Host& host, int workers, ChosenPolicy& chosen);

}  // namespace tasklens::runtime
