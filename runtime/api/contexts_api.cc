// SPDX-License-Identifier: Apache-2.0
// starpu_sched_ctx_*.
#include <starpu.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "runtime/api/policies.h"
#include "runtime/api/worker_of.h"
#include "runtime/core/context_interval.h"
#include "runtime/core/contexts.h"
#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/arguments.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

Context& ContextOf(unsigned id, const char* function) {
  Context* context = Runtime::Get(function).contexts().Find(id);
  if (!context) Fatal("%s(): there is no scheduling context %u", function, id);
  return *context;
}

// The workers of a context, also of context 0.
WorkerSet WorkersOf(unsigned id, const char* function) {
  if (id != 0) (void)ContextOf(id, function);
  return Runtime::Get(function).contexts().WorkersOf(id);
}

// The contexts that the worker serves, also context 0.
std::vector<unsigned> ContextsOf(int worker, const char* function) {
  (void)WorkerOf(worker, function);
  Contexts& contexts = Runtime::Instance()->contexts();
  std::vector<unsigned> ids = {0};
  for (unsigned id = 1; id < STARPU_NMAX_SCHED_CTXS; ++id) {
    if (contexts.Find(id) && contexts.WorkersOf(id).Has(worker)) ids.push_back(id);
  }
  return ids;
}

// Gives the context the policy of that name, from STARPU_SCHED_LIB or predefined; without a name,
// the first. Returns false (with a warning) if there is none.
bool SetPredefined(Context& context, int workers, const char* name) {
  ChosenPolicy chosen;
  if (!ChoosePredefinedPolicy(name, Runtime::Instance()->host(), workers, chosen)) return false;
  context.policy_context.policy = chosen.face;
  context.policy = std::move(chosen.policy);
  return true;
}

// The same for a policy of the program, or for an entry of the list of predefined policies.
bool SetPolicy(Context& context, int workers, starpu_sched_policy* policy) {
  if (!policy || !policy->push_task) {
    return SetPredefined(context, workers, policy ? policy->policy_name : nullptr);
  }
  context.policy_context.policy = policy;
  context.policy = std::make_unique<ProgramPolicy>(*policy);
  return true;
}

// Gives the context the next multiprocessors that no other context has. Returns false (with a
// warning) if too few are left.
bool Share(Context& context, int count) {
  Contexts& contexts = Runtime::Instance()->contexts();
  int first = 0;
  for (unsigned id = 1; id < STARPU_NMAX_SCHED_CTXS; ++id)
    if (const Context* other = contexts.Find(id)) first += other->nsms;
  if (count < 0 || first + count > kMultiprocessors) {
    Warn("starpu_sched_ctx_create(): %d multiprocessors are not among the %d that are free", count,
         kMultiprocessors - first);
    return false;
  }
  context.nsms = count;
  if (count == 0) return true;
  context.sms_begin = first;
  context.sms_end = first + count;
  return true;
}

// Reads the arguments of starpu_sched_ctx_create(). Returns false (with a warning) if they are
// invalid.
bool Read(Context& context, int workers, va_list args) {
  PolicyContext& of_policy = context.policy_context;
  while (const int kind = va_arg(args, int)) {
    switch (kind) {
      case STARPU_SCHED_CTX_POLICY_NAME: {
        const char* const name = va_arg(args, const char*);
        if (name && !SetPredefined(context, workers, name)) return false;
        break;
      }
      case STARPU_SCHED_CTX_POLICY_STRUCT:
        if (!SetPolicy(context, workers, va_arg(args, starpu_sched_policy*))) return false;
        break;
      case STARPU_SCHED_CTX_POLICY_MIN_PRIO:
        of_policy.min_priority = va_arg(args, int);
        of_policy.min_priority_is_set = true;
        break;
      case STARPU_SCHED_CTX_POLICY_MAX_PRIO:
        of_policy.max_priority = va_arg(args, int);
        of_policy.max_priority_is_set = true;
        break;
      case STARPU_SCHED_CTX_CUDA_NSMS:
        if (!Share(context, va_arg(args, int))) return false;
        break;
      case STARPU_SCHED_CTX_HIERARCHY_LEVEL:
        context.hierarchy_level = va_arg(args, unsigned);
        break;
      case STARPU_SCHED_CTX_NESTED: context.parent = va_arg(args, unsigned); break;
      case STARPU_SCHED_CTX_AWAKE_WORKERS: context.all_run = true; break;
      case STARPU_SCHED_CTX_POLICY_INIT:
        of_policy.callback = va_arg(args, void (*)(unsigned));
        break;
      case STARPU_SCHED_CTX_USER_DATA: context.user_data = va_arg(args, void*); break;
      case STARPU_SCHED_CTX_SUB_CTXS:
        (void)va_arg(args, int*);
        (void)va_arg(args, int);
        break;
      default: Warn("starpu_sched_ctx_create(): %d is none of its arguments", kind); return false;
    }
  }
  context.program_policy = dynamic_cast<ProgramPolicy*>(context.policy.get());
  return true;
}

}  // namespace
}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

