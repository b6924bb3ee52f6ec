// SPDX-License-Identifier: Apache-2.0
// Candidates: the expected costs of a job on each worker, by performance models.
#pragma once

#include <cstdint>

#include "runtime/jobs/job.h"
#include "runtime/sched/host.h"
#include "runtime/support/small_vector.h"

namespace tasklens::runtime {

// The expected cost of a job on one worker (or combined worker), with its best implementation
// there.
struct Candidate {
  int worker;
  bool is_combined = false;
  uint8_t implementation = 0;
  double length_us = 0;    // NaN: the model has no estimate; 0: there is no model
  double transfer_us = 0;  // time to transfer and convert its data
  double energy_j = 0;
  bool IsKnown() const { return length_us > 0; }
};
using Candidates = SmallVector<Candidate, 8>;

// Adds each worker of the context that can run the job, with its best implementation. Workers that
// are not enabled are added only if there is no other. An implementation without an estimate is
// preferred, so that it gets measured. Calls functions of the program.
void FindCandidates(const Host& host, Job* job, unsigned context, bool with_energy,
                    Candidates& candidates);
// Records the estimates for single workers in the trace.
void RecordEstimates(uint64_t job, const Candidates& candidates);

// Reads the weights from the environment; weights that are not set keep their value.
void ReadCostWeights(CostWeights& weights);
// Returns the weighted cost of a job that starts on the candidate at `start_us`; all workers are
// idle from `latest_us` on. `weighs`: transfers and energy count.
double CostOf(const Candidate& candidate, const CostWeights& weights, bool weighs, double start_us,
              double now_us, double latest_us);

// Returns the time that a task adds to a queue. Uses its `predicted` and `predicted_transfer`.
double QueuedLengthUs(const starpu_task& task);

// Whether data are prefetched for tasks: unless STARPU_PREFETCH is 0.
bool WantsPrefetch();

}  // namespace tasklens::runtime
