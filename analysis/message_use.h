// SPDX-License-Identifier: Apache-2.0
// How long it takes from when data was received until a task uses it there, and from when it was
// sent until a task of the sender uses it again.
//
// The task is the one that starts first of those that have the data and start then or later, on the
// rank in question. (StarPU's starpu_send_recv_data_use.py takes the one that comes first in its
// file.) Messages that no task follows have no use.
//
// Pure functions; any thread. O((accesses + messages) log accesses).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// An end of a message: data at a moment.
struct MessageEnd {
  uint32_t rank;  // as MPI numbers it
  int64_t time_ns;
  uint64_t handle;  // address in that rank; 0: not told
};

// Data that a task has.
struct DataUse {
  uint32_t rank;
  uint64_t handle;
  int64_t start_ns;
  uint32_t task;  // any number
};

struct MessageUse {
  uint32_t end;   // index of the MessageEnd
  uint32_t task;  // of the DataUse
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
