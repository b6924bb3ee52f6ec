// SPDX-License-Identifier: Apache-2.0
// Locking workers, without two that lock each other waiting for ever: who locks another lets go of
// itself meanwhile.
#include "runtime/core/worker_lock.h"

#include <starpu.h>

#include "runtime/core/runtime.h"
#include "runtime/core/worker.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

void Lock(Worker& worker) { STARPU_PTHREAD_MUTEX_LOCK(&worker.policy_lock.mutex); }
void Unlock(Worker& worker) { STARPU_PTHREAD_MUTEX_UNLOCK(&worker.policy_lock.mutex); }

void RelaxOn(Worker& self) {
  if (self.policy_lock.relaxed++ == 0 && self.policy_lock.within) Unlock(self);
}
void RelaxOff(Worker& self) {
  if (self.policy_lock.relaxed == 0) {
    Fatal("starpu_worker_relax_off() without starpu_worker_relax_on()");
  }
  if (--self.policy_lock.relaxed == 0 && self.policy_lock.within) Lock(self);
}

Worker& WorkerOf(int id, const char* function) {
  Worker* worker = Runtime::Get(function).worker(id);
  if (!worker) Fatal("%s(): there is no worker %d", function, id);
  return *worker;
}

// Whether the calling worker holds its own lock anyway.
bool HoldsOwnLock(const Worker& self) {
  return self.policy_lock.within && self.policy_lock.relaxed == 0;
}

}  // namespace

WithinPolicy::WithinPolicy(Worker* self) : self_(self) {
  // A policy's function that makes a task ready calls the policy again.
  if (self_ && self_->policy_lock.within++ == 0) Lock(*self_);
}
WithinPolicy::~WithinPolicy() {
  if (self_ && --self_->policy_lock.within == 0) Unlock(*self_);
}

}  // namespace tasklens::runtime

using namespace tasklens::runtime;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_worker_sched_op_pending(void) {
  const Worker* self = ThisThread().worker;
  return self && self->policy_lock.within;
}
void starpu_worker_relax_on(void) {
  if (Worker* self = ThisThread().worker) RelaxOn(*self);
}
void starpu_worker_relax_off(void) {
  if (Worker* self = ThisThread().worker) RelaxOff(*self);
}
int starpu_worker_get_relax_state(void) {
  const Worker* self = ThisThread().worker;
  return !self || !HoldsOwnLock(*self);
}

void starpu_worker_lock_self(void) {
  Worker* self = ThisThread().worker;
  if (self && !HoldsOwnLock(*self)) Lock(*self);
}
void starpu_worker_unlock_self(void) {
  Worker* self = ThisThread().worker;
  if (self && !HoldsOwnLock(*self)) Unlock(*self);
}
void starpu_worker_lock(int id) {
  Worker& worker = WorkerOf(id, "starpu_worker_lock");
  Worker* self = ThisThread().worker;
  if (self == &worker) return starpu_worker_lock_self();
  if (self) RelaxOn(*self);
  Lock(worker);
}
int starpu_worker_trylock(int id) {
  Worker& worker = WorkerOf(id, "starpu_worker_trylock");
  Worker* self = ThisThread().worker;
  if (self == &worker && HoldsOwnLock(*self)) return 0;
  if (self && self != &worker) RelaxOn(*self);
  const int busy = STARPU_PTHREAD_MUTEX_TRYLOCK(&worker.policy_lock.mutex);
  if (busy && self && self != &worker) RelaxOff(*self);
  return busy;
}
void starpu_worker_unlock(int id) {
  Worker& worker = WorkerOf(id, "starpu_worker_unlock");
  Worker* self = ThisThread().worker;
  if (self == &worker) return starpu_worker_unlock_self();
  Unlock(worker);
  if (self) RelaxOff(*self);
}

void starpu_worker_get_sched_condition(int id, starpu_pthread_mutex_t** mutex,
                                       starpu_pthread_cond_t** condition) {
  Worker& worker = WorkerOf(id, "starpu_worker_get_sched_condition");
  *mutex = &worker.policy_lock.mutex;
  *condition = &worker.policy_lock.condition;
}

}  // extern "C"
