// SPDX-License-Identifier: Apache-2.0
// How long tasks of a codelet take on each kind of worker (worker_kinds.h).
//
// Codelets are identified by name and footprint if the trace has footprints for all tasks of the
// rank, else by name. A kind on which none ran has a length if the trace has the expectations of
// performance models for it.
//
// Pure; any thread. O(tasks log kinds).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/stop.h"
#include "analysis/worker_kinds.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Tasks of a codelet on a kind of worker: as they ran, and in the optimum.
struct Placement {
  StringId codelet;
  uint32_t footprint;  // 0 if codelets are identified by name only
  WorkerKind kind;
  uint64_t ran = 0;
  double mean_ns = 0;     // worker time, over all workers of a parallel task; expected if none ran
  double best = 0;        // how many should have run there in the optimum
  bool expected = false;  // mean_ns is the models' expectation: none ran there
};

// By rank row; each by (codelet, footprint, kind), best = ran. `kinds`: WorkerKinds(model).
std::vector<std::vector<Placement>> Placements(const TraceModel& model,
                                               const std::vector<WorkerKind>& kinds,
                                               Stop stop = nullptr);

// Calls visit(its placements) for each codelet of a rank.
template <class Visit>
void ForEachCodelet(std::span<const Placement> placements, const Visit& visit) {
  for (size_t i = 0, next = 0; i < placements.size(); i = next) {
    const Placement& first = placements[i];
    for (next = i; next < placements.size() && placements[next].codelet == first.codelet &&
                   placements[next].footprint == first.footprint;)
      ++next;
    visit(placements.subspan(i, next - i));
  }
}

// What identifies the codelet of a task: rank, name, footprint.
using CodeletKey = std::tuple<uint32_t, StringId, uint32_t>;
class CodeletKeys {
 public:
  explicit CodeletKeys(const TraceModel& model);  // must outlive it
  CodeletKey operator()(uint32_t task) const {
    const uint32_t rank = tasks_.rank_index[task];
    return {rank, tasks_.name[task], footprints_[rank] ? tasks_.footprint[task] : 0};
  }

 private:
  const TaskTable& tasks_;
  std::vector<bool> footprints_;  // by rank: whether all of its tasks have footprints
};

// The time of a task on the fastest kind of worker: its own time if it ran there, else the mean
// there if that is less. With one kind of worker nothing is computed or stored.
class FastestLengths {
 public:
  explicit FastestLengths(const TraceModel& model, Stop stop = nullptr);  // must outlive it
  // REQUIRES: the task ran and ended.
  int64_t operator()(uint32_t task) const;

 private:
  struct Fastest {
    WorkerKind kind;
    double mean_ns;
  };
  const TraceModel& model_;
  std::vector<WorkerKind> kinds_;  // by worker
  std::optional<CodeletKeys> key_of_;
  std::map<CodeletKey, Fastest> fastest_;
};

// The time of tasks on each kind of worker. With one kind nothing is computed or stored.
class LengthsByKind {
 public:
  // `kinds`: WorkerKinds(model).
  LengthsByKind(const TraceModel& model, const std::vector<WorkerKind>& kinds,
                Stop stop = nullptr);  // the model must outlive it
  // True with one kind of worker.
  bool empty() const { return means_ns_.empty(); }
  // Returns the mean of tasks like this one; 0: unknown. REQUIRES: the task ran.
  double operator()(uint32_t task, const WorkerKind& kind) const;

 private:
  std::optional<CodeletKeys> key_of_;
  std::map<std::pair<CodeletKey, WorkerKind>, double> means_ns_;
};

}  // namespace tasklens
