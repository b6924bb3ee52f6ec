// SPDX-License-Identifier: Apache-2.0
// Fills the arguments of the hypervisor's functions from a task.
#include "runtime/core/watched_context.h"

#include <bit>

#include "runtime/core/task_data.h"
#include "runtime/data/footprint.h"
#include "runtime/jobs/codelet.h"

namespace tasklens::runtime {
namespace {

uint32_t FootprintOf(const Job* job) {
  starpu_task* const task = job->task;
  return task->cl ? FootprintOfTask(task->cl->model, task, nullptr, job->implementation) : 0;
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
