// SPDX-License-Identifier: Apache-2.0
// The runtime's state of each thread that calls it.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/jobs/site.h"

namespace tasklens::runtime {

struct Job;
class InsidePolicy;
class Pausable;
class SparePausables;
class Team;
struct Worker;

struct JobCache {
  Job* free = nullptr;  // chained by Job::next
  uint32_t count = 0;
};

struct ThreadState {
  Worker* worker = nullptr;    // nullptr: this thread is not a worker
  const Team* team = nullptr;  // the team whose task this thread runs, if any
  int team_rank = 0;
  unsigned* context = nullptr;     // set by starpu_sched_ctx_set_context()
  Job* current = nullptr;          // the job whose function or callback this thread is in
  InsidePolicy* inside = nullptr;  // the innermost policy that this thread is in
  Pausable* pausable = nullptr;    // the job whose stack this thread is on
  std::shared_ptr<SparePausables> spare_stacks;  // nullptr before the first
  // Jobs that became ready while this thread is inside Drain(); see lifecycle.cc.
  Job* ready_head = nullptr;
  Job* ready_tail = nullptr;
  bool draining = false;
  uint32_t claims = 0;            // number of claimed handles, see residency.h
  bool begins_to_submit = false;  // recorded with the next submission; see trace::Submitting
  uint32_t counter_slot = 0;      // slot for JobCounts
  // The source line of the call that the thread is in, if known; see starpu_call_sites.h.
  Site call;
  JobCache jobs;
};

// The fastest TLS model. A library opened by dlopen() has little such storage, so this is only a
// pointer.
extern thread_local constinit ThreadState* t_thread_state
    __attribute__((tls_model("initial-exec")));
ThreadState& MakeThreadState();
inline ThreadState& ThisThread() {
  ThreadState* state = t_thread_state;
  return state ? *state : MakeThreadState();
}

}  // namespace tasklens::runtime
