// SPDX-License-Identifier: Apache-2.0
// How long workers had nothing to do because a message had not arrived, and what the rank that
// sends did meanwhile.
//
// A pause of a worker is put down to the message that its next task waited for last: its own, or
// one that a task of the same rank waited for on which that task depends, and so on back. The part
// of the pause before the arrival of that message waited for it.
//
// The *producer* is the task that ran last of those that the message was sent for. By what became
// of it, a wait has five parts, one after the other:
//
//   before      the producer waited for others itself, or was not submitted
//   queued      it could run, and its rank ran others
//   running     it ran
//   unsent      it had ended, the message was not sent
//   travelling  from sending to arrival
//
// Without a producer in the trace, all before the sending is `before`.
//
// Pure; any thread. O(tasks + dependencies + messages + pauses) and 4 bytes a task.
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
  uint32_t consumer = kNone;  // the task of the receiving rank that the message was for
  int64_t before_ns = 0, queued_ns = 0, running_ns = 0, unsent_ns = 0, travelling_ns = 0;

  int64_t wait_ns() const { return before_ns + queued_ns + running_ns + unsent_ns + travelling_ns; }
};

struct MessageWaits {
  std::vector<MessageWait> waits;  // that somebody waited for, in order of their messages
  // By row of idle.pauses, for how long its message was under way; empty: there are no messages.
  std::vector<int64_t> travelling_ns;
};

// All arguments are of one model.
MessageWaits WaitsForMessages(const TraceModel& model, const Waits& waits, const IdleReport& idle,
                              Stop stop = nullptr);

}  // namespace tasklens
