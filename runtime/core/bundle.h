// SPDX-License-Identifier: Apache-2.0
// Bundles of tasks that the program wants to run together, since they read the same data.
#pragma once

#include <starpu.h>

#include <vector>

#include "runtime/support/sync.h"

// A bundle deletes itself when it is closed and empty.
struct _starpu_task_bundle {
 public:
  // Returns 0, or -EPERM if the bundle is closed, or the task is in a bundle already or was
  // submitted.
  int Insert(starpu_task* task);
  // Returns 0, or -ENOENT if the task is not in the bundle. May delete the bundle.
  int Remove(starpu_task* task);
  // Accepts no more tasks. May delete the bundle.
  void Close();

  // The sum over the tasks of starpu_task_expected_length() or _energy().
  using Estimate = double (*)(starpu_task*, starpu_perfmodel_arch*, unsigned);
  double Expected(Estimate estimate, starpu_perfmodel_arch* arch, unsigned implementation);
  // The time in microseconds to transfer each handle that the tasks read, counted once.
  double ExpectedTransferTime(unsigned node);

 private:
  // Deletes the bundle if it is closed and empty; `guard` holds lock_ and is released.
  void FreeIfOver(tasklens::runtime::MutexLock<tasklens::runtime::Mutex>& guard)
      NO_THREAD_SAFETY_ANALYSIS;

  tasklens::runtime::Mutex lock_;
  std::vector<starpu_task*> tasks_ GUARDED_BY(lock_);
  bool closed_ GUARDED_BY(lock_) = false;
};
