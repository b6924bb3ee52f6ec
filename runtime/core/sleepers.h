// SPDX-License-Identifier: Apache-2.0
// Tracks which workers sleep or search for a job, and wakes them. All functions may be called from
// any thread.
//
// A worker that finds no job searches for some microseconds, then sleeps. A push wakes a sleeper
// unless a searching worker will find the job anyway. This state is sequentially consistent, as is
// pushing a job: either the worker that falls asleep sees the job, or the pushing thread sees the
// worker asleep.
#pragma once

#include <atomic>

#include "runtime/core/worker.h"
#include "runtime/support/worker_set.h"

namespace tasklens::runtime {

class Sleepers {
 public:
  // `count`: the number of workers, which `workers` need not contain yet.
  Sleepers(const Workers& workers, int count)
      : workers_(workers), asleep_(count), disabled_(count), nappers_(count) {}

  // Called by the worker, which must look for a job once more between FallsAsleep() and sleeping.
  void FallsAsleep(Worker& worker) {
    worker.wake.store(0);
    asleep_.Add(worker.id);
  }
  void WakesUp(const Worker& worker) { asleep_.Remove(worker.id); }
  // Marks a sleeping worker that wakes by itself now and then to look for a job.
  void NapsNow(const Worker& worker, bool naps) {
    naps ? nappers_.Add(worker.id) : nappers_.Remove(worker.id);
  }
  bool Nap() const { return !nappers_.empty(); }
  void BeginsToSearch() { searching_.fetch_add(1); }
  // Returns whether no worker searches any more.
  bool EndsToSearch() { return searching_.fetch_sub(1) == 1; }
  bool Search() const { return searching_.load() > 0; }

  bool none() const { return asleep_.empty(); }
  bool Has(int id) const { return asleep_.Has(id); }
  WorkerSet Load() const { return asleep_.Load(); }

  // A disabled worker is not woken for a job that any worker may take.
  void SetEnabled(const Worker& worker, bool enabled) {
    enabled ? disabled_.Remove(worker.id) : disabled_.Add(worker.id);
  }
  void WakeOne();
  // Wakes the worker if it sleeps; returns whether it did.
  bool WakeIfAsleep(int id);
  void WakeThoseAsleep(const WorkerSet& workers);
  void WakeThoseAsleep();
  // Also wakes workers that are about to fall asleep.
  void WakeAll();

 private:
  void Wake(int id);

  const Workers& workers_;
  SharedWorkerSet asleep_, disabled_, nappers_;
  std::atomic<int> searching_{0};
};

}  // namespace tasklens::runtime
