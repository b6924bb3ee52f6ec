// SPDX-License-Identifier: Apache-2.0
// The list of a context's workers, that policies of the program's own go through.
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
  // By any thread, whoever comes and goes meanwhile.
  std::vector<int> ids() const;
  unsigned size() const;
  bool Has(int worker) const;
  // By one thread at a time.
  void Add(int worker) { collection_.add(&collection_, worker); }
  void Remove(int worker) { collection_.remove(&collection_, worker); }
  // Another kind, of the same workers.
  void Become(starpu_worker_collection_type type);

 private:
  starpu_worker_collection collection_;
};

}  // namespace tasklens::runtime
