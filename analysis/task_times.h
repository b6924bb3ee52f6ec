// SPDX-License-Identifier: Apache-2.0
// When a task was submitted, ready and taken, as far as the trace knows, and the stretch of time in
// which a run is measured. What does not follow from the trace is not claimed.
//
// Pure functions of a const TraceModel; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// A half-open stretch of time.
struct Span {
  int64_t begin_ns = 0, end_ns = 0;
  int64_t length_ns() const { return end_ns - begin_ns; }
};

// For each rank row: from the first submission (or start) of a task that ran to the last end of one
// (acquisitions of data by the program do not count). This is what "span" means everywhere. Ranks
// on one clock share the window of the whole run, so that a rank that waits for another is seen to
// wait. Empty (0, 0) where nothing ran.
std::vector<Span> RunWindows(const TraceModel& model);

// For each worker row: the part of its rank's window (`windows` of RunWindows()) in which it was
// there to work: from when it was ready until it stopped, as far as the trace says so.
std::vector<Span> MeasuredSpans(const TraceModel& model, const std::vector<Span>& windows);

// submit <= ready <= taken <= start for tasks that ran. kNever: not known, or it never came to
// that.
struct TaskTimes {
  int64_t submit_ns;  // handed to the runtime
  int64_t ready_ns;   // all that it depends on had ended
  int64_t taken_ns;   // a worker took it: from here on no other worker could
  int64_t start_ns, end_ns;
};

// Whether the trace says what tasks waited for. Formats of states and events (Paraver, Paje) have
// neither dependencies nor the moment when a task was ready; their readers say so.
bool TellsReadiness(const TraceModel& model);

// Where `ready` was not recorded it is the last end of a dependency, not before `submit`; of one
// that is no execution, as an acquisition of data, when it was done; where there is none of these
// either, or the trace does not tell them, `start`: then nobody is said to have kept the task
// waiting.
TaskTimes TimesOf(const TraceModel& model, uint32_t task);

}  // namespace tasklens
