// SPDX-License-Identifier: Apache-2.0
// What the runtime keeps for each thread that calls it.
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
  Worker* worker = nullptr;    // when this thread is a worker
  const Team* team = nullptr;  // when this thread runs a task together with others
  int team_rank = 0;
  unsigned* context = nullptr;     // starpu_sched_ctx_set_context()'s
  Job* current = nullptr;          // the job whose function or callback this thread is in
  InsidePolicy* inside = nullptr;  // the innermost context's policy that it is in
  Pausable* pausable = nullptr;    // the job whose stack this thread is on
  std::shared_ptr<SparePausables> spare_stacks;  // nullptr before the first
  // Jobs that became ready while this thread is inside Drain(); see lifecycle.cc.
  Job* ready_head = nullptr;
  Job* ready_tail = nullptr;
  bool draining = false;
  uint32_t claims = 0;            // of handles, see residency.h
  bool begins_to_submit = false;  // its next submission tells that; see trace::Submitting
  uint32_t counter_slot = 0;      // of JobCounts
  // The line of the call that the thread is in, where the program told; see starpu_call_sites.h.
  Site call;
  JobCache jobs;
};

// The fastest model of thread storage, with which a library that is opened while the program runs
// finds room for a pointer, and for little more.
extern thread_local constinit ThreadState* t_thread_state
    __attribute__((tls_model("initial-exec")));
ThreadState& MakeThreadState();
inline ThreadState& ThisThread() {
  ThreadState* state = t_thread_state;
  return state ? *state : MakeThreadState();
}

}  // namespace tasklens::runtime
