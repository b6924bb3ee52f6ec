// SPDX-License-Identifier: Apache-2.0
// The lock of each worker that policies of the program may use: starpu_worker_lock() and related
// functions.
#pragma once

#include <pthread.h>

namespace tasklens::runtime {

struct Worker;

struct WorkerLock {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;  // no thread waits on it
  // Used by the worker's own thread: depth of calls of the policy, and how often it is relaxed.
  int within = 0;
  int relaxed = 0;

  // Whether the worker's own thread holds the lock for a function of the policy.
  bool HeldByOwner() const { return within && relaxed == 0; }
  void Lock();
  void Unlock();
  // Called by the lock's own worker. They do nothing if a function of the policy holds the lock.
  void LockOwn();
  void UnlockOwn();
  // Between the two calls, which nest, a function of the policy releases the lock.
  void RelaxOn();
  void RelaxOff();
  // Lock another worker's lock. `caller` is the lock of the calling worker, relaxed until
  // UnlockFrom(); nullptr: not a worker. TryLockFrom() returns 0, or an error while another thread
  // holds the lock.
  void LockFrom(WorkerLock* caller);
  int TryLockFrom(WorkerLock* caller);
  void UnlockFrom(WorkerLock* caller);
};

// Holds the lock of the worker `self` while a function of the policy runs; nullptr: does nothing.
class WithinPolicy {
 public:
  explicit WithinPolicy(Worker* self);
  ~WithinPolicy();
  WithinPolicy(const WithinPolicy&) = delete;
  WithinPolicy& operator=(const WithinPolicy&) = delete;

 private:
  Worker* const self_;
};

}  // namespace tasklens::runtime
