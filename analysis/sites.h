// SPDX-License-Identifier: Apache-2.0
// The cost of each submission site: the table for code lenses, hovers and the summary of a run.
//
// The time of tasks is the length of their runs: a parallel task, which several workers execute
// together, counts once like any other, here, in statistics.h and in graphs; a task that was
// submitted again counts each time. The time of workers is the time of each of them: an execution
// counts for every worker.
//
// Pure functions of a const TraceModel; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

struct SiteCost {
  uint32_t site;         // row of model.sites
  uint64_t tasks = 0;    // submitted there
  uint64_t ran = 0;      // of these, with a start and an end
  uint64_t runs = 0;     // runs of these: more than `ran` if tasks were submitted again
  int64_t total_ns = 0;  // length of the runs
  int64_t min_ns = 0, max_ns = 0;
  std::vector<StringId> names;  // the distinct task names, by id

  int64_t MeanNs() const { return runs ? total_ns / static_cast<int64_t>(runs) : 0; }
};

// One row for each site that has tasks, the costliest first, equals by site.
std::vector<SiteCost> CostBySite(const TraceModel& model);

// Whether the program's author wrote this task: it is not one of the runtime's own (acquisitions,
// synchronisation, names beginning with _starpu_), and more than its job id is known.
bool IsUserTask(const TraceModel& model, uint32_t task);

// The whole run in numbers.
struct RunSummary {
  uint64_t tasks = 0;         // those of IsUserTask()
  uint64_t ran = 0;           // of these, ran to the end
  uint64_t submissions = 0;   // of `tasks`, including repeated submissions
  uint64_t executions = 0;    // of `tasks`, on every worker of parallel ones and every time
  uint64_t no_line = 0;       // of `tasks`, without a known submission site
  uint64_t dependencies = 0;  // the edges of their graph: TaskSelection in graph_view.h
  uint64_t workers = 0;
  uint64_t ranks = 0;
  int64_t span_ns = 0;     // the longest window of a rank: RunWindows() in task_times.h
  int64_t busy_ns = 0;     // time of `tasks`, the base of all shares
  int64_t no_line_ns = 0;  // part of busy_ns in tasks without a known submission site
  int64_t worked_ns = 0;   // time of the workers in tasks, including the runtime's own
  // For the workers that can run any of the tasks: MeasuredSpans() in task_times.h.
  int64_t measured_ns = 0;
  // worked_ns over measured_ns, 0..1; 0 if nothing ran. Equals Efficiency::Total() of efficiency.h,
  // without its factors.
  double Efficiency() const {
    if (measured_ns <= 0) return 0;
    return std::min(1., static_cast<double>(worked_ns) / static_cast<double>(measured_ns));
  }
};
RunSummary Summarize(const TraceModel& model);

}  // namespace tasklens
