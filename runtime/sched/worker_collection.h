// SPDX-License-Identifier: Apache-2.0
// The list of all workers that policies of the program's own go through.
#pragma once

#include <starpu.h>

namespace tasklens::runtime {

class WorkerCollection {
 public:
  explicit WorkerCollection(int workers);
  ~WorkerCollection();
  WorkerCollection(const WorkerCollection&) = delete;
  WorkerCollection& operator=(const WorkerCollection&) = delete;

  starpu_worker_collection* get() { return &collection_; }

 private:
  starpu_worker_collection collection_;
};

}  // namespace tasklens::runtime
