// SPDX-License-Identifier: Apache-2.0
// starpu_sched_ctx_*: notifies the program's hypervisor of events in a scheduling context.
#include <starpu.h>

#include "runtime/core/runtime.h"
#include "runtime/core/watched_context.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

Context& Watched(unsigned id, const char* function) {
  Context* context = Runtime::Get(function).contexts().Find(id);
  if (!context) Fatal("%s(): there is no scheduling context %u that can be watched", function, id);
  return *context;
}

}  // namespace

extern "C" {

void starpu_sched_ctx_set_perf_counters(unsigned id, void* news) {
  Context& context = Watched(id, __func__);
  context.news.store(static_cast<ContextNews*>(news), std::memory_order_release);
  if (news) Runtime::Instance()->contexts().BeginToWatch(*Runtime::Instance());
}
void starpu_sched_ctx_call_pushed_task_cb(int worker, unsigned id) {
  if (id == 0) return;  // policies of context 0 call it as well
  TellPushed(Watched(id, __func__), worker, WorkerSet());
}
void starpu_sched_ctx_notify_hypervisor_exists(void) {
  Runtime::Get(__func__).contexts().has_hypervisor = true;
}
unsigned starpu_sched_ctx_check_if_hypervisor_exists(void) {
  return Runtime::Get(__func__).contexts().has_hypervisor;
}

}  // extern "C"
