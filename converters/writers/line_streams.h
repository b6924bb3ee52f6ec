// SPDX-License-Identifier: Apache-2.0
// Writes a text file in order of time by merging sorted streams, without sorting the whole.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// Lines of one subject in time order.
class LineStream {
 public:
  static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  virtual ~LineStream() = default;
  // The time of the next line, never less than that of the line before; kEnd: there is none.
  int64_t next_ns() const { return next_ns_; }
  // Writes the next line, or a few of the same time. REQUIRES: next_ns() != kEnd.
  virtual void Emit() = 0;

 protected:
  int64_t next_ns_ = kEnd;
};

using LineStreams = std::vector<std::unique_ptr<LineStream>>;

// Writes the lines of all streams in order of time; at equal times in order of the streams.
void MergeStreams(const LineStreams& streams);

// Replays the states of one row of the timeline on a stack: a state of depth 0 is set, a deeper one
// is pushed, and a state that nothing replaces is popped. "Nothing" is the absence of a state,
// unless its file gives it a name; states of length 0 are skipped unless they are tasks.
class StateCursor {
 public:
  enum class Action : uint8_t { kSet, kPush, kPop };

  // REQUIRES: `model` has its states (kPartStates).
  StateCursor(const TraceModel& model, uint32_t track);

  // LineStream::kEnd: there is no further action, and no other function may be called.
  int64_t time_ns() const { return time_ns_; }
  Action action() const { return action_; }
  uint32_t row() const { return row_; }  // of states; REQUIRES: not kPop
  // Whether this pop ends a state that was set: nothing is known of the row afterwards. REQUIRES:
  // kPop.
  bool EndsSet() const { return open_.back().depth == 0; }
  // Whether this is the pop of the last state of the row.
  bool IsLast() const { return row_ >= end_row_ && open_.size() == 1; }
  void Next();

 private:
  struct Open {
    int64_t end_ns;
    uint8_t depth;
  };
  void FindRow();
  void Find();

  const StateTable& states_;
  uint32_t row_, end_row_;
  int64_t row_start_ns_ = 0;  // of row_, unless at the end
  Open next_{};
  std::vector<Open> open_;
  Action action_ = Action::kSet;
  int64_t time_ns_ = std::numeric_limits<int64_t>::min();
};

}  // namespace tasklens
