// SPDX-License-Identifier: Apache-2.0
// How short the run could have been at best.
//
// Area bound of a rank, as StarVZ draws it and StarPU's starpu_bound computes it without
// dependencies: the smallest T for which the tasks fit into the workers' time, whatever their
// order.
//   min T   over n(c, k) >= 0, the number of tasks of codelet c on workers of kind k,
//   for each codelet c:  sum over k of n(c, k)                    = tasks of c
//   for each kind k:     sum over c of n(c, k) * mean_ns(c, k)   <= T * workers of kind k
// with the observed means; a codelet may go only where it was seen, or where a performance model
// expected a time of it (elsewhere its time is unknown), so a codelet that never ran on a GPU is
// not assumed to run there. Of unlike GPUs (worker_kinds.h)
// it may go to those where it was not seen as well, and takes as long there as on the fastest: the
// bound is not raised by what the scheduler never tried. n need not be whole. With one kind of
// worker T is the total time over the number of workers. Codelets are told apart by name and
// footprint where the trace has footprints for all of its tasks, else by name.
//
// A task that ran on several workers at once counts with the time of all of them, as one of the
// kind of its first one (StarPU joins workers of one kind only).
//
// Critical-path bound: the longest chain of dependencies (all ranks together), each task as long as
// on the fastest kind of worker that is known for it (FastestLengths): it does not depend on
// where tasks happened to run. No number of workers helps against it; faster tasks do.
//
// Pure; any thread. The linear program has a row for each codelet that ran on several kinds; it is
// given up after ten seconds, and then the answer says so.
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
  kGaveUp,  // the solver did not finish: the bound is 0, which is true and says nothing
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
  int64_t span_ns = 0;                   // what it took: the longest window
  // The largest of the area bounds and the critical path: no schedule is shorter.
  double best_ns() const;
  // best_ns() over span_ns, 0..1; 1 when nothing ran.
  double BoundOverSpan() const;
};

std::vector<AreaBound> AreaBounds(const TraceModel& model, Stop stop = nullptr);  // by rank row
Bounds ComputeBounds(const TraceModel& model, Stop stop = nullptr);

}  // namespace tasklens
