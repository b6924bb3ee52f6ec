// SPDX-License-Identifier: Apache-2.0
// Locks of workers. To avoid deadlock, a worker that locks another worker releases its own lock
// meanwhile.
#include "runtime/core/worker_lock.h"

#include <starpu.h>

#include "runtime/core/worker.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {

void WorkerLock::Lock() { STARPU_PTHREAD_MUTEX_LOCK(&mutex); }
void WorkerLock::Unlock() { STARPU_PTHREAD_MUTEX_UNLOCK(&mutex); }

void WorkerLock::RelaxOn() {
  if (relaxed++ == 0 && within) Unlock();
}
void WorkerLock::RelaxOff() {
  if (relaxed == 0) Fatal("starpu_worker_relax_off() without starpu_worker_relax_on()");
  if (--relaxed == 0 && within) Lock();
}

void WorkerLock::LockOwn() {
  if (!HeldByOwner()) Lock();
}
void WorkerLock::UnlockOwn() {
  if (!HeldByOwner()) Unlock();
}

void WorkerLock::LockFrom(WorkerLock* caller) {
  if (caller == this) return LockOwn();
  if (caller) caller->RelaxOn();
  Lock();
}
int WorkerLock::TryLockFrom(WorkerLock* caller) {
  if (caller == this && HeldByOwner()) return 0;
  if (caller && caller != this) caller->RelaxOn();
  const int busy = STARPU_PTHREAD_MUTEX_TRYLOCK(&mutex);
  if (busy && caller && caller != this) caller->RelaxOff();
  return busy;
}
void WorkerLock::UnlockFrom(WorkerLock* caller) {
  if (caller == this) return UnlockOwn();
  Unlock();
  if (caller) caller->RelaxOff();
}

WithinPolicy::WithinPolicy(Worker* self) : self_(self) {
  // Counted, as a function of the policy that makes a task ready calls the policy again.
  if (self_ && self_->policy_lock.within++ == 0) self_->policy_lock.Lock();
}
WithinPolicy::~WithinPolicy() {
  if (self_ && --self_->policy_lock.within == 0) self_->policy_lock.Unlock();
}

}  // namespace tasklens::runtime
