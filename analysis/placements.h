// SPDX-License-Identifier: Apache-2.0
// How long tasks of a codelet take on each kind of worker (worker_kinds.h).
//
// Codelets are told apart by name and footprint where the trace has footprints for all tasks of the
// rank, else by name. A kind on which none ran has a length where the trace tells what performance
// models expected of tasks there.
//
// Pure; any thread. O(tasks log kinds).
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "analysis/stop.h"
#include "analysis/worker_kinds.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Tasks of a codelet on a kind of worker: as they ran, and in the best case.
struct Placement {
  StringId codelet;
  uint32_t footprint;  // 0 where codelets are told apart by name only
  WorkerKind kind;
  uint64_t ran = 0;
  double mean_ns = 0;     // worker time, of all workers of a parallel task; assumed where none ran
  double best = 0;        // how many should have run there
  bool expected = false;  // mean_ns is what models expected: none ran there
};

// By rank row; each by (codelet, footprint, kind), best = ran. `kinds`: WorkerKinds(model).
std::vector<std::vector<Placement>> Placements(const TraceModel& model,
                                               const std::vector<WorkerKind>& kinds,
                                               Stop stop = nullptr);

// What a task would take on the fastest kind of worker: as long as it did where it ran on that,
// else the mean there if that is less. With one kind of worker nothing is computed and nothing
// kept.
class FastestLengths {
 public:
  explicit FastestLengths(const TraceModel& model, Stop stop = nullptr);  // which must outlive it
  // REQUIRES: the task ran and ended.
  int64_t operator()(uint32_t task) const;

 private:
  struct Fastest {
    WorkerKind kind;
    double mean_ns;
  };
  const TraceModel& model_;
  std::vector<WorkerKind> kinds_;  // by worker
  std::vector<bool> footprints_;   // by rank: whether codelets are told apart by them
  // By rank, codelet and footprint.
  std::map<std::tuple<uint32_t, StringId, uint32_t>, Fastest> fastest_;
};

// What tasks take on each kind of worker. With one kind nothing is computed and nothing kept.
class LengthsByKind {
 public:
  // `kinds`: WorkerKinds(model).
  LengthsByKind(const TraceModel& model, const std::vector<WorkerKind>& kinds,
                Stop stop = nullptr);  // the model must outlive it
  // With one kind of worker.
  bool empty() const { return means_ns_.empty(); }
  // The mean of tasks like this one; 0: not known. REQUIRES: the task ran.
  double operator()(uint32_t task, const WorkerKind& kind) const;

 private:
  const TraceModel& model_;
  std::vector<bool> footprints_;  // by rank: whether codelets are told apart by them
  // By rank, codelet, footprint and kind.
  std::map<std::tuple<uint32_t, StringId, uint32_t, WorkerKind>, double> means_ns_;
};

}  // namespace tasklens
