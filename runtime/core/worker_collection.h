// SPDX-License-Identifier: Apache-2.0
// The list of a context's workers, over which policies of the program iterate.
#pragma once

#include <starpu.h>

#include <vector>

namespace tasklens::runtime {

class WorkerCollection {
 public:
  WorkerCollection();  // without workers
  ~WorkerCollection();
  WorkerCollection(const WorkerCollection&) = delete;
  WorkerCollection& operator=(const WorkerCollection&) = delete;

  starpu_worker_collection* get() { return &collection_; }
  // May be called from any thread while workers are added and removed.
  std::vector<int> ids() const;
  unsigned size() const;
  bool Has(int worker) const;
  // REQUIRES: one thread at a time.
  void Add(int worker) { collection_.add(&collection_, worker); }
  void Remove(int worker) { collection_.remove(&collection_, worker); }
  // Changes the type of the collection and keeps its workers.
  void Become(starpu_worker_collection_type type);

 private:
  starpu_worker_collection collection_;
};

}  // namespace tasklens::runtime
