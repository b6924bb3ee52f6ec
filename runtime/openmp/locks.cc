// SPDX-License-Identifier: Apache-2.0
// Locks, and critical and atomic regions.
#include "runtime/openmp/locks.h"

#include <starpu.h>

#include <utility>

#include "runtime/openmp/state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime::openmp {

void Lock::Set() {
  // Spin first: the lock may become free in less time than a pause takes.
  constexpr int kSpins = 100;
  for (int i = 0; i < kSpins; ++i) {
    if (Test()) return;
    CpuRelax();
  }
  for (bool was_woken = false;; was_woken = true) {
    Waiter waiter;
    {
      MutexLock guard(guard_);
      if (!is_set_) {
        is_set_ = true;
        return;
      }
      was_woken ? waiting_.AddFirst(waiter) : waiting_.Add(waiter);
    }
    waiter.Wait();
  }
}

bool Lock::Test() {
  MutexLock guard(guard_);
  return !std::exchange(is_set_, true);
}

void Lock::Unset() {
  Waiter* next;
  {
    MutexLock guard(guard_);
    is_set_ = false;
    next = waiting_.TakeFirst();
  }
  if (next) next->Wake();
}

// (Relaxed is enough: only the owner itself can read its own address here.)
int NestLock::Set() {
  const Task* const self = &State::Get("starpu_omp_set_nest_lock").Current();
  if (owner_.load(std::memory_order_relaxed) != self) {
    lock_.Set();
    owner_.store(self, std::memory_order_relaxed);
  }
  return ++depth_;
}

int NestLock::Test() {
  const Task* const self = &State::Get("starpu_omp_test_nest_lock").Current();
  if (owner_.load(std::memory_order_relaxed) != self) {
    if (!lock_.Test()) return 0;
    owner_.store(self, std::memory_order_relaxed);
  }
  return ++depth_;
}

void NestLock::Unset() {
  const Task* const self = &State::Get("starpu_omp_unset_nest_lock").Current();
  if (owner_.load(std::memory_order_relaxed) != self)
    Fatal("starpu_omp_unset_nest_lock(): the calling task has not set the lock");
  if (--depth_ > 0) return;
  owner_.store(nullptr, std::memory_order_relaxed);
  lock_.Unset();
}

}  // namespace tasklens::runtime::openmp

using namespace tasklens::runtime;          // NOLINT: the definitions below are all of them short
using namespace tasklens::runtime::openmp;  // NOLINT

namespace {

// Returns the object behind a lock of the program.
template <class Kind, class Handle>
Kind& Made(const Handle* lock, const char* function) {
  State::Get(function);
  if (!lock || !lock->internal) Fatal("%s(): the lock was not initialized", function);
  return *static_cast<Kind*>(lock->internal);
}

template <class Kind, class Handle>
void Destroy(Handle* lock, const char* function) {
  delete &Made<Kind>(lock, function);
  lock->internal = nullptr;
}

}  // namespace

extern "C" {

void starpu_omp_init_lock(starpu_omp_lock_t* lock) { lock->internal = new Lock; }
void starpu_omp_destroy_lock(starpu_omp_lock_t* lock) { Destroy<Lock>(lock, __func__); }
void starpu_omp_set_lock(starpu_omp_lock_t* lock) { Made<Lock>(lock, __func__).Set(); }
void starpu_omp_unset_lock(starpu_omp_lock_t* lock) { Made<Lock>(lock, __func__).Unset(); }
int starpu_omp_test_lock(starpu_omp_lock_t* lock) { return Made<Lock>(lock, __func__).Test(); }

void starpu_omp_init_nest_lock(starpu_omp_nest_lock_t* lock) { lock->internal = new NestLock; }
void starpu_omp_destroy_nest_lock(starpu_omp_nest_lock_t* lock) {
  Destroy<NestLock>(lock, __func__);
}
void starpu_omp_set_nest_lock(starpu_omp_nest_lock_t* lock) {
  Made<NestLock>(lock, __func__).Set();
}
void starpu_omp_unset_nest_lock(starpu_omp_nest_lock_t* lock) {
  Made<NestLock>(lock, __func__).Unset();
}
int starpu_omp_test_nest_lock(starpu_omp_nest_lock_t* lock) {
  return Made<NestLock>(lock, __func__).Test();
}

void starpu_omp_critical_inline_begin(const char* name) {
  State::Get(__func__).Critical(name).Set();
}
void starpu_omp_critical_inline_end(const char* name) {
  State::Get(__func__).Critical(name).Unset();
}
void starpu_omp_critical(void (*f)(void*), void* arg, const char* name) {
  Lock& critical = State::Get(__func__).Critical(name);
  critical.Set();
  f(arg);
  critical.Unset();
}

void starpu_omp_atomic_fallback_inline_begin(void) { State::Get(__func__).atomic.Set(); }
void starpu_omp_atomic_fallback_inline_end(void) { State::Get(__func__).atomic.Unset(); }

}  // extern "C"
