// SPDX-License-Identifier: Apache-2.0
// The clock that people read: zero is the first submission. In tables, files and messages a moment
// is counted from the first event of the trace (trace_model.h), which is before the program has
// done anything; every text, axis and option of ours counts from here.
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
  // What happened at zero. Of tasks that ran, where one did: so that the span (RunWindows() in
  // task_times.h) is from zero to the last end. Acquisitions of data by the program do not count.
  enum class Zero : uint8_t {
    kFirstSubmission,
    kFirstTask,   // no submission was recorded before it
    kFirstEvent,  // there is no task
  };

  explicit RunClock(const TraceModel& model);  // O(tasks)

  int64_t zero_ns() const { return zero_ns_; }  // in the model's time
  Zero zero() const { return zero_; }
  std::string_view ZeroText() const;  // "the first submission"

  // Model times as people read them: "1.2 ms", "-31.8 ms" before zero. To the nearest step of
  // StepNs(about_ns), trailing zeros left out; exact, where no length is given.
  std::string Text(int64_t at_ns) const;
  std::string Text(int64_t at_ns, int64_t about_ns) const;
  // "1.204 ms to 1.31 ms", both rounded into the stretch: who asks for what is at either of them
  // (the end is not part of a stretch) is told of this stretch.
  std::string Text(Span stretch) const;

  // The model time of "1.5us", "-2 ms", "0.1s"; kInvalidArgument for a number without a unit.
  Result<int64_t> Parse(std::string_view text) const;

 private:
  int64_t zero_ns_ = 0;
  Zero zero_ = Zero::kFirstEvent;
};

// By how much moments may be rounded where a length of `about_ns` is looked at: a power of ten that
// is a thousandth of it or less, at least 1.
int64_t StepNs(int64_t about_ns);

// A time from zero, in the unit of `unit_of_ns` ("ms" for 1500000), without trailing zeros.
// REQUIRES: step_ns is a power of ten; ns a multiple of it, or what is finer is rounded off.
std::string MomentText(int64_t ns, int64_t step_ns, int64_t unit_of_ns);

}  // namespace tasklens
