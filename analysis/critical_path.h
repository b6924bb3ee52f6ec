// SPDX-License-Identifier: Apache-2.0
// What the length of the observed run hung on.
//
// The run is seen as a graph of its executed tasks with three kinds of edges: dependencies, also
// those behind tasks that did not run; messages, from what was sent on one rank to what it was
// received for on another; and the order in which each worker ran its tasks. Every edge says "not
// before that has ended" (or was received). An edge that the clock contradicts is left out, so the
// graph has no cycle whatever the input. waits.h says it in full.
//
// Pure functions of a const TraceModel, any thread. Time O(n log n + e), memory some 24 bytes a
// task while they run, as much again for tasks that did not run.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Why a task on the critical path did not start earlier.
enum class Hold : uint8_t {
  kStart,       // nothing before it: the first of the path
  kDependency,  // its last dependency had to end
  kWorker,      // its worker was busy with the task before
  kSubmission,  // for at least half of the wait the program had not submitted it
  kMessage,     // a message had to arrive from the rank of the step before
};
std::string_view HoldName(Hold hold);

struct CriticalStep {
  uint32_t task;
  Hold hold;        // what the step before has to do with it
  int64_t wait_ns;  // from the end of the step before (or of the run's begin) to this start
  uint32_t message = kNone;  // row of messages: what a step held by kMessage waited for
};

struct CriticalPath {
  std::vector<CriticalStep> steps;  // in time order; empty when nothing ran
  int64_t work_ns = 0;              // execution time of the steps
  int64_t wait_ns = 0;              // the rest of the span
};

// The chain that ends with the task that ended last: from each task back to whatever was over last
// among its dependencies, the messages for it and its worker's previous task (also where the task
// was submitted only after that: then the hold says so). Of a message that is the task it was sent
// for; its time under way is waiting. work_ns + wait_ns is exactly the span of the run
// (RunWindows(), task_times.h) in which it ended: before its first step it waited from the begin.
CriticalPath ObservedCriticalPath(const TraceModel& model, Stop stop = nullptr);

// The longest chain of dependencies and messages, messages weighted by nothing and each task by its
// time on the fastest kind of worker that is known for it (FastestLengths of placements.h; with
// workers of one kind the measured time): no number of workers makes this run shorter. `length_ns`
// is the sum over `tasks`, which are in order.
struct LongestChain {
  std::vector<uint32_t> tasks;
  int64_t length_ns = 0;
};
LongestChain LongestDependencyChain(const TraceModel& model, Stop stop = nullptr);

// Per task: by how much its end could have come later without the run ending later, all else
// (durations, also of messages, order on workers, dependencies) equal. kNever for tasks that did
// not run.
std::vector<int64_t> SlackNs(const TraceModel& model, Stop stop = nullptr);

}  // namespace tasklens
