// SPDX-License-Identifier: Apache-2.0
// Bundles of tasks: a program says that they should run together, since they read the same data.
#pragma once

#include <starpu.h>

#include <vector>

#include "runtime/support/sync.h"

// It ends when it is closed and the last of its tasks has left it.
struct _starpu_task_bundle {
 public:
  // 0, or -EPERM: it is closed, or the task is in a bundle or was submitted.
  int Insert(starpu_task* task);
  // 0, or -ENOENT: it is not there. The bundle may be gone then.
  int Remove(starpu_task* task);
  // No more tasks. The bundle may be gone then.
  void Close();

  // Sums over its tasks, in microseconds and in joules.
  double ExpectedLength(starpu_perfmodel_arch* arch, unsigned implementation);
  double ExpectedEnergy(starpu_perfmodel_arch* arch, unsigned implementation);
  // Of each handle that one of them reads, once.
  double ExpectedTransferTime(unsigned node);

 private:
  // Ends the bundle when nothing is to come; `guard` holds its lock.
  void FreeIfOver(tasklens::runtime::MutexLock<tasklens::runtime::Mutex>& guard)
      NO_THREAD_SAFETY_ANALYSIS;

  tasklens::runtime::Mutex lock_;
  std::vector<starpu_task*> tasks_ GUARDED_BY(lock_);
  bool closed_ GUARDED_BY(lock_) = false;
};
