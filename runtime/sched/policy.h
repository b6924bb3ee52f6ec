// SPDX-License-Identifier: Apache-2.0
// The seam for scheduling policies: one file each, one line in policies.inc. A policy sees jobs and
// its Host (host.h), and nothing else of the runtime, so that a test needs no more than a machine
// of its own (tests/runtime/sched/fake_machine.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/jobs/job.h"
#include "runtime/sched/host.h"

namespace tasklens::runtime {

// What Push() returns when any worker will do, and when sleepers must all have a look.
inline constexpr int kAnyWorker = -1;
inline constexpr int kAllWorkers = -2;

// Holds the ready jobs of a scheduling context. All functions may be called from any thread at
// once, but for the first four: Begin() comes before the others and End() after them, and workers
// are added and removed one call after the other.
class Policy {
 public:
  virtual ~Policy() = default;
  // The context is known, and nobody pushes or pops yet; nobody does any more.
  virtual void Begin(unsigned /*context*/) {}
  virtual void End() {}
  // Workers that are about to pop; that no longer do, but for what the policy keeps for them.
  virtual void AddWorkers(std::span<const int> /*workers*/) {}
  virtual void RemoveWorkers(std::span<const int> /*workers*/) {}
  // Takes a job. `from` is the worker on which it became ready, or -1. Returns who is to be awake
  // for it: a worker, kAnyWorker or kAllWorkers.
  virtual int Push(Job* job, int from) = 0;
  // Of a parallel task, whose `parallel` names the largest combined worker for it: by which it is
  // run (the index plus 1), or 0, and it is pushed.
  virtual uint16_t ChooseTeam(Job* job) { return job->parallel; }
  // A job that `worker` can run (see Host::CanRun), or nullptr when there is none.
  virtual Job* Pop(int worker) = 0;
  // How many jobs wait; may lag behind a concurrent Push or Pop, but what was pushed before the
  // call and not popped is counted.
  virtual size_t Size() const = 0;
  // How many of them Pop(worker) might find.
  virtual size_t SizeFor(int /*worker*/) const { return Size(); }
  // Whether it holds jobs that nobody but `worker` would get, if that one is no longer enabled, or
  // no longer of the context.
  virtual bool KeepsFor(int /*worker*/) const { return false; }
  // The program waits, or calls starpu_do_schedule(): a good time to give away what was held back.
  // Whether there was something.
  virtual bool DoSchedule() { return false; }
};

struct PolicySpec {
  const char* name;         // STARPU_SCHED=<name>
  const char* description;  // one line
  // `workers`: ids 0..workers-1 will pop. The host outlives the policy.
  std::unique_ptr<Policy> (*create)(Host& host, int workers);
};

#define POLICY(Name) extern const PolicySpec k##Name##Policy;
#include "runtime/sched/policies.inc"
#undef POLICY

}  // namespace tasklens::runtime
