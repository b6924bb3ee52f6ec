// SPDX-License-Identifier: Apache-2.0
// The public functions for policies: data and workers of a context, and handing over tasks.
#include <starpu.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <vector>

#include "runtime/core/eligibility.h"
#include "runtime/core/program_policy.h"
#include "runtime/core/runtime.h"
#include "runtime/core/task_data.h"
#include "runtime/core/task_times.h"
#include "runtime/core/team.h"
#include "runtime/sched/candidates.h"
#include "runtime/support/message.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

// Passed by a thread that asks for its own context but is in none.
constexpr unsigned kNoContext = STARPU_NMAX_SCHED_CTXS;

PolicyContext& OfContext(unsigned id, const char* function) {
  PolicyContext* context = Runtime::Get(function).policy_context(id);
  if (!context) Fatal("%s(): there is no scheduling context %u", function, id);
  return *context;
}

}  // namespace

extern "C" {

void starpu_sched_ctx_set_policy_data(unsigned context, void* data) {
  if (context == kNoContext) {
    Runtime::Get(__func__).data_of_no_context = data;
  } else {
    OfContext(context, __func__).data = data;
  }
}
void* starpu_sched_ctx_get_policy_data(unsigned context) {
  if (context == kNoContext) return Runtime::Get(__func__).data_of_no_context;
  return OfContext(context, __func__).data;
}
starpu_worker_collection* starpu_sched_ctx_get_worker_collection(unsigned context) {
  PolicyContext& of_id = OfContext(context, __func__);
  return of_id.has_collection ? of_id.workers.get() : nullptr;
}
starpu_worker_collection* starpu_sched_ctx_create_worker_collection(
    unsigned context, starpu_worker_collection_type type) {
  PolicyContext& of_id = OfContext(context, __func__);
  of_id.workers.Become(type);
  of_id.has_collection = true;
  return of_id.workers.get();
}
void starpu_sched_ctx_delete_worker_collection(unsigned context) {
  OfContext(context, __func__).has_collection = false;
}
starpu_sched_policy* starpu_sched_ctx_get_sched_policy(unsigned context) {
  return OfContext(context, __func__).policy;
}
starpu_sched_policy* starpu_sched_get_sched_policy_in_ctx(unsigned context) {
  return OfContext(context, __func__).policy;
}
void (*starpu_sched_ctx_get_sched_policy_callback(unsigned context))(unsigned) {
  return OfContext(context, "starpu_sched_ctx_get_sched_policy_callback").callback;
}
void (*starpu_sched_ctx_get_sched_policy_init(unsigned context))(unsigned) {
  return OfContext(context, "starpu_sched_ctx_get_sched_policy_init").callback;
}

unsigned starpu_sched_ctx_get_nworkers(unsigned context) {
  return OfContext(context, __func__).workers.size();
}
unsigned starpu_sched_ctx_contains_worker(int worker, unsigned context) {
  return OfContext(context, __func__).workers.Has(worker);
}
unsigned starpu_sched_ctx_get_workers_list_raw(unsigned context, int** ids) {
  WorkerCollection& workers = OfContext(context, __func__).workers;
  *ids = workers.get()->workerids;
  return workers.size();
}
unsigned starpu_sched_ctx_get_workers_list(unsigned context, int** ids) {
  const std::vector<int> found = OfContext(context, __func__).workers.ids();
  *ids = static_cast<int*>(malloc(found.size() * sizeof(int)));
  std::copy(found.begin(), found.end(), *ids);
  return static_cast<unsigned>(found.size());
}

#define PRIORITY_LIMIT(limit)                                                   \
  int starpu_sched_ctx_get_##limit##_priority(unsigned context) {               \
    return OfContext(context, __func__).limit##_priority;                       \
  }                                                                             \
  int starpu_sched_ctx_set_##limit##_priority(unsigned context, int priority) { \
    PolicyContext& of_id = OfContext(context, __func__);                        \
    of_id.limit##_priority = priority;                                          \
    of_id.limit##_priority_is_set = true;                                       \
    return 0;                                                                   \
  }                                                                             \
  int starpu_sched_ctx_##limit##_priority_is_set(unsigned context) {            \
    return OfContext(context, __func__).limit##_priority_is_set;                \
  }
