// SPDX-License-Identifier: Apache-2.0
// How long workers were idle because a message had not arrived, and what the sending rank did
// meanwhile.
//
// A worker's pause is attributed to the message that its next task waited for last: its own
// message, or one of a task of the same rank on which it depends, directly or not. The part of the
// pause before the arrival of that message was spent waiting for it.
//
// The *producer* is the last task to run of those for which the message was sent. A wait is divided
// into five successive parts by the state of the producer:
//
//   before      the producer was not submitted, or waited for other tasks
//   queued      it could run, and its rank ran other tasks
//   running     it ran
//   unsent      it had ended, and the message was not sent yet
//   travelling  from sending to arrival
//
// Without a producer in the trace, all time before the sending is `before`.
//
// Pure; any thread. O(tasks + dependencies + messages + pauses) and 4 bytes per task.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/idle.h"
#include "analysis/stop.h"
#include "analysis/waits.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Worker time, summed over the workers that waited.
struct MessageWait {
  uint32_t message;           // row of messages; both of its ends are known
  uint32_t producer = kNone;  // row of tasks
  uint32_t consumer = kNone;  // the task of the receiving rank that needed the message
  int64_t before_ns = 0, queued_ns = 0, running_ns = 0, unsent_ns = 0, travelling_ns = 0;

  int64_t wait_ns() const { return before_ns + queued_ns + running_ns + unsent_ns + travelling_ns; }
};

struct MessageWaits {
  std::vector<MessageWait> waits;  // waits of at least one worker, in order of their messages
  // By row of idle.pauses: how long its message was under way; empty if there are no messages.
  std::vector<int64_t> travelling_ns;
};

// All arguments must be of one model.
MessageWaits WaitsForMessages(const TraceModel& model, const Waits& waits, const IdleReport& idle,
                              Stop stop = nullptr);

}  // namespace tasklens
