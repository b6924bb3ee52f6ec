// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/bundle.h"

#include <algorithm>
#include <cerrno>
#include <set>

#include "runtime/jobs/codelet.h"

using tasklens::runtime::BufferCount;
using tasklens::runtime::BufferHandle;
using tasklens::runtime::BufferMode;
using tasklens::runtime::Mutex;
using tasklens::runtime::MutexLock;

void _starpu_task_bundle::FreeIfOver(MutexLock<Mutex>& guard) {
  const bool over = closed_ && tasks_.empty();
  guard.unlock();
  if (over) delete this;
}

int _starpu_task_bundle::Insert(starpu_task* task) {
  MutexLock guard(lock_);
  if (closed_ || task->bundle || task->status != STARPU_TASK_INIT) return -EPERM;
  tasks_.push_back(task);
  task->bundle = this;
  return 0;
}

int _starpu_task_bundle::Remove(starpu_task* task) {
  MutexLock guard(lock_);
  const auto it = std::find(tasks_.begin(), tasks_.end(), task);
  if (it == tasks_.end()) return -ENOENT;
  tasks_.erase(it);
  task->bundle = nullptr;
  FreeIfOver(guard);
  return 0;
}

void _starpu_task_bundle::Close() {
  MutexLock guard(lock_);
  closed_ = true;
  FreeIfOver(guard);
}

double _starpu_task_bundle::Expected(Estimate estimate, starpu_perfmodel_arch* arch,
                                     unsigned implementation) {
  MutexLock guard(lock_);
  double total = 0;
  for (starpu_task* task : tasks_) total += estimate(task, arch, implementation);
  return total;
}

double _starpu_task_bundle::ExpectedTransferTime(unsigned node) {
  MutexLock guard(lock_);
  std::set<starpu_data_handle_t> read;
  for (const starpu_task* task : tasks_) {
    const unsigned count = task->cl ? BufferCount(*task) : 0;
    for (unsigned i = 0; i < count; ++i) {
      if (BufferMode(*task, i) & STARPU_R) read.insert(BufferHandle(*task, i));
    }
  }
  double total = 0;
  for (starpu_data_handle_t handle : read) {
    total += starpu_data_expected_transfer_time(handle, node, STARPU_R);
  }
  return total;
}
