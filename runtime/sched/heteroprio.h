// SPDX-License-Identifier: Apache-2.0
// The settings of the policy heteroprio (include/schedulers/starpu_heteroprio.h).
#pragma once

#include <starpu.h>

#include <cstdio>

#include "runtime/sched/policy.h"

namespace tasklens::runtime {

// Each kind of workers searches buckets of tasks in an order of its own; rank 0 is the first.
// Threads: any. REQUIRES: valid kinds, ranks and buckets.
class Heteroprio : public Policy {
 public:
  // Sets the number of buckets that workers of that kind search.
  virtual void SetPriorities(starpu_worker_archtype kind, unsigned count) = 0;
  // Returns false if there is no such rank.
  virtual bool SetBucket(starpu_worker_archtype kind, unsigned rank, unsigned bucket) = 0;
  // SetFaster() sets the kind that runs the tasks of a bucket faster than others; SetSlowFactor()
  // by what factor another kind is slower.
  virtual void SetFaster(starpu_worker_archtype kind, unsigned bucket) = 0;
  virtual void SetSlowFactor(starpu_worker_archtype kind, unsigned bucket, float factor) = 0;
  // Whether a task is assigned to the workers of one memory node, by the location of its data. Ends
  // the program with a message if there are tasks already.
  virtual void UseLocality(bool uses) = 0;
  virtual bool uses_locality() const = 0;
  // Prints each group of workers and the order of its searches.
  virtual void Print(FILE* stream) = 0;
};

}  // namespace tasklens::runtime
