// SPDX-License-Identifier: Apache-2.0
// Contributions and their combination.
#include "runtime/core/reduction.h"

#include <cstdlib>

#include "runtime/core/arbitration.h"
#include "runtime/core/eligibility.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/codelet.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

// A combination under way: one task after the other, as they all write the handle.
struct Reduction {
  Handle* handle;
  std::vector<Handle*> contributions;
  size_t next = 0;
};

void Finish(Reduction* reduction) {
  Handle* handle = reduction->handle;
  delete reduction;
  {
    MutexLock guard(handle->wait_lock);
    handle->reducing = false;
  }
  Access held{handle, AccessKind::kWrite, true, true};
  ReleaseAccess(held);
}

void SubmitNext(Reduction* reduction);

void OneEnded(Job* job) {
  Reduction* reduction = static_cast<Reduction*>(job->control);
  Handle* contribution = reduction->contributions[reduction->next - 1];
  contribution->initialized = false;
  Runtime::Instance()->residency().Invalidate(contribution);
  SubmitNext(reduction);
}

void SubmitNext(Reduction* reduction) {
  if (reduction->next == reduction->contributions.size()) return Finish(reduction);
  Handle* contribution = reduction->contributions[reduction->next++];
  Job* job = NewJob(/*with_task=*/true);
  job->type = kTypeInternal;
  job->control = reduction;
  job->on_end = &OneEnded;
  job->data_granted = true;
  starpu_task* task = job->task;
  task->cl = reduction->handle->redux_codelet;
  task->cl_arg = reduction->handle->redux_argument;
  task->handles[0] = reduction->handle;
  task->handles[1] = contribution;
  task->type = STARPU_TASK_TYPE_INTERNAL;
  if (!ChooseWorkers(job))
    Fatal("no worker can run the reduction of %s", Describe(reduction->handle).c_str());
  SubmitInternal(job);
}

}  // namespace

Handle* ContributionTo(Handle* handle, int worker) {
  if (handle->replicates.empty()) {
    Fatal(
        "%s is accessed with STARPU_REDUX but has no reduction methods: give it some with "
        "starpu_data_set_reduction_methods()",
        Describe(handle).c_str());
  }
  Handle*& own = handle->replicates[static_cast<size_t>(worker)];
  if (!own) {
    own = NewHandle(-1, handle->interface, handle->ops, nullptr);
    own->internal = true;
    own->movable = false;
    trace::NewData(own);
  }
  own->init_codelet = handle->init_codelet;
  own->init_argument = handle->init_argument;
  own->is_computed = handle->is_computed;
  return own;
}

bool CanInitializeOn(const Worker& worker, const Handle* handle) {
  if (worker.node == STARPU_MAIN_RAM || !handle->init_codelet) return false;
  // What is not computed needs no function.
  const bool is_simulated = Runtime::Instance()->simulation() != nullptr;
  return is_simulated || FunctionFor(worker.kind, *handle->init_codelet, 0);
}

bool IsInitializedInStream(const Handle* handle) {
  return handle->init_codelet->cuda_flags[0] & STARPU_CUDA_ASYNC;
}

void InitializeOn(const Worker& worker, Handle* handle) {
  const starpu_codelet& codelet = *handle->init_codelet;
  starpu_cpu_func_t function = FunctionFor(worker.kind, codelet, 0);
  if (Runtime::Instance()->simulation()) {
    // A simulated device's memory is that of this process.
    if (!function) function = CpuFunction(codelet, 0);
    if (!handle->is_computed) function = nullptr;
  }
  void* buffers[] = {InterfaceOn(handle, worker.node)};
  if (function) function(buffers, handle->init_argument);
  handle->initialized = true;
}

bool EnsureInitialized(Handle* handle) {
  const Residency::Claim claim(Runtime::Instance()->residency(), handle);
  if (handle->initialized) return true;
  const starpu_cpu_func_t function =
      handle->init_codelet ? CpuFunction(*handle->init_codelet, 0) : nullptr;
  if (!function) return false;
  void* buffers[] = {handle->interface};
  function(buffers, handle->init_argument);
  handle->initialized = true;
  return true;
}

void StartReduction(Handle* handle) {
  auto* reduction = new Reduction{handle, {}};
  for (Handle* replicate : handle->replicates) {
    if (replicate && replicate->initialized) reduction->contributions.push_back(replicate);
  }
  if (!handle->redux_codelet && !reduction->contributions.empty()) {
    Fatal(
        "%s is accessed with STARPU_REDUX but has no reduction codelet: give it one with "
        "starpu_data_set_reduction_methods()",
        Describe(handle).c_str());
  }
  SubmitNext(reduction);
}

void FreeReplicates(Handle* handle) {
  for (Handle* replicate : handle->replicates) {
    if (replicate) DeleteHandle(replicate);
  }
  handle->replicates.clear();
}

}  // namespace tasklens::runtime
