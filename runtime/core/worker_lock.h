// SPDX-License-Identifier: Apache-2.0
// The lock of each worker that policies of the program's own know: starpu_worker_lock() and its
// kin.
#pragma once

#include <pthread.h>

namespace tasklens::runtime {

struct Worker;

struct WorkerLock {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;  // nobody waits on it
  // Of the worker's own thread: inside a function of the policy, and how often relaxed.
  int within = 0;
  int relaxed = 0;

  // Whether a function of the policy holds it, on the worker's own thread.
  bool HeldByOwner() const { return within && relaxed == 0; }
  void Lock();
  void Unlock();
  // By its own worker: nothing where a function of the policy holds it anyway.
  void LockOwn();
  void UnlockOwn();
  // A function of the policy lets go of it between the two, which nest.
  void RelaxOn();
  void RelaxOff();
  // By the thread of the worker with the lock `caller`, which is relaxed until UnlockFrom(), or of
  // no worker (nullptr). TryLockFrom(): 0, or an error while another thread has it.
  void LockFrom(WorkerLock* caller);
  int TryLockFrom(WorkerLock* caller);
  void UnlockFrom(WorkerLock* caller);
};

// Holds the lock of the calling worker while a function of the policy runs; nullptr: no worker.
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
