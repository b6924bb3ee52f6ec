// SPDX-License-Identifier: Apache-2.0
// Contributions and their combination.
#include "runtime/data/reduction.h"

#include <cstdlib>
#include <mutex>

#include "runtime/core/codelet.h"
#include "runtime/core/eligibility.h"
#include "runtime/core/lifecycle.h"
#include "runtime/core/message.h"
#include "runtime/core/runtime.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/arbitration.h"
#include "runtime/data/handle.h"

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
    std::lock_guard guard(handle->wait_lock);
    handle->reducing = false;
  }
  Access held{handle, AccessKind::kWrite, true, true};
  ReleaseAccess(held);
}

void SubmitNext(Reduction* reduction);

void OneEnded(Job* job) {
  Reduction* reduction = static_cast<Reduction*>(job->control);
  reduction->contributions[reduction->next - 1]->initialized = false;
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

void* ContributionInterface(Handle* handle, int worker) {
  Handle*& replicate = handle->replicates[worker];
  if (!replicate) {
    replicate = NewHandle(-1, handle->interface, handle->ops, nullptr);
    replicate->internal = true;
    replicate->movable = false;
    EnsureAllocated(replicate);
    trace::NewData(replicate);
  }
  if (!replicate->initialized) {
    replicate->init_codelet = handle->init_codelet;
    replicate->init_argument = handle->init_argument;
    if (!EnsureInitialized(replicate)) {
      Fatal(
          "%s is accessed with STARPU_REDUX but has no init codelet for CPUs: give it one with "
          "starpu_data_set_reduction_methods()",
          Describe(handle).c_str());
    }
  }
  return replicate->interface;
}

bool EnsureInitialized(Handle* handle) {
  std::lock_guard guard(handle->init_lock);
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
