// SPDX-License-Identifier: Apache-2.0
// Computes until when a worker of another kind would have ended a ready task sooner than the worker
// that ran it.
//
// Pure; any thread. O(tasks log kinds) to build; with one kind of worker nothing is computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "analysis/eligible_workers.h"
#include "analysis/execution_order.h"
#include "analysis/placements.h"
#include "analysis/stop.h"
#include "analysis/worker_kinds.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// The time until which it would have been better to give a ready task to a free worker of a kind:
// after it, a slower worker would end the task later than the worker for which it was kept.
class BestUntil {
 public:
  BestUntil(const TraceModel& model, const EligibleWorkers& kinds, Stop stop)
      : model_(model), kind_of_(WorkerKinds(model)), lengths_(model, kind_of_, stop) {
    if (lengths_.empty()) return;
    kinds_.resize(kinds.kinds());
    for (uint32_t worker = 0; worker < kind_of_.size(); ++worker)
      kinds_[kinds.KindOf(worker)].insert(kind_of_[worker]);
  }

  bool empty() const { return lengths_.empty(); }
  // Returns kNever if any time would do; also for a parallel task, which is not examined because
  // its workers share it.
  int64_t operator()(uint32_t task, uint32_t kind) const {
    const TaskTable& tasks = model_.tasks;
    if (lengths_.empty() || !Completed(tasks, task) || tasks.last_start_ns[task] != kNever ||
        kinds_[kind].contains(kind_of_[tasks.worker[task]]))
      return kNever;
    double least_ns = 0;
    for (const WorkerKind& one : kinds_[kind])
      if (const double mean_ns = lengths_(task, one); mean_ns > 0)
        least_ns = least_ns > 0 ? std::min(least_ns, mean_ns) : mean_ns;
    return least_ns > 0 ? tasks.end_ns[task] - static_cast<int64_t>(least_ns) : kNever;
  }

 private:
  const TraceModel& model_;
  std::vector<WorkerKind> kind_of_;  // by worker
  LengthsByKind lengths_;
  std::vector<std::set<WorkerKind>> kinds_;  // by kind of EligibleWorkers
};

}  // namespace tasklens
