// SPDX-License-Identifier: Apache-2.0
// starpu_worker_lock() and related functions, for policies of the program.
#include <starpu.h>

#include "runtime/api/worker_of.h"
#include "runtime/core/worker_lock.h"
#include "runtime/jobs/thread_state.h"

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

namespace {

WorkerLock& LockOf(int id, const char* function) { return WorkerOf(id, function).policy_lock; }

// The lock of the calling worker; nullptr if the thread is not a worker.
WorkerLock* Own() {
  Worker* self = ThisThread().worker;
  return self ? &self->policy_lock : nullptr;
}

}  // namespace

extern "C" {

int starpu_worker_sched_op_pending(void) {
  const WorkerLock* own = Own();
  return own && own->within;
}
void starpu_worker_relax_on(void) {
  if (WorkerLock* own = Own()) own->RelaxOn();
}
void starpu_worker_relax_off(void) {
  if (WorkerLock* own = Own()) own->RelaxOff();
}
int starpu_worker_get_relax_state(void) {
  const WorkerLock* own = Own();
  return !own || !own->HeldByOwner();
}

void starpu_worker_lock_self(void) {
  if (WorkerLock* own = Own()) own->LockOwn();
}
void starpu_worker_unlock_self(void) {
  if (WorkerLock* own = Own()) own->UnlockOwn();
}
void starpu_worker_lock(int id) { LockOf(id, __func__).LockFrom(Own()); }
int starpu_worker_trylock(int id) { return LockOf(id, __func__).TryLockFrom(Own()); }
void starpu_worker_unlock(int id) { LockOf(id, __func__).UnlockFrom(Own()); }

void starpu_worker_get_sched_condition(int id, starpu_pthread_mutex_t** mutex,
                                       starpu_pthread_cond_t** condition) {
  WorkerLock& lock = LockOf(id, __func__);
  *mutex = &lock.mutex;
  *condition = &lock.condition;
}

}  // extern "C"
