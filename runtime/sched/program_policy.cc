// SPDX-License-Identifier: Apache-2.0
// Calling the program's functions, and finding them.
#include "runtime/sched/program_policy.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "runtime/core/codelet.h"
#include "runtime/core/eligibility.h"
#include "runtime/core/runtime.h"
#include "runtime/core/team.h"
#include "runtime/core/thread_state.h"
#include "runtime/sched/worker_lock.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

using WorkersFunction = void (*)(unsigned, int*, unsigned);

void Tell(WorkersFunction function, unsigned context, std::span<const int> workers) {
  if (!function || workers.empty()) return;
  std::vector<int> ids(workers.begin(), workers.end());  // its own, as the interface lets it write
  function(context, ids.data(), static_cast<unsigned>(ids.size()));
}

// nullptr where STARPU_SCHED_LIB names none, or (is_broken, with a line) none that can be loaded.
// It stays loaded: tasks may be in its hands, and its functions on stacks, until the end.
void* LoadLibrary(bool& is_broken) {
  is_broken = false;
  const char* const library = getenv("STARPU_SCHED_LIB");
  if (!library || !*library) return nullptr;
  void* const loaded = dlopen(library, RTLD_NOW);
  if (!loaded) Warn("STARPU_SCHED_LIB: %s", dlerror());
  is_broken = !loaded;
  return loaded;
}

const starpu_sched_policy* AskLibrary(const char* name, bool& is_broken) {
  is_broken = false;
  void* const loaded = name && *name ? LoadLibrary(is_broken) : nullptr;
  if (!loaded) return nullptr;
  using Find = starpu_sched_policy* (*)(const char*);
  const auto find = reinterpret_cast<Find>(dlsym(loaded, "starpu_get_sched_lib_policy"));
  is_broken = !find;
  if (!find) {
    Warn("STARPU_SCHED_LIB: %s has no starpu_get_sched_lib_policy()", getenv("STARPU_SCHED_LIB"));
    return nullptr;
  }
  const starpu_sched_policy* policy = find(name);
  return policy && policy->push_task ? policy : nullptr;
}

}  // namespace

void ProgramPolicy::Begin(unsigned context) {
  context_ = context;
  if (functions_.init_sched) functions_.init_sched(context);
}

void ProgramPolicy::End() {
  if (functions_.deinit_sched) functions_.deinit_sched(context_);
}

void ProgramPolicy::AddWorkers(std::span<const int> workers) {
  Tell(functions_.add_workers, context_, workers);
}

void ProgramPolicy::RemoveWorkers(std::span<const int> workers) {
  Tell(functions_.remove_workers, context_, workers);
}

int ProgramPolicy::Push(Job* job, int /*from*/) {
  starpu_task* task = job->task;
  task->sched_ctx = context_;
  const char* const task_name = NameOf(*task);
  // Counted first: a worker may pop it before push_task returns.
  size_.fetch_add(1);
  WithinPolicy within(ThisThread().worker);
  if (const int error = functions_.push_task(task)) {
    Fatal("scheduling policy '%s' did not take task '%s': push_task returned %d", name(), task_name,
          error);
  }
  return kAllWorkers;
}

Job* ProgramPolicy::Pop(int worker) {
  if (!functions_.pop_task) return nullptr;
  starpu_task* task;
  {
    WithinPolicy within(ThisThread().worker);
    task = functions_.pop_task(context_);
  }
  if (!task) return nullptr;
  Job* job = ExistingJob(task);
  if (!job) Fatal("scheduling policy '%s' gave away a task that was never submitted", name());
  size_.fetch_sub(1);
  if (job->together) return Team::TicketFor(job);
  // The policy may have chosen an implementation; else it is the first that the worker can run.
  const unsigned id = static_cast<unsigned>(worker);
  if (!starpu_worker_can_execute_task(id, task, job->implementation) &&
      !CanRunIfAsked(*Runtime::Instance()->worker(worker), job)) {
    Fatal("scheduling policy '%s' gave task '%s' to worker %d, which cannot run it", name(),
          NameOf(*task), worker);
  }
  return job;
}

bool ProgramPolicy::DoSchedule() {
  if (!functions_.do_schedule) return false;
  functions_.do_schedule(context_);
  return true;
}

const starpu_sched_policy* PolicyOfLibrary(const char* name) {
  bool is_broken;
  return AskLibrary(name, is_broken);
}

std::vector<const starpu_sched_policy*> PoliciesOfLibrary() {
  std::vector<const starpu_sched_policy*> policies;
  bool is_broken;
  void* const loaded = LoadLibrary(is_broken);
  using List = starpu_sched_policy** (*)();
  const auto list =
      loaded ? reinterpret_cast<List>(dlsym(loaded, "starpu_get_sched_lib_policies")) : nullptr;
  for (starpu_sched_policy** at = list ? list() : nullptr; at && *at; ++at) policies.push_back(*at);
  return policies;
}

const starpu_sched_policy* WantedProgramPolicy(const starpu_conf& conf, int& error) {
  bool is_broken;
  const starpu_sched_policy* const of_library = AskLibrary(getenv("STARPU_SCHED"), is_broken);
  error = is_broken ? -EINVAL : 0;
  if (is_broken || of_library) return of_library;
  const starpu_sched_policy* policy = conf.sched_policy;
  if (!policy) return nullptr;
  if (policy->push_task) return policy;
  if (policy->policy_name && FindPolicy(policy->policy_name)) return nullptr;
  Warn("starpu_init(): scheduling policy '%s' has no push_task function",
       policy->policy_name ? policy->policy_name : "(no name)");
  error = -EINVAL;
  return nullptr;
}

}  // namespace tasklens::runtime
