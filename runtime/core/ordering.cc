// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/ordering.h"

#include "runtime/core/lifecycle.h"
#include "runtime/core/trace_points.h"
#include "runtime/data/handle.h"
#include "runtime/jobs/dependencies.h"

namespace tasklens::runtime {
namespace {

// The caller of AccessOrder::Enter(): makes a job wait for its predecessors on a handle, and
// records the dependencies.
class Entering {
 public:
  Entering(Job* job, const Handle& handle, trace::Dependencies& dependencies)
      : job_(job), handle_(handle), dependencies_(dependencies) {}

  void WaitFor(const JobRef& predecessor) {
    const bool alive = AddDependency(predecessor, job_);
    dependencies_.Add(predecessor.id, alive ? trace::kDepTask : trace::kDepGhost,
                      handle_.size_bytes);
  }

  JobRef Join(const std::vector<JobRef>& group) {
    Job* const join = NewJob(/*with_task=*/true);
    join->type = kTypeInternal;
    join->on_ready = &EndControlJob;
    const JobRef ref{join, EnsureId(join)};
    trace::Submit(join);
    {
      trace::Dependencies dependencies(join);
      Entering entering(join, handle_, dependencies);
      for (const JobRef& predecessor : group) entering.WaitFor(predecessor);
    }
    ReleaseStart(join);
    return ref;
  }

  // Traces and bounds also need dependencies on tasks that have ended.
  bool KeepsEnded() const { return trace::On() || Bound::WithDependencies(); }

 private:
  Job* const job_;
  const Handle& handle_;
  trace::Dependencies& dependencies_;
};

}  // namespace

void OrderAccesses(Job* job) NO_THREAD_SAFETY_ANALYSIS {
  const auto ordered = [](const Access& access) {
    return access.ordered && access.kind != AccessKind::kScratch;
  };
  for (Access& access : job->accesses) {
    if (ordered(access)) access.handle->order.lock.lock();
  }
  trace::Dependencies dependencies(job);
  for (Access& access : job->accesses) {
    if (ordered(access)) {
      access.handle->order.Enter(access.kind, job, Entering(job, *access.handle, dependencies));
    } else {
      KeepAlive(access.handle);
    }
  }
  for (Access& access : job->accesses) {
    if (ordered(access)) access.handle->order.lock.unlock();
  }
}

}  // namespace tasklens::runtime