PRIORITY_LIMIT(min)
PRIORITY_LIMIT(max)
#undef PRIORITY_LIMIT

void starpu_sched_ctx_worker_shares_tasks_lists(int, int) {}

int starpu_push_task_end(starpu_task* task) {
  ProfileMoment(task, &starpu_profiling_task_info::push_end_time);
  return 0;
}

int starpu_push_local_task(int id, starpu_task* task, int back) {
  Runtime& runtime = Runtime::Get(__func__);
  Worker* worker = runtime.worker(id);
  Job* job = ExistingJob(task);
  if (!worker || !job || !CanRunIfAsked(*worker, job)) return -ENODEV;
  if (ProgramPolicy* policy = runtime.program_policy(task->sched_ctx)) policy->GaveAway();
  if (job->together) {
    runtime.GiveTicket(id, Team::TicketFor(job));
  } else {
    runtime.GiveTo(*worker, job, /*front=*/!back);
  }
  return 0;
}

int starpu_wake_worker_relax(int id) { return Runtime::Get(__func__).sleepers().WakeIfAsleep(id); }
int starpu_wake_worker_no_relax(int id) { return starpu_wake_worker_relax(id); }
int starpu_wake_worker_locked(int id) { return starpu_wake_worker_relax(id); }
int starpu_wake_worker_relax_light(int id) { return starpu_wake_worker_relax(id); }

int starpu_get_prefetch_flag(void) { return WantsPrefetch(); }
#define PREFETCH_INPUT(name, reason)                                                        \
  int starpu_##name##_task_input_on_node(starpu_task* task, unsigned node) {                \
    SendData(*task, node, reason);                                                          \
    return 0;                                                                               \
  }                                                                                         \
  int starpu_##name##_task_input_on_node_prio(starpu_task* task, unsigned node, int) {      \
    return starpu_##name##_task_input_on_node(task, node);                                  \
  }                                                                                         \
  int starpu_##name##_task_input_for(starpu_task* task, unsigned worker) {                  \
    return starpu_##name##_task_input_on_node(task, starpu_worker_get_memory_node(worker)); \
  }                                                                                         \
  int starpu_##name##_task_input_for_prio(starpu_task* task, unsigned worker, int) {        \
    return starpu_##name##_task_input_for(task, worker);                                    \
  }
PREFETCH_INPUT(prefetch, tasklens::CopyReason::kTaskPrefetch)
PREFETCH_INPUT(idle_prefetch, tasklens::CopyReason::kIdleFetch)
#undef PREFETCH_INPUT

double starpu_task_expected_data_transfer_time(unsigned node, starpu_task* task) {
  return TransferUs(*task, node);
}
double starpu_task_expected_data_transfer_time_for(starpu_task* task, unsigned worker) {
  return TransferUs(*task, starpu_worker_get_memory_node(worker));
}
double starpu_data_expected_transfer_time(starpu_data_handle_t handle, unsigned node,
                                          starpu_data_access_mode mode) {
  return mode & STARPU_R ? Runtime::Instance()->residency().TransferUs(handle, node) : 0;
}
double starpu_transfer_predict(unsigned source, unsigned target, size_t bytes) {
  Runtime& runtime = Runtime::Get(__func__);
  if (const DiskSpeed* speed = runtime.disks().SpeedBetween(source, target))
    return speed->latency_us + static_cast<double>(bytes) / speed->bandwidth;
  const Carrier* carrier = runtime.carrier();
  return carrier ? carrier->TransferUs(source, target, bytes) : 0;
}

}  // extern "C"