unsigned starpu_sched_ctx_create(int* ids, int count, const char* name, ...) {
  Runtime& runtime = Runtime::Get(__func__);
  auto context = std::make_unique<Context>(runtime.contexts().all_workers());
  context->name = name ? name : "";
  const WorkerSet workers =
      count == -1 ? runtime.contexts().WorkersOf(0) : SetOfWorkers(runtime, ids, count, __func__);
  WITH_ARGS_AFTER(
      name, const bool readable = Read(*context, static_cast<int>(runtime.workers().size()), args));
  if (!readable) return STARPU_NMAX_SCHED_CTXS;
  const unsigned id = runtime.contexts().Add(runtime, std::move(context), workers);
  if (id == STARPU_NMAX_SCHED_CTXS) {
    Warn("starpu_sched_ctx_create(): there are %d contexts already, and no more fit",
         STARPU_NMAX_SCHED_CTXS);
  }
  return id;
}
void starpu_sched_ctx_delete(unsigned id) {
  Runtime& runtime = Runtime::Get(__func__);
  runtime.contexts().Delete(runtime, id);
}
void starpu_sched_ctx_register_close_callback(unsigned id, void (*callback)(unsigned, void*),
                                              void* argument) {
  Context& context = ContextOf(id, __func__);
  context.close_callback = callback;
  context.close_argument = argument;
}
void starpu_sched_ctx_add_workers(int* ids, unsigned count, unsigned id) {
  Runtime& runtime = Runtime::Get(__func__);
  ContextOf(id, __func__);
  runtime.contexts().AddWorkers(runtime, id,
                                SetOfWorkers(runtime, ids, static_cast<int>(count), __func__));
}
void starpu_sched_ctx_remove_workers(int* ids, unsigned count, unsigned id) {
  Runtime& runtime = Runtime::Get(__func__);
  ContextOf(id, __func__);
  runtime.contexts().RemoveWorkers(runtime, id,
                                   SetOfWorkers(runtime, ids, static_cast<int>(count), __func__));
}
void starpu_sched_ctx_display_workers(unsigned id, FILE* output) {
  const std::vector<int> numbers = WorkersOf(id, __func__).Ids();
  fprintf(output, "context %u: %zu workers\n", id, numbers.size());
  for (const int number : numbers)
    fprintf(output, "\t%s\n", Runtime::Instance()->worker(number)->name.c_str());
}
unsigned starpu_sched_ctx_get_nshared_workers(unsigned one, unsigned other) {
  return static_cast<unsigned>((WorkersOf(one, __func__) & WorkersOf(other, __func__)).size());
}
unsigned starpu_sched_ctx_contains_type_of_worker(starpu_worker_archtype kind, unsigned id) {
  const WorkerSet members = WorkersOf(id, __func__);
  if (kind == STARPU_ANY_WORKER) return !members.empty();
  const auto& workers = Runtime::Instance()->workers();
  return std::any_of(workers.begin(), workers.end(), [&](const auto& worker) {
    return members.Has(worker->id) && worker->kind == kind;
  });
}
unsigned starpu_sched_ctx_overlapping_ctxs_on_worker(int worker) {
  return ContextsOf(worker, __func__).size() > 2;
}
unsigned starpu_worker_get_sched_ctx_list(int worker, unsigned** list) {
  const std::vector<unsigned> contexts = ContextsOf(worker, __func__);
  *list = static_cast<unsigned*>(malloc(contexts.size() * sizeof(unsigned)));
  if (!*list) Fatal("%s(): no memory for the numbers of %zu contexts", __func__, contexts.size());
  std::copy(contexts.begin(), contexts.end(), *list);
  return static_cast<unsigned>(contexts.size());
}
void starpu_sched_ctx_set_inheritor(unsigned id, unsigned inheritor) {
  Context& context = ContextOf(id, __func__);
  MutexLock guard(context.lock);
  context.inheritor = inheritor;
}
unsigned starpu_sched_ctx_get_inheritor(unsigned id) {
  Context& context = ContextOf(id, __func__);
  MutexLock guard(context.lock);
  return context.inheritor;
}
void starpu_sched_ctx_finished_submit(unsigned id) {
  Runtime& runtime = Runtime::Get(__func__);
  ContextOf(id, __func__);
  runtime.contexts().Finish(runtime, id);
}
unsigned starpu_sched_ctx_get_hierarchy_level(unsigned id) {
  return id ? ContextOf(id, __func__).hierarchy_level : 0;
}
void* starpu_sched_ctx_get_user_data(unsigned id) { return ContextOf(id, __func__).user_data; }
void starpu_sched_ctx_set_user_data(unsigned id, void* data) {
  ContextOf(id, __func__).user_data = data;
}

