// SPDX-License-Identifier: Apache-2.0
// What performance models expect of a job on each worker, for the policies that choose by them.
#pragma once

#include <cstdint>

#include "runtime/jobs/job.h"
#include "runtime/sched/host.h"
#include "runtime/support/small_vector.h"

namespace tasklens::runtime {

// What is expected of a job on one worker (or a combined one), by its best implementation there.
struct Candidate {
  int worker;
  bool is_combined = false;
  uint8_t implementation = 0;
  double length_us = 0;    // NaN: the model does not know; 0: there is no model
  double transfer_us = 0;  // until its data are there, in the layout that it wants
  double energy_j = 0;
  bool IsKnown() const { return length_us > 0; }
};
using Candidates = SmallVector<Candidate, 8>;

// Each worker of the context that can run the job (those that are not enabled only where there is
// no other), with its best implementation: one that is not known well enough yet comes before all
// others, to be measured. Asks functions of the program.
void FindCandidates(const Host& host, Job* job, unsigned context, bool with_energy,
                    Candidates& candidates);
// Into the trace; of single workers.
void RecordEstimates(uint64_t job, const Candidates& candidates);

// From the environment; what it does not say stays.
void ReadCostWeights(CostWeights& weights);
// What is weighed of a job that begins there at a date, where all workers are idle again at
// `latest_us`. `weighs`: transfers and energy count.
double CostOf(const Candidate& candidate, const CostWeights& weights, bool weighs, double start_us,
              double now_us, double latest_us);

// What a task adds to a queue, once `predicted` and `predicted_transfer` are set.
double QueuedLengthUs(const starpu_task& task);

// Whether data are sent ahead of tasks: unless STARPU_PREFETCH is 0.
bool WantsPrefetch();

}  // namespace tasklens::runtime
