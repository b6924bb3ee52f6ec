// SPDX-License-Identifier: Apache-2.0
// A thread of the program in the place of a worker, whose own thread stands still meanwhile: the
// thread that comes to a parallel region is the first of its team, so that what it keeps by thread
// is the same inside, and an MPI that wants the main thread finds it.
//
// One thread at a time; others wait for their turn. Whoever is in the place leaves it when no task
// of OpenMP's is left, as those that paused there cannot go on in another thread.
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
  // Returns when the worker's own thread has ended the task that it is at, and this one is the
  // worker. It is bound to where the worker is.
  Place(Runtime& runtime, Worker& worker);
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  enum Phase : uint32_t { kAsked, kLent, kReturned };
  // Of both threads: the worker's may look at it when this one has left.
  struct Loan {
    std::atomic<uint32_t> phase{kAsked};  // a futex
  };
  static void Lend(Runtime& runtime, Worker& worker, Loan& loan);

  Runtime& runtime_;
  Worker& worker_;
  const std::shared_ptr<Loan> loan_;
  cpu_set_t processors_;  // where the thread was before
  bool is_bound_ = false;
};

// Calls run(worker, waiter) in the place of the first worker, by a thread that is no worker. When
// it returns, somebody has woken the waiter, after the last task that it made.
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
