// SPDX-License-Identifier: Apache-2.0
// Where the workers' time went, as factors that multiply out to the whole.
//
// With, over all workers, T the time in tasks and of the idle time (analysis/idle.h) D what went to
// transfers, S what the scheduler kept, R the runtime's own work and P the rest (nothing ready,
// nothing submitted, nothing for it):
//   locality    = T / (T + D)                  less than 1: tasks waited for their data
//   scheduling  = (T + D) / (T + D + S)        ready tasks waited while workers were free
//   runtime     = (T + D + S) / (T + D + S + R)        tasks too small for what they cost
//   parallelism = (T + D + S + R) / (T + D + S + R + P)  the program had no more to do at once, or
//                                                         nothing for this kind of worker
//   known       = (T + D + S + R + P) / (T + D + S + R + P + U)
//   total       = T / (T + D + S + R + P + U), their product
// where U is what the trace does not tell the cause of: 0, and `known` 1, but for formats without
// dependencies.
// Only workers count that can run a task of the run (WorkersThatCount() of eligible_workers.h):
// StarPU starts all CPU workers beside a GPU, whether or not anything is there for them.
// This is the scheme of StarPU's starpu_trace_state_stats.py (its e_pipeline is our parallelism),
// with two differences. It counts the worker's state "Scheduling" whether or not there was anything
// to schedule, where the handbook's "split" view counts only the latter, as we do. And it has
// fetching among the runtime's work. Moreover, where a program's own thread schedules before a
// worker does, the script takes all scheduling for the user's and prints e_sched = 1; our figures
// come from the time line of each worker and cannot mix threads up.
//
// Pure; any thread. O(workers) once idleness is explained.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/idle.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct Efficiency {
  // Nanoseconds of all workers that count, together. The sum is their measured time.
  int64_t task_ns = 0, transfer_ns = 0, scheduling_ns = 0, runtime_ns = 0, no_work_ns = 0;
  int64_t not_known_ns = 0;
  // The measured time of the workers that do not count, beside that.
  int64_t not_counted_ns = 0;

  int64_t known_ns() const {
    return task_ns + transfer_ns + scheduling_ns + runtime_ns + no_work_ns;
  }
  int64_t all_ns() const { return known_ns() + not_known_ns; }
  // In 0..1; 1 where nothing was measured (nothing was lost).
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

// The factor that a program without parallelism would add: `sequential_ns`, the time of the best
// sequential program, over the time in tasks. REQUIRES: sequential_ns > 0.
double TaskEfficiency(const Efficiency& efficiency, int64_t sequential_ns);

}  // namespace tasklens
