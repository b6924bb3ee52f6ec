// SPDX-License-Identifier: Apache-2.0
// The time from the receipt of data to its first use by a task there, and from its sending to the
// next use by a task of the sender.
//
// The task is the first to start of those on this rank that use the data and start at this time or
// later. (StarPU's starpu_send_recv_data_use.py takes the first in its file.) A message without
// such a task has no use.
//
// Pure functions; any thread. O((accesses + messages) log accesses).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// An end of a message: data at a time.
struct MessageEnd {
  uint32_t rank;  // as MPI numbers it
  int64_t time_ns;
  uint64_t handle;  // address in that rank; 0: unknown
};

// Data that a task uses.
struct DataUse {
  uint32_t rank;
  uint64_t handle;
  int64_t start_ns;
  uint32_t task;  // a number chosen by the caller
};

struct MessageUse {
  uint32_t end;   // index of the MessageEnd
  uint32_t task;  // task of the DataUse
  int64_t time_ns, until_ns;
  int64_t wait_ns() const { return until_ns - time_ns; }
};
// In the order of `ends`. Sorts `uses`.
std::vector<MessageUse> UsesAfter(std::span<const MessageEnd> ends, std::vector<DataUse>& uses);

struct MessageUses {
  std::vector<MessageUse> received, sent;  // `task`: rows of tasks; `end`: rows of messages
  uint64_t messages = 0;                   // with both ends
};
MessageUses UsesOfMessages(const TraceModel& model);

}  // namespace tasklens
