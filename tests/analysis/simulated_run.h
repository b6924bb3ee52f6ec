// SPDX-License-Identifier: Apache-2.0
// A little scheduler on paper: from tasks and a machine to the trace of a run, for tests that need
// runs with a known fault.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/test_trace.h"

namespace tasklens::testing {

struct SimTask {
  std::string name = "task";
  uint32_t line = 1;  // of "program.c"
  int64_t length_ns = 1000;
  std::vector<size_t> after = {};  // indices of earlier tasks
  int32_t priority = 0;
  std::string model = "model";
  uint64_t handle = 0;                                   // written (RW); 0: none
  std::vector<std::pair<uint64_t, uint32_t>> uses = {};  // more data, with AccessModeBits
  bool gpu = false, cpu = true;                          // where it can run
  int64_t callback_ns = 0;                               // on its worker, after it
  bool barrier = false;  // the program waits for all earlier tasks before it submits this
  double estimate = 0;   // foretold length over the true one; 0: no estimate
};

// What each step of the runtime costs, and what may be wrong with it.
struct SimMachine {
  uint32_t cpus = 4, gpus = 0;
  int64_t submit_ns = 10;     // between two submissions
  int64_t overhead_ns = 10;   // from taking a task to its start
  int64_t fetch_ns = 0;       // fetching its input, before the start
  int64_t keep_ns = 0;        // from ready until a worker may take it
  uint32_t unused = 0;        // so many CPU workers are given nothing
  bool by_priority = true;    // highest priority first, else first come first served
  bool lowest_first = false;  // of these priorities, the wrong way round
  uint32_t processors = 0;    // that the workers are bound to in turns; 0: each to its own
  std::string scheduler = "eager";
  double slow_times = 1;  // the last CPU worker takes so many times as long
  double gpu_times = 1;   // and a GPU
  size_t limit = 0;       // so many tasks are submitted and not ended at most; 0: no limit
};

// Plays `tasks`, submitted in this order from time 0, and records them. More can be added to the
// result. Times are exact: a free worker takes the first task that is ready for it.
TestTrace Simulate(const std::vector<SimTask>& tasks, const SimMachine& machine);

}  // namespace tasklens::testing
