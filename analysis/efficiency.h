// SPDX-License-Identifier: Apache-2.0
// Divides the workers' time into factors whose product is the total efficiency.
//
// Over all workers, let T be the time in tasks, and of the idle time (analysis/idle.h) let D be the
// time of transfers, S that of the scheduler, R the runtime's own work and P the rest (nothing
// ready, nothing submitted, nothing for this kind of worker):
//   locality    = T / (T + D)                  less than 1: tasks waited for their data
//   scheduling  = (T + D) / (T + D + S)        ready tasks waited while workers were free
//   runtime     = (T + D + S) / (T + D + S + R)        tasks too small for what they cost
//   parallelism = (T + D + S + R) / (T + D + S + R + P)  the program had no more to do at once, or
//                                                         nothing for this kind of worker
//   known       = (T + D + S + R + P) / (T + D + S + R + P + U)
//   total       = T / (T + D + S + R + P + U), their product
// where U is the time of unknown cause: 0, so that `known` is 1, except in formats without
// dependencies. Only workers that can run a task of the run count (WorkersThatCount() of
// eligible_workers.h): StarPU starts all CPU workers beside a GPU, even if there is no work for
// them. This is the scheme of StarPU's starpu_trace_state_stats.py (its e_pipeline is our
// parallelism), with two differences. The script counts the worker's state "Scheduling" whether or
// not there was a task to schedule; the handbook's "split" view, like ours, counts it only if there
// was. And the script counts fetching as the runtime's work. Moreover, if a program's own thread
// schedules before a worker does, the script takes all scheduling for the user's and prints e_sched
// = 1; our figures come from the timeline of each worker and cannot confuse threads.
//
// Pure; any thread. O(workers) once idleness is explained.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/idle.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct Efficiency {
  // Nanoseconds, summed over all workers that count. The sum is their measured time.
  int64_t task_ns = 0, transfer_ns = 0, scheduling_ns = 0, runtime_ns = 0, no_work_ns = 0;
  int64_t not_known_ns = 0;
  // The measured time of the workers that do not count; not part of that sum.
  int64_t not_counted_ns = 0;

  int64_t known_ns() const {
    return task_ns + transfer_ns + scheduling_ns + runtime_ns + no_work_ns;
  }
  int64_t all_ns() const { return known_ns() + not_known_ns; }
  // In 0..1; 1 if nothing was measured (so nothing was lost).
  double Locality() const;
  double Scheduling() const;
  double Runtime() const;
  double Parallelism() const;
  double Known() const;
  double Total() const;
};

struct EfficiencyReport {
  Efficiency whole;
  std::vector<Efficiency> ranks;    // by row of model.ranks
  std::vector<Efficiency> workers;  // by row of model.workers
};
EfficiencyReport SplitEfficiency(const TraceModel& model, const IdleReport& idle);

}  // namespace tasklens
