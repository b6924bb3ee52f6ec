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
