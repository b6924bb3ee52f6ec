// SPDX-License-Identifier: Apache-2.0
// starpu_sched_ctx_*: tasks that policies count and move, and the order in which workers visit
// contexts.
#include <starpu.h>

#include <algorithm>
#include <vector>

#include "runtime/api/worker_of.h"
#include "runtime/core/contexts.h"
#include "runtime/core/runtime.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// Aborts with a message if there is no such context (0 is one) or worker.
Contexts& Checked(const char* function, unsigned id, int worker = 0) {
  Contexts& contexts = Runtime::Get(function).contexts();
  if (id != 0 && !contexts.Find(id)) Fatal("%s(): there is no scheduling context %u", function, id);
  (void)WorkerOf(worker, function);
  return contexts;
}

// Calls function(worker) for each worker of the context that can run the task; without a task, for
// all.
template <class Function>
void ForEachThatCanRun(Contexts& contexts, unsigned id, starpu_task* task, Function&& function) {
  contexts.WorkersOf(id).ForEach([&](int worker) {
    const auto number = static_cast<unsigned>(worker);
    if (!task || starpu_worker_can_execute_task_first_impl(number, task, nullptr)) function(worker);
  });
}

void CountForAll(const char* function, unsigned id, starpu_task* task, int change) {
  Contexts& contexts = Checked(function, id);
  ForEachThatCanRun(contexts, id, task,
                    [&](int worker) { contexts.order().Count(worker, id, change); });
}

// The first context for which is_it(context) is true.
template <class IsIt>
unsigned FindContext(const char* function, IsIt&& is_it) {
  Runtime& runtime = Runtime::Get(function);
  for (unsigned id = 1; id < STARPU_NMAX_SCHED_CTXS; ++id) {
    const Context* context = runtime.contexts().Find(id);
    if (context && is_it(*context)) return id;
  }
  return STARPU_NMAX_SCHED_CTXS;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

void starpu_sched_ctx_set_priority(int* workers, int count, unsigned id, unsigned priority) {
  for (int i = 0; i < count; ++i)
    Checked(__func__, id, workers[i]).order().SetPriority(workers[i], id, priority);
}
unsigned starpu_sched_ctx_get_priority(int worker, unsigned id) {
  Contexts& contexts = Checked(__func__, id, worker);
  return contexts.WorkersOf(id).Has(worker) ? contexts.order().Priority(worker, id) : 0;
}

void starpu_sched_ctx_list_task_counters_increment(unsigned id, int worker) {
  Checked(__func__, id, worker).order().Count(worker, id, 1);
}
void starpu_sched_ctx_list_task_counters_decrement(unsigned id, int worker) {
  Checked(__func__, id, worker).order().Count(worker, id, -1);
}
void starpu_sched_ctx_list_task_counters_reset(unsigned id, int worker) {
  Checked(__func__, id, worker).order().ResetCount(worker, id);
}
void starpu_sched_ctx_list_task_counters_increment_all_ctx_locked(starpu_task* task, unsigned id) {
  CountForAll(__func__, id, task, 1);
}
void starpu_sched_ctx_list_task_counters_decrement_all_ctx_locked(starpu_task* task, unsigned id) {
  CountForAll(__func__, id, task, -1);
}
void starpu_sched_ctx_list_task_counters_reset_all(starpu_task* task, unsigned id) {
  Contexts& contexts = Checked(__func__, id);
  ForEachThatCanRun(contexts, id, task,
                    [&](int worker) { contexts.order().ResetCount(worker, id); });
}

void starpu_sched_ctx_revert_task_counters_ctx_locked(unsigned id, double flops) {
  Checked(__func__, id).MovedAway(id, flops);
}
void starpu_sched_ctx_move_task_to_ctx_locked(starpu_task* task, unsigned id,
                                              unsigned with_repush) {
  Contexts& contexts = Checked(__func__, id);
  Job* job = ExistingJob(task);
  if (!job || task->status != STARPU_TASK_READY)
    Fatal("%s(): task '%s' is not ready, or some worker has it", __func__,
          starpu_task_get_name(task));
  contexts.Move(*Runtime::Instance(), job, id, with_repush != 0);
}
void starpu_sched_ctx_stop_task_submission(void) {
  const unsigned* const id = ThisThread().context;
  if (id) Runtime::Get(__func__).contexts().StopSubmission(*id);
}
void starpu_sched_ctx_update_start_resizing_sample(unsigned id, double start_us) {
  Checked(__func__, id).sample_start_us[id].store(start_us);
}

unsigned starpu_sched_ctx_master_get_context(int worker) {
  return FindContext(__func__, [worker](const Context& context) {
    return context.Master(*Runtime::Instance()) == worker;
  });
}
unsigned starpu_sched_ctx_worker_is_master_for_child_ctx(int worker, unsigned parent) {
  return FindContext(__func__, [&](const Context& one) {
    return one.parent == parent && one.Master(*Runtime::Instance()) == worker;
  });
}

int starpu_sched_ctx_book_workers_for_task(unsigned id, int* ids, int count) {
  Contexts& contexts = Checked(__func__, id);
  Runtime& runtime = *Runtime::Instance();
  std::vector<int> workers(ids, ids + std::max(0, count));
  const WorkerSet members = contexts.WorkersOf(id);
  for (const int worker : workers) {
    (void)Checked(__func__, id, worker);
    const bool is_there = members.Has(worker) && !runtime.worker(worker)->run_by_program;
    if (is_there && std::ranges::count(workers, worker) == 1) continue;
    Warn("%s(): worker %d is none of context %u's own, or named twice", __func__, worker, id);
    return -1;
  }
  // The calling worker becomes the master if it is among the workers.
  const auto self = std::ranges::find(workers, starpu_worker_get_id());
  if (self != workers.end()) std::rotate(workers.begin(), self, self + 1);
  return !workers.empty() && contexts.bookings().Book(runtime, id, workers) ? workers.front() : -1;
}
void starpu_sched_ctx_unbook_workers_for_task(unsigned id, int master) {
  if (!Checked(__func__, id).bookings().Release(id, master))
    Warn("%s(): nothing is booked for worker %d in context %u", __func__, master, id);
}

int starpu_sched_ctx_get_nsms(unsigned id) {
  Contexts& contexts = Checked(__func__, id);
  return id ? contexts.Find(id)->nsms : 0;
}
int starpu_sched_ctx_get_stream_worker(unsigned id) {
  Contexts& contexts = Checked(__func__, id);
  const std::vector<int> ids = contexts.WorkersOf(id).Ids();
  return ids.empty() ? -1 : ids.front();
}
unsigned starpu_worker_get_sched_ctx_id_stream(unsigned worker) {
  return FindContext(__func__, [worker](const Context& context) {
    return context.stream_worker() == static_cast<int>(worker);
  });
}
void starpu_sched_ctx_get_sms_interval(int worker, int* first, int* end) {
  const unsigned id = starpu_worker_get_sched_ctx_id_stream(static_cast<unsigned>(worker));
  const Context* context = Runtime::Instance()->contexts().Find(id);
  *first = context ? context->sms_begin : 0;
  *end = context ? context->sms_end : kMultiprocessors;
}

}  // extern "C"
