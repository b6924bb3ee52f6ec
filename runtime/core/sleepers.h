// SPDX-License-Identifier: Apache-2.0
// Which workers sleep or search, and who wakes them. Any thread.
//
// A worker that finds no job searches for some microseconds, then sleeps. A push wakes a sleeper
// unless a searching worker will find the job anyway. What says who is awake is sequentially
// consistent, as pushing a job is: either the worker that falls asleep sees the job, or who pushes
// it sees the worker asleep.
#pragma once

#include <atomic>

#include "runtime/core/worker.h"
#include "runtime/support/worker_set.h"

namespace tasklens::runtime {

class Sleepers {
 public:
  // `workers` will be so many.
  Sleepers(const Workers& workers, int count)
      : workers_(workers), asleep_(count), disabled_(count), nappers_(count) {}

  // By the worker. Between the two, before it sleeps, it looks for a job once more.
  void FallsAsleep(Worker& worker) {
    worker.wake.store(0);
    asleep_.Add(worker.id);
  }
  void WakesUp(const Worker& worker) { asleep_.Remove(worker.id); }
  // A sleeper that looks for itself now and then.
  void NapsNow(const Worker& worker, bool naps) {
    naps ? nappers_.Add(worker.id) : nappers_.Remove(worker.id);
  }
  bool Nap() const { return !nappers_.empty(); }
  void BeginsToSearch() { searching_.fetch_add(1); }
  // Whether nobody searches any more.
  bool EndsToSearch() { return searching_.fetch_sub(1) == 1; }
  bool Search() const { return searching_.load() > 0; }

  bool none() const { return asleep_.empty(); }
  bool Has(int id) const { return asleep_.Has(id); }
  WorkerSet Load() const { return asleep_.Load(); }

  // Workers that are not enabled are not woken for a job that any may take.
  void SetEnabled(const Worker& worker, bool enabled) {
    enabled ? disabled_.Remove(worker.id) : disabled_.Add(worker.id);
  }
  void WakeOne();
  // Whether the worker slept, and is awake now.
  bool WakeIfAsleep(int id);
  void WakeThoseAsleep(const WorkerSet& workers);
  void WakeThoseAsleep();
  // Also those that are about to fall asleep.
  void WakeAll();

 private:
  void Wake(int id);

  const Workers& workers_;
  SharedWorkerSet asleep_, disabled_, nappers_;
  std::atomic<int> searching_{0};
};

}  // namespace tasklens::runtime
