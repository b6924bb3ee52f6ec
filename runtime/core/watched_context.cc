// SPDX-License-Identifier: Apache-2.0
// What the news say of a task, and the public functions that ask for them.
#include "runtime/core/watched_context.h"

#include <bit>

#include "runtime/core/runtime.h"
#include "runtime/core/task_data.h"
#include "runtime/jobs/codelet.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

uint32_t FootprintOf(const Job* job) {
  starpu_task* const task = job->task;
  return task->cl ? starpu_task_footprint(task->cl->model, task, nullptr, job->implementation) : 0;
}

Context& Watched(unsigned id, const char* function) {
  Context* context = Runtime::Get(function).contexts().Find(id);
  if (!context) Fatal("%s(): there is no scheduling context %u that can be watched", function, id);
  return *context;
}

}  // namespace

void TellSubmitted(const Context& context, const Job* job) {
  if (!context.news.load(std::memory_order_relaxed)) return;
  Tell(context, &ContextNews::notify_submitted_job, job->task, FootprintOf(job),
       size_t{BytesOf(*job->task)});
}

void TellPushed(const Context& context, int target, const WorkerSet& workers) {
  if (!context.news.load(std::memory_order_relaxed)) return;
  const WorkerSet told = target >= 0 ? WorkerSet::Of(target) : workers;
  told.ForEach([&](int id) { Tell(context, &ContextNews::notify_pushed_task, context.id, id); });
}

void TellRun(const Context& context, const Job* job) {
  if (!context.news.load(std::memory_order_relaxed)) return;
  starpu_task* const task = job->task;
  Tell(context, &ContextNews::notify_post_exec_task, task, size_t{BytesOf(*task)}, FootprintOf(job),
       task->hypervisor_tag, task->flops);
}

}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_sched_ctx_set_perf_counters(unsigned id, void* news) {
  Context& context = Watched(id, "starpu_sched_ctx_set_perf_counters");
  context.news.store(static_cast<ContextNews*>(news), std::memory_order_release);
  if (news) Runtime::Instance()->contexts().BeginToWatch(*Runtime::Instance());
}
void starpu_sched_ctx_call_pushed_task_cb(int worker, unsigned id) {
  if (id == 0) return;  // policies of context 0 call it as well
  TellPushed(Watched(id, "starpu_sched_ctx_call_pushed_task_cb"), worker, WorkerSet());
}
void starpu_sched_ctx_notify_hypervisor_exists(void) {
  Runtime::Get("starpu_sched_ctx_notify_hypervisor_exists").contexts().has_hypervisor = true;
}
unsigned starpu_sched_ctx_check_if_hypervisor_exists(void) {
  return Runtime::Get("starpu_sched_ctx_check_if_hypervisor_exists").contexts().has_hypervisor;
}

}  // extern "C"
