// SPDX-License-Identifier: Apache-2.0
// Notifies the program's hypervisor of events in a scheduling context
// (starpu_sched_ctx_hypervisor.h).
#pragma once

#include <starpu_sched_ctx_hypervisor.h>

#include "runtime/core/contexts.h"

namespace tasklens::runtime {

using ContextNews = starpu_sched_ctx_performance_counters;

// Calls the program's function, if set.
template <class... Parameters, class... Args>
void Tell(const Context& context, void (*ContextNews::*function)(Parameters...), Args... args) {
  const ContextNews* const news = context.news.load(std::memory_order_acquire);
  if (news && news->*function) (news->*function)(args...);
}

void TellSubmitted(const Context& context, const Job* job);
// A task was pushed to the policy: for `target`, or for any of `workers` if that is negative.
void TellPushed(const Context& context, int target, const WorkerSet& workers);
// The task's function has returned.
void TellRun(const Context& context, const Job* job);

}  // namespace tasklens::runtime
