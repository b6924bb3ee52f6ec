// SPDX-License-Identifier: Apache-2.0
// One task for each contribution.
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

// A reduction under way: its tasks run one after the other, as they all write the handle.
struct Reduction {
  Handle* handle;
  std::vector<Handle*> contributions;
  size_t next = 0;
};

void Finish(Reduction* reduction) {
  Handle* handle = reduction->handle;
  delete reduction;
  handle->holders.EndReduction();
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

}  // namespace tasklens::runtime
