// SPDX-License-Identifier: Apache-2.0
// Policy: the interface of scheduling policies. Each policy is one file and one line in
// policies.inc. It uses jobs and its Host (host.h) and nothing else of the runtime, so tests only
// need a fake machine (tests/runtime/sched/fake_machine.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "runtime/jobs/job.h"
#include "runtime/sched/host.h"

namespace tasklens::runtime {

// Results of Push(): any worker will do; all sleeping workers must look for the job.
inline constexpr int kAnyWorker = -1;
inline constexpr int kAllWorkers = -2;

// Holds the ready jobs of a scheduling context. Threads: any, concurrently. Exceptions: Begin() is
// called before and End() after all other functions, and AddWorkers() and RemoveWorkers() are
// called one after the other.
class Policy {
 public:
  virtual ~Policy() = default;
  // Begin(): the context is known, and no thread pushes or pops yet. End(): no thread does any
  // more.
  virtual void Begin(unsigned /*context*/) {}
  virtual void End() {}
  // The workers will call Pop() from now on; they stop calling it, except for jobs that the policy
  // keeps for them.
  virtual void AddWorkers(std::span<const int> /*workers*/) {}
  virtual void RemoveWorkers(std::span<const int> /*workers*/) {}
  // Adds a ready job. `from` is the worker on which it became ready, or -1. Returns the worker to
  // wake, or kAnyWorker or kAllWorkers.
  virtual int Push(Job* job, int from) = 0;
  // Chooses the combined worker for a parallel task; `parallel` names the largest one. Returns the
  // index plus 1 of the combined worker that runs the task, or 0: the task is pushed instead.
  virtual uint16_t ChooseTeam(Job* job) { return job->parallel; }
  // Removes and returns a job that `worker` can run (see Host::CanRun), or nullptr if there is
  // none.
  virtual Job* Pop(int worker) = 0;
  // Returns the number of waiting jobs. It may lag behind a concurrent Push or Pop, but counts
  // every job that was pushed before the call and not popped.
  virtual size_t Size() const = 0;
  // Returns how many of them Pop(worker) might find.
  virtual size_t SizeFor(int /*worker*/) const { return Size(); }
  // Whether the policy holds jobs that only `worker` would pop, if that worker is no longer
  // enabled, or no longer in the context.
  virtual bool KeepsFor(int /*worker*/) const { return false; }
  // Called when the program waits or calls starpu_do_schedule(): releases jobs that were held back.
  // Returns whether there were any.
  virtual bool DoSchedule() { return false; }
};

struct PolicySpec {
  const char* name;         // STARPU_SCHED=<name>
  const char* description;  // one line
  // `workers`: workers 0..workers-1 will pop. The host outlives the policy.
  std::unique_ptr<Policy> (*create)(Host& host, int workers);
};

// The `create` of a policy whose class is made from the host, or from the host and the number.
template <class Kind>
std::unique_ptr<Policy> MakePolicy(Host& host, int workers) {
  if constexpr (std::is_constructible_v<Kind, Host&, int>)
    return std::make_unique<Kind>(host, workers);
  else
    return std::make_unique<Kind>(host);
}

#define POLICY(Name) extern const PolicySpec k##Name##Policy;
#include "runtime/sched/policies.inc"
#undef POLICY

}  // namespace tasklens::runtime
