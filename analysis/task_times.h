// SPDX-License-Identifier: Apache-2.0
// When a task was submitted, ready and popped by a worker, as far as the trace says, and the window
// of time in which a run is measured. Nothing is guessed.
//
// Pure functions of a const TraceModel; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// A half-open interval of time.
struct Span {
  int64_t begin_ns = 0, end_ns = 0;
  int64_t length_ns() const { return end_ns - begin_ns; }
};

// Returns for each rank row the window from the first submission (or start) of a task that ran to
// the last end of one (acquisitions of data by the program do not count). This is "span"
// everywhere. Ranks on one clock share the window of the whole run, so that the waiting of a rank
// for another is included. Empty (0, 0) if no task ran.
std::vector<Span> RunWindows(const TraceModel& model);

// Returns for each worker row the part of its rank's window (`windows` of RunWindows()) in which it
// was available: from ready to stopped, as far as the trace says.
std::vector<Span> MeasuredSpans(const TraceModel& model, const std::vector<Span>& windows);

// submit <= ready <= taken <= start for tasks that ran. kNever: unknown, or it never happened.
struct TaskTimes {
  int64_t submit_ns;  // passed to the runtime
  int64_t ready_ns;   // all of its dependencies had ended
  int64_t taken_ns;   // a worker took it: after this no other worker could
  int64_t start_ns, end_ns;
};

// Whether the trace says what tasks waited for. Formats of states and events (Paraver, Paje) record
// neither dependencies nor when a task became ready; their readers say so.
bool TellsReadiness(const TraceModel& model);

// If `ready` was not recorded it is the last end of a dependency, but not before `submit`; for a
// dependency that does not execute, such as an acquisition of data, the time when it was done.
// Without dependencies, or if the trace has none, it is `start`, so that no delay is blamed on
// anyone.
TaskTimes TimesOf(const TraceModel& model, uint32_t task);

}  // namespace tasklens
