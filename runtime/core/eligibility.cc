// SPDX-License-Identifier: Apache-2.0
// Decides by `where`, functions, workerids and can_execute().
#include "runtime/core/eligibility.h"

#include <algorithm>
#include <cmath>

#include "runtime/core/runtime.h"
#include "runtime/jobs/codelet.h"

namespace tasklens::runtime {
namespace {

// In a simulation a task can run where a model knows its length. A program compiled without CUDA
// has no CUDA functions, so for CUDA the model alone decides.
bool CanSimulate(const Simulation& simulation, const Worker& worker, starpu_task* task,
                 unsigned implementation) {
  const starpu_codelet& codelet = *task->cl;
  const bool says_where = task->where != -1 || codelet.where != 0;
  if (says_where && !(WhereOf(*task) & WhereBit(worker.kind))) return false;
  const bool by_model = worker.kind == STARPU_CUDA_WORKER && implementation == 0;
  if (!by_model && !FunctionFor(worker.kind, codelet, implementation)) return false;
  return !std::isnan(simulation.LengthUs({worker.id, worker.arch}, task, implementation));
}

// The common case: all workers are alike and the task does not restrict them.
bool ChooseAnyWorker(Job* job) {
  job->restricted = false;
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    if (!CpuFunction(*job->task->cl, i)) continue;
    job->implementation = static_cast<uint8_t>(i);
    return true;
  }
  return false;
}

}  // namespace

namespace {
bool IsThere(const Simulation* simulation, const Worker& worker, starpu_task* task,
             unsigned implementation) {
  if (simulation) return CanSimulate(*simulation, worker, task, implementation);
  return (WhereOf(*task) & WhereBit(worker.kind)) &&
         FunctionFor(worker.kind, *task->cl, implementation);
}
}  // namespace

bool HasFunction(const Worker& worker, starpu_task* task, unsigned implementation) {
  if (!IsThere(Runtime::Instance()->simulation(), worker, task, implementation)) return false;
  const starpu_codelet& codelet = *task->cl;
  return !codelet.can_execute ||
         codelet.can_execute(static_cast<unsigned>(worker.id), task, implementation);
}

uint32_t KindsWithFunction(const Runtime& runtime, starpu_task* task) {
  const Simulation* const simulation = runtime.simulation();
  uint32_t kinds = 0, asked = 0;
  for (const auto& worker : runtime.workers()) {
    const uint32_t bit = 1u << worker->kind;
    if (asked & bit) continue;
    for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS && !(kinds & bit); ++i)
      if (IsThere(simulation, *worker, task, i)) kinds |= bit;
    // Simulated devices may each have their own model; otherwise all workers of a kind are equal.
    if (!simulation || (kinds & bit)) asked |= bit;
  }
  return kinds;
}

bool IsNamed(const Worker& worker, const starpu_task& task) {
  if (!task.workerids_len) return true;
  const auto id = static_cast<unsigned>(worker.id);
  return id / 32 < task.workerids_len && (task.workerids[id / 32] & (1u << (id % 32)));
}

uint16_t NamedCombinedWorker(const Runtime& runtime, const starpu_task& task) {
  const size_t workers = runtime.workers().size(), all = workers + runtime.combined().size();
  const auto number = [workers](size_t id) { return static_cast<uint16_t>(id - workers + 1); };
  if (all == workers) return 0;
  if (task.execute_on_a_specific_worker)
    return task.workerid >= workers && task.workerid < all ? number(task.workerid) : 0;
  for (size_t id = 0; id < std::min<size_t>(all, size_t{32} * task.workerids_len); ++id) {
    if (task.workerids[id / 32] & (1u << (id % 32))) return id < workers ? 0 : number(id);
  }
  return 0;
}

namespace {
static_assert(STARPU_MAXIMPLEMENTATIONS <= 8, "Job::runners has a byte for a worker");

uint8_t AskFor(const Worker& worker, starpu_task* task) {
  uint8_t implementations = 0;
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i)
    if (HasFunction(worker, task, i)) implementations |= static_cast<uint8_t>(1u << i);
  return implementations;
}
}  // namespace

bool CanRunIfAsked(const Worker& worker, Job* job) {
  if (job->runners) job->runners[worker.id] = AskFor(worker, job->task);
  return CanRun(worker.id, job);
}

void AskWhoCanRun(Job* job) {
  Runtime& runtime = *Runtime::Instance();
  if (!job->runners) return;
  if (job->pinned_worker >= 0) {
    const uint8_t found = AskFor(*runtime.worker(job->pinned_worker), job->task);
    if (found) job->runners[job->pinned_worker] = found;
    return;
  }
  const size_t count = runtime.workers().size();
  auto runners = std::make_unique<uint8_t[]>(count);
  bool any = false;
  for (const auto& worker : runtime.workers()) {
    runners[worker->id] = AskFor(*worker, job->task);
    any |= runners[worker->id] && (job->parallel || IsNamed(*worker, *job->task));
  }
  if (any) job->runners = std::move(runners);
}

bool MayRun(const Worker& worker, const Job& job, unsigned implementation) {
  if (!job.runners) return HasFunction(worker, job.task, implementation);
  return (job.runners[worker.id] >> implementation) & 1;
}

bool CanRun(int worker, Job* job) {
  if (!job->restricted) return true;
  const Worker& of_id = *Runtime::Instance()->worker(worker);
  if (!job->parallel && !IsNamed(of_id, *job->task)) return false;
  for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
    if (!MayRun(of_id, *job, i)) continue;
    job->implementation = static_cast<uint8_t>(i);
    return true;
  }
  return false;
}

bool ChooseWorkers(Job* job) {
  Runtime& runtime = *Runtime::Instance();
  const starpu_task& task = *job->task;
  job->runners.reset();
  if (runtime.are_alike() && !task.cl->can_execute && !task.workerids_len)
    return ChooseAnyWorker(job);
  job->restricted = true;
  // can_execute() or a model decides.
  if (task.cl->can_execute || runtime.simulation())
    job->runners = std::make_unique<uint8_t[]>(runtime.workers().size());
  if (job->pinned_worker >= 0) return CanRunIfAsked(*runtime.worker(job->pinned_worker), job);
  return std::any_of(runtime.workers().begin(), runtime.workers().end(),
                     [job](const auto& worker) { return CanRunIfAsked(*worker, job); });
}

}  // namespace tasklens::runtime
