// SPDX-License-Identifier: Apache-2.0
// Lets a thread of the program replace a worker's own thread, which idles meanwhile. So the thread
// that encounters a parallel region is the first of its team: its thread-local variables stay the
// same inside, and an MPI library that requires the main thread gets it.
//
// One thread at a time; others wait for their turn. The thread leaves when no OpenMP task is left,
// since tasks that paused on it cannot continue on another thread.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "runtime/core/runtime.h"
#include "runtime/openmp/state.h"

namespace tasklens::runtime::openmp {

class Place {
 public:
  // Waits until the worker's own thread has ended its current task, then makes the calling thread
  // the worker and binds it to the worker's processing unit.
  Place(Runtime& runtime, Worker& worker);
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  enum Phase : uint32_t { kAsked, kLent, kReturned };
  // Shared by both threads: the worker's thread may read it after this one has left.
  struct Loan {
    std::atomic<uint32_t> phase{kAsked};  // a futex
  };
  static void Lend(Runtime& runtime, Worker& worker, Loan& loan);

  Runtime& runtime_;
  Worker& worker_;
  const std::shared_ptr<Loan> loan_;
  cpu_set_t processors_;  // the thread's affinity before
  bool is_bound_ = false;
};

// Calls run(worker, waiter) in the place of the first worker. REQUIRES: the calling thread is not a
// worker; `run` returns only once the waiter has been woken, after the last task that it made.
template <class Run>
void InPlaceOfFirstWorker(State& state, Run&& run) {
  state.turn.Set();
  Worker& worker = state.first_worker();
  {
    const Place place(*Runtime::Instance(), worker);
    Waiter end(&worker);
    run(worker, end);
  }
  state.turn.Unset();
}

}  // namespace tasklens::runtime::openmp
