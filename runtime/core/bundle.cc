// SPDX-License-Identifier: Apache-2.0
// Bundles of tasks.
#include <starpu.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <vector>

#include "runtime/jobs/codelet.h"
#include "runtime/jobs/job.h"
#include "runtime/support/sync.h"

struct _starpu_task_bundle {
  tasklens::runtime::Mutex lock;
  std::vector<starpu_task*> tasks GUARDED_BY(lock);
  bool closed GUARDED_BY(lock) = false;
};

namespace {

using tasklens::runtime::BufferCount;
using tasklens::runtime::BufferHandle;
using tasklens::runtime::BufferMode;
using tasklens::runtime::Mutex;
using tasklens::runtime::MutexLock;

// Ends the bundle when nothing is to come; `guard` holds its lock.
void FreeIfOver(starpu_task_bundle_t bundle, MutexLock<Mutex>& guard) NO_THREAD_SAFETY_ANALYSIS {
  const bool over = bundle->closed && bundle->tasks.empty();
  guard.unlock();
  if (over) delete bundle;
}

}  // namespace

extern "C" {

void starpu_task_bundle_create(starpu_task_bundle_t* bundle) { *bundle = new _starpu_task_bundle; }

int starpu_task_bundle_insert(starpu_task_bundle_t bundle, starpu_task* task) {
  MutexLock guard(bundle->lock);
  if (bundle->closed || task->bundle || task->status != STARPU_TASK_INIT) return -EPERM;
  bundle->tasks.push_back(task);
  task->bundle = bundle;
  return 0;
}

int starpu_task_bundle_remove(starpu_task_bundle_t bundle, starpu_task* task) {
  MutexLock guard(bundle->lock);
  const auto it = std::find(bundle->tasks.begin(), bundle->tasks.end(), task);
  if (it == bundle->tasks.end()) return -ENOENT;
  bundle->tasks.erase(it);
  task->bundle = nullptr;
  FreeIfOver(bundle, guard);
  return 0;
}

void starpu_task_bundle_close(starpu_task_bundle_t bundle) {
  MutexLock guard(bundle->lock);
  bundle->closed = true;
  FreeIfOver(bundle, guard);
}

double starpu_task_bundle_expected_length(starpu_task_bundle_t bundle, starpu_perfmodel_arch* arch,
                                          unsigned implementation) {
  MutexLock guard(bundle->lock);
  double total = 0;
  for (starpu_task* task : bundle->tasks) {
    total += starpu_task_expected_length(task, arch, implementation);
  }
  return total;
}
double starpu_task_bundle_expected_energy(starpu_task_bundle_t bundle, starpu_perfmodel_arch* arch,
                                          unsigned implementation) {
  MutexLock guard(bundle->lock);
  double total = 0;
  for (starpu_task* task : bundle->tasks) {
    total += starpu_task_expected_energy(task, arch, implementation);
  }
  return total;
}
double starpu_task_bundle_expected_data_transfer_time(starpu_task_bundle_t bundle, unsigned node) {
  MutexLock guard(bundle->lock);
  std::set<starpu_data_handle_t> read;
  for (const starpu_task* task : bundle->tasks) {
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

}  // extern "C"
