// SPDX-License-Identifier: Apache-2.0
// Lower bounds on the length of the run.
//
// Area bound of a rank, as StarVZ draws it and StarPU's starpu_bound computes it without
// dependencies: the smallest T for which the tasks fit into the workers' time, whatever their
// order.
//   min T   over n(c, k) >= 0, the number of tasks of codelet c on workers of kind k,
//   for each codelet c:  sum over k of n(c, k)                    = tasks of c
//   for each kind k:     sum over c of n(c, k) * mean_ns(c, k)   <= T * workers of kind k
// with the observed means. A codelet may go only to kinds on which it was seen, or for which a
// performance model expected a time (on others its time is unknown), so a codelet that never ran on
// a GPU is not assumed to run there. With GPUs of different speed (worker_kinds.h) it may also go
// to those where it was not seen, and takes as long there as on the fastest, so that choices the
// scheduler never tried do not raise the bound. n need not be an integer. With one kind of worker T
// is the total time over the number of workers. Codelets are identified by name and footprint if
// all tasks of the trace have footprints, else by name.
//
// A task that ran on several workers at once counts with the time of all of them, on the kind of
// its first worker (StarPU combines only workers of one kind).
//
// Critical-path bound: the longest chain of dependencies (all ranks together), each task with its
// length on the fastest kind of worker known for it (FastestLengths), so that the bound does not
// depend on where tasks ran. More workers do not shorten it; faster tasks do.
//
// Pure; any thread. The linear program has a row for each codelet that ran on several kinds; the
// solver gives up after ten seconds, and the result says so.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/placements.h"
#include "analysis/stop.h"
#include "analysis/task_times.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class BoundStatus : uint8_t {
  kOptimal,
  kEmpty,   // no task ran in this rank: the bound is 0
  kGaveUp,  // the solver did not finish: the bound is 0, which is correct but useless
};

struct AreaBound {
  BoundStatus status = BoundStatus::kEmpty;
  double bound_ns = 0;
  std::vector<Placement> placements;  // by (codelet, footprint, kind)
};

struct Bounds {
  std::vector<AreaBound> area;  // AreaBounds()
  std::vector<Span> windows;    // of each rank: RunWindows()
  int64_t critical_path_ns = 0;
  std::vector<uint32_t> critical_chain;  // the tasks of that path, in order
  int64_t span_ns = 0;                   // length of the run: the longest window
  // The largest of the area bounds and the critical path: no schedule is shorter.
  double best_ns() const;
  // best_ns() over span_ns, 0..1; 1 when nothing ran.
  double BoundOverSpan() const;
};

std::vector<AreaBound> AreaBounds(const TraceModel& model, Stop stop = nullptr);  // by rank row
Bounds ComputeBounds(const TraceModel& model, Stop stop = nullptr);

}  // namespace tasklens
