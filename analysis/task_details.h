// SPDX-License-Identifier: Apache-2.0
// Everything about one task, for the panel of a view: the fields that ViTE shows for StarPU's chart
// (listed in the handbook's section 4.1.1.2), and fields that ViTE lacks.
//
// Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/run_clock.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct TaskData {
  uint32_t handle = kNone;  // row of model.handles
  uint32_t mode = 0;        // AccessModeBits
  uint64_t size_bytes = 0;
  int64_t numa_nodes = -1;  // a bit per node; -1 unknown
};

struct TaskEstimateOfWorker {
  int32_t worker;  // id within the rank, -1 any
  double length_ns, transfer_ns;
};

struct TaskCounter {
  int64_t code, value;
};

// Times are kNever if unknown. Every other field has a value, or a has_ member that says whether it
// has one.
struct TaskDetails {
  uint32_t task = 0;
  std::string_view value;  // name of the task
  std::string container;   // its worker; "" if it never ran
  std::string_view type;   // "Worker State"; "" if it never ran
  int64_t submit_ns = kNever, ready_ns = kNever, taken_ns = kNever;
  int64_t start_ns = kNever, end_ns = kNever;  // ViTE's "date"
  int64_t duration_ns = kNever;
  bool has_footprint = false;
  uint32_t footprint = 0;
  double gflop = 0;                           // 0: unknown
  int32_t iteration = -1, subiteration = -1;  // -1: none
  uint64_t job = 0;
  uint32_t rank = 0;
  std::vector<std::string_view> parameters;  // "V5x4", in order
  std::vector<TaskData> data;                // in order, with the NUMA nodes
  uint64_t size_bytes = 0;
  uint64_t submit_order = 0;  // 0: none
  bool has_tag = false;
  uint64_t tag = 0;
  // Of the first data that the task writes; as many as they have.
  std::vector<int32_t> coordinates;  // X, Y, ...
  uint32_t rgb = 0;                  // as drawn: the program's colour, or the state's
  bool has_own_rgb = false;
  // Fields that ViTE lacks.
  uint32_t site = kNone;  // row of model.sites
  std::string_view model, arch;
  int32_t priority = 0;
  uint32_t context = 0, memory_node = kNone;
  uint32_t parent = kNone;  // recursive task that contains it
  std::vector<TaskEstimateOfWorker> estimates;
  std::vector<TaskCounter> papi;
  uint64_t predecessors = 0, successors = 0;
};

// REQUIRES: `tasks` are rows of model.tasks, in ascending order.
// O(their data + the estimates and PAPI values of all tasks).
std::vector<TaskDetails> DescribeTasks(const TraceModel& model, std::span<const uint32_t> tasks);
TaskDetails DescribeTask(const TraceModel& model, uint32_t task);

// Returns the fields as text, in the handbook's order, then the others: ("Name", "gemm"),
// ("Worker", "CPU 0"), ("Time", "1.2 ms to 1.5 ms"), ... Times are those of RunClock. A missing
// value is "none" or "unknown"; all tasks have the same fields. `clock`: that of the model.
std::vector<std::pair<std::string_view, std::string>> TaskFields(const TraceModel& model,
                                                                 const TaskDetails& details,
                                                                 const RunClock& clock);
std::vector<std::pair<std::string_view, std::string>> TaskFields(const TraceModel& model,
                                                                 const TaskDetails& details);

}  // namespace tasklens
