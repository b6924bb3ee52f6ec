// SPDX-License-Identifier: Apache-2.0
// Creates and frees the state of a thread.
#include "runtime/jobs/thread_state.h"

#include <atomic>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

thread_local constinit ThreadState* t_thread_state = nullptr;

namespace {
// Returns the thread's jobs to the pool when it exits.
struct Owner {
  ThreadState* state = nullptr;
  ~Owner() {
    FlushThreadJobCache();
    t_thread_state = nullptr;  // later calls on this thread make a new state
    delete state;
    state = nullptr;
  }
};
}  // namespace

ThreadState& MakeThreadState() {
  static std::atomic<uint32_t> threads{0};
  thread_local Owner owner;
  owner.state = t_thread_state = new ThreadState;
  owner.state->counter_slot = threads.fetch_add(1, std::memory_order_relaxed);
  return *owner.state;
}

}  // namespace tasklens::runtime
