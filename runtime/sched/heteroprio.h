// SPDX-License-Identifier: Apache-2.0
// What a program sets of the policy heteroprio (include/schedulers/starpu_heteroprio.h).
#pragma once

#include <starpu.h>

#include <cstdio>

#include "runtime/sched/policy.h"

namespace tasklens::runtime {

// A kind of workers looks into buckets of tasks in an order of its own; 0 is its first. Any thread.
// REQUIRES: kinds, ranks and buckets that there are.
class Heteroprio : public Policy {
 public:
  // So many buckets the workers of that kind look into.
  virtual void SetPriorities(starpu_worker_archtype kind, unsigned count) = 0;
  // False when there is no such rank.
  virtual bool SetBucket(starpu_worker_archtype kind, unsigned rank, unsigned bucket) = 0;
  // The kind that runs a bucket's tasks faster than others; by what factor another one is slower.
  virtual void SetFaster(starpu_worker_archtype kind, unsigned bucket) = 0;
  virtual void SetSlowFactor(starpu_worker_archtype kind, unsigned bucket, float factor) = 0;
  // Whether a task goes to the workers of one memory, by where its data are. Aborts with a line
  // when there are tasks already.
  virtual void UseLocality(bool uses) = 0;
  virtual bool uses_locality() const = 0;
  // Each group of workers, and the order in which it looks.
  virtual void Print(FILE* stream) = 0;
};

}  // namespace tasklens::runtime
