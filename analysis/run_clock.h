// SPDX-License-Identifier: Apache-2.0
// The clock for people: zero is the first submission. In tables, files and messages, time counts
// from the first event of the trace (trace_model.h), before the program has done anything; all our
// texts, axes and options count from here.
//
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/task_times.h"
#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

class RunClock {
 public:
  // The event at time zero. Only tasks that ran count, if there are any, so that the span
  // (RunWindows() in task_times.h) is from zero to the last end. Acquisitions of data by the
  // program do not count.
  enum class Zero : uint8_t {
    kFirstSubmission,
    kFirstTask,   // no submission was recorded before it
    kFirstEvent,  // there is no task
  };

  explicit RunClock(const TraceModel& model);  // O(tasks)

  int64_t zero_ns() const { return zero_ns_; }  // in the model's time
  Zero zero() const { return zero_; }
  std::string_view ZeroText() const;  // "the first submission"

  // Formats model times: "1.2 ms", "-31.8 ms" before zero. Rounded to a multiple of
  // StepNs(about_ns), without trailing zeros; exact if no length is given.
  std::string Text(int64_t at_ns) const;
  std::string Text(int64_t at_ns, int64_t about_ns) const;
  // "1.204 ms to 1.31 ms", both rounded into the stretch, so that a query at either of them (the
  // end is not part of a stretch) is answered with this stretch.
  std::string Text(Span stretch) const;

  // The model time of "1.5us", "-2 ms", "0.1s"; kInvalidArgument for a number without a unit.
  Result<int64_t> Parse(std::string_view text) const;

 private:
  int64_t zero_ns_ = 0;
  Zero zero_ = Zero::kFirstEvent;
};

// Returns the rounding step for times in a view of length `about_ns`: a power of ten that is at
// most a thousandth of it, at least 1.
int64_t StepNs(int64_t about_ns);

// Formats a time from zero in the unit of `unit_of_ns` ("ms" for 1500000), without trailing zeros.
// REQUIRES: step_ns is a power of ten. `ns` is rounded to a multiple of it.
std::string MomentText(int64_t ns, int64_t step_ns, int64_t unit_of_ns);

}  // namespace tasklens
