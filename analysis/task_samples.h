// SPDX-License-Identifier: Apache-2.0
// Executions of tasks as points of a plot: duration, size of data, time, worker.
//
// Each execution that ended on a known worker is a sample, as each is a line of distrib.data: a
// parallel task has one for each of its workers, and the runtime's own tasks are included. Samples
// also come from files (distrib.data), which have fewer fields.
//
// Pure function; any thread. O(n log n).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/colours/colours.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct TaskSample {
  uint32_t name = 0, worker = 0;  // rows of TaskSamples
  int64_t start_ns = kNever;      // kNever: unknown
  int64_t length_ns = 0;
  uint64_t size_bytes = 0;  // of all data of the task
  uint32_t footprint = 0;
};

struct TaskSamples {
  std::vector<std::string> names;  // of codelets
  std::vector<Paint> paints;       // of each name
  std::vector<std::string> workers;
  std::vector<TaskSample> samples;  // in the order of their ends
};

TaskSamples SamplesOf(const TraceModel& model);

// Returns the samples of these names only, and keeps the table of names. Unknown names are ignored.
TaskSamples SamplesOfNames(const TaskSamples& samples, const std::vector<std::string>& names);

}  // namespace tasklens
