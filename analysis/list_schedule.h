// SPDX-License-Identifier: Apache-2.0
// How long the tasks of a run take in a good order, and in the one in which they ran: what of its
// length the dependencies ask for, what their order, and what neither.
//
// A list schedule: whenever a worker is free, it takes, of the tasks that are ready and ran on its
// kind of workers (worker_kinds.h), the first one in the order asked for. Every task takes as
// long as it did, every message arrives as long after its data were made as it did, and a task is
// ready when all is there that it waited for (waits.h); the program, the runtime and copies take no
// time. With the longest chain first it is a schedule that can be had, mostly near the shortest,
// not a bound.
//
// Pure; any thread. O((tasks + dependencies) log tasks).
#pragma once

#include <cstdint>

#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class ListOrder {
  kLongestChain,  // the task with the longest chain behind it first
  kOfTheRun,      // the one that started first
};

struct ListSchedule {
  int64_t span_ns = 0;
  // What no schedule of the same tasks on the same kinds of workers is shorter than if none waited
  // for another: the longest task, or all of a kind shared evenly among its workers.
  int64_t independent_ns = 0;
};
// A parallel task counts on its first worker only.
ListSchedule ScheduleByList(const TraceModel& model, Stop stop = nullptr,
                            ListOrder order = ListOrder::kLongestChain);

}  // namespace tasklens
