// SPDX-License-Identifier: Apache-2.0
// Simulates how long the tasks of a run take in a good order, and in the order in which they ran,
// to tell which part of its length is due to dependencies, to the order, and to neither.
//
// A list schedule: whenever a worker is free, it takes the first task, in the given order, that is
// ready and ran on its kind of worker (worker_kinds.h). Tasks and messages take as long as they
// did, a message counting from when its data were produced, and a task is ready when everything
// that it waited for is there (waits.h); the program, the runtime and copies take no time. With the
// longest chain first, the result is a feasible schedule, mostly close to the shortest, but not a
// bound.
//
// Pure; any thread. O((tasks + dependencies) log tasks).
#pragma once

#include <cstdint>

#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class ListOrder {
  kLongestChain,  // the task with the longest chain of successors first
  kOfTheRun,      // the task that started first
};

struct ListSchedule {
  int64_t span_ns = 0;
  // A lower bound for the same tasks on the same kinds of workers without dependencies: the longest
  // task, or all tasks of a kind shared evenly among its workers.
  int64_t independent_ns = 0;
};
// A parallel task counts on its first worker only.
ListSchedule ScheduleByList(const TraceModel& model, Stop stop = nullptr,
                            ListOrder order = ListOrder::kLongestChain);

}  // namespace tasklens
