// SPDX-License-Identifier: Apache-2.0
// Mutual exclusion of tasks: what locks, nestable locks, critical and atomic regions are made of.
#pragma once

#include "runtime/openmp/waiter.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime::openmp {

struct Task;

// A free lock goes to whoever asks next; those who wait are woken in the order of their coming.
class Lock {
 public:
  void Set();
  bool Test();  // whether the caller has it now
  void Unset();

 private:
  Mutex guard_;  // of what follows
  bool is_set_ GUARDED_BY(guard_) = false;
  WaitList waiting_ GUARDED_BY(guard_);
};

// The same, which a task may set again and again while it has it.
class NestLock {
 public:
  int Set();   // how often the caller has it now
  int Test();  // the same, 0: it is another's
  void Unset();

 private:
  Lock lock_;
  std::atomic<const Task*> owner_{nullptr};
  int depth_ = 0;  // the owner's
};

}  // namespace tasklens::runtime::openmp
