// SPDX-License-Identifier: Apache-2.0
// What determined the length of the observed run.
//
// The run is a graph of its executed tasks with three kinds of edges: dependencies, including those
// through tasks that did not run; messages, from the task for which a rank sent to the task for
// which another received; and the order in which each worker ran its tasks. Every edge means "not
// before that task has ended" (or its message was received). An edge that contradicts the clock is
// ignored, so the graph has no cycle whatever the input. waits.h has the details.
//
// Pure functions of a const TraceModel, any thread. Time O(n log n + e), memory some 24 bytes per
// task while they run, and as much again for tasks that did not run.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// Why a task on the critical path did not start earlier.
enum class Hold : uint8_t {
  kStart,       // no predecessor: the first of the path
  kDependency,  // its last dependency ended
  kWorker,      // its worker was busy with the previous task
  kSubmission,  // for at least half of the wait it was not submitted yet
  kMessage,     // a message arrived from the rank of the previous step
};
std::string_view HoldName(Hold hold);

struct CriticalStep {
  uint32_t task;
  Hold hold;        // how the previous step delayed it
  int64_t wait_ns;  // from the end of the previous step (or the beginning of the run) to this start
  uint32_t message = kNone;  // row of messages that a step with kMessage waited for
};

struct CriticalPath {
  std::vector<CriticalStep> steps;  // in time order; empty when nothing ran
  int64_t work_ns = 0;              // execution time of the steps
  int64_t wait_ns = 0;              // the rest of the span
};

// The chain that ends with the last task to end: from each task back to the last to end among its
// dependencies, the messages for it and its worker's previous task (even if the task was submitted
// only after that; `hold` then says so). For a message that is the task for which it was sent; its
// transmission is waiting time. work_ns + wait_ns is exactly the span of the run (RunWindows(),
// task_times.h) in which the last task ended: before its first step the chain waits from the
// beginning of the run.
CriticalPath ObservedCriticalPath(const TraceModel& model, Stop stop = nullptr);

// The longest chain of dependencies and messages, with messages of length 0 and each task with its
// time on the fastest kind of worker known for it (FastestLengths of placements.h; with workers of
// one kind the measured time): more workers cannot make the run shorter. `length_ns` is the sum
// over `tasks`, which are in order.
struct LongestChain {
  std::vector<uint32_t> tasks;
  int64_t length_ns = 0;
};
LongestChain LongestDependencyChain(const TraceModel& model, Stop stop = nullptr);

// For each task: how much later it could have ended without delaying the end of the run, with all
// else equal (durations, including those of messages, order on workers, dependencies). kNever for
// tasks that did not run.
std::vector<int64_t> SlackNs(const TraceModel& model, Stop stop = nullptr);

}  // namespace tasklens
