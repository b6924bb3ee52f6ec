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

// By task, what it would take on the fastest kind of worker: as long as it did where it ran on
// that, else the mean there if that is less. Tasks that ran and ended; else 0.
std::vector<int64_t> FastestLengthsNs(const TraceModel& model, Stop stop = nullptr);

}  // namespace tasklens
