// SPDX-License-Identifier: Apache-2.0
// Mutual exclusion of tasks, for locks, nestable locks, critical and atomic regions.
#pragma once

#include "runtime/openmp/waiter.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime::openmp {

struct Task;

// A free lock goes to the next caller; waiting tasks are woken in the order of arrival.
class Lock {
 public:
  void Set();
  bool Test();  // returns whether the caller got the lock
  void Unset();

 private:
  Mutex guard_;  // guards the members below
  bool is_set_ GUARDED_BY(guard_) = false;
  WaitList waiting_ GUARDED_BY(guard_);
};

// A lock that its owner may set again.
class NestLock {
 public:
  int Set();   // returns the nesting depth
  int Test();  // the same; 0 if another task owns the lock
  void Unset();

 private:
  Lock lock_;
  std::atomic<const Task*> owner_{nullptr};
  int depth_ = 0;  // used by the owner only
};

}  // namespace tasklens::runtime::openmp