int starpu_sched_ctx_get_nready_tasks(unsigned id) {
  const Contexts& contexts = Runtime::Get(__func__).contexts();
  if (id) (void)ContextOf(id, __func__);
  if (id) return static_cast<int>(contexts.ReadyIn(id).count.load());
  int64_t of_others = 0;
  for (id = 1; id < STARPU_NMAX_SCHED_CTXS; ++id) of_others += contexts.ReadyIn(id).count.load();
  return starpu_task_nready() - static_cast<int>(of_others);
}
double starpu_sched_ctx_get_nready_flops(unsigned id) {
  if (id) (void)ContextOf(id, __func__);
  return Runtime::Get(__func__).contexts().ReadyIn(id).flops.load();
}
unsigned starpu_sched_ctx_has_starpu_scheduler(unsigned id, unsigned* awake_workers) {
  const Context* context = id ? &ContextOf(id, __func__) : nullptr;
  if (awake_workers) *awake_workers = context && context->all_run;
  return !context || context->policy;
}
unsigned starpu_sched_ctx_worker_get_id(unsigned id) {
  const int self = starpu_worker_get_id();
  const bool member = self >= 0 && starpu_sched_ctx_contains_worker(self, id);
  return static_cast<unsigned>(member ? self : -1);
}
int starpu_sched_ctx_get_worker_rank(unsigned id) {
  const int self = starpu_worker_get_id();
  const WorkerSet workers = WorkersOf(id, __func__);
  if (self < 0 || !workers.Has(self)) return -1;
  return (workers & WorkerSet::First(self)).size();
}
unsigned starpu_sched_ctx_get_ctx_for_task(starpu_task* task) { return task->sched_ctx; }

void starpu_sched_ctx_set_context(unsigned* id) { ThisThread().context = id; }
unsigned starpu_sched_ctx_get_context(void) {
  const unsigned* id = ThisThread().context;
  return id ? *id : STARPU_NMAX_SCHED_CTXS;
}

void starpu_sched_ctx_get_available_cpuids(unsigned id, int** cpus, int* count) {
  const std::vector<int> numbers = WorkersOf(id, __func__).Ids();
  const Runtime& runtime = *Runtime::Instance();
  const size_t units = const_cast<Runtime&>(runtime).topology().units().size();
  *count = static_cast<int>(numbers.size());
  *cpus = static_cast<int*>(malloc((numbers.size() + 1) * sizeof(int)));
  if (!*cpus) Fatal("no memory for the numbers of %zu processing units", numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const Worker& worker = *const_cast<Runtime&>(runtime).worker(numbers[i]);
    (*cpus)[i] = worker.cpu >= 0 ? worker.cpu : numbers[i] % static_cast<int>(units);
  }
}
void starpu_sched_ctx_bind_current_thread_to_cpuid(unsigned cpu) {
  starpu_bind_thread_on(static_cast<int>(cpu), 0, "context");
}
void* starpu_sched_ctx_exec_parallel_code(void* (*function)(void*), void* argument, unsigned id) {
  Runtime& runtime = Runtime::Get(__func__);
  if (ThisThread().worker) {
    Fatal("starpu_sched_ctx_exec_parallel_code() was called by a worker, which it would wait for");
  }
  return Team::RunHere(runtime, WorkersOf(id, __func__).Ids(), function, argument);
}

unsigned starpu_sched_ctx_create_inside_interval(const char* policy_name, const char* name,
                                                 int min_cpus, int max_cpus, int min_gpus,
                                                 int max_gpus, unsigned allow_overlap) {
  Runtime& runtime = Runtime::Get(__func__);
  if (min_cpus < 0 || max_cpus < min_cpus || min_gpus < 0 || max_gpus < min_gpus) {
    Warn("%s(): %d to %d CPUs and %d to %d GPUs are no intervals", __func__, min_cpus, max_cpus,
         min_gpus, max_gpus);
    return STARPU_NMAX_SCHED_CTXS;
  }
  std::vector<int> workers =
      ChooseWorkers(runtime, {min_cpus, max_cpus}, {min_gpus, max_gpus}, allow_overlap != 0);
  const unsigned id =
      starpu_sched_ctx_create(workers.data(), static_cast<int>(workers.size()), name,
                              STARPU_SCHED_CTX_POLICY_NAME, policy_name ? policy_name : "", 0);
  if (Context* context = runtime.contexts().Find(id)) {
    context->least_cpus = min_cpus;
    context->least_gpus = min_gpus;
  }
  return id;
}

}  // extern "C"
