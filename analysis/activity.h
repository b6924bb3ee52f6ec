// SPDX-License-Identifier: Apache-2.0
// How busy each worker was, and how many tasks there were, over time.
//
// A worker's time is divided into tasks, sleep (the worker had no work), and the rest, which is the
// runtime's own. Pieces also come from files (activity.data) that have them.
//
// Pure function; any thread. O(states + pieces).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

struct ActivityPiece {
  int64_t begin_ns = 0, end_ns = 0;
  int64_t task_ns = 0, sleeping_ns = 0;  // parts of end - begin; their sum is at most that
  int64_t runtime_ns() const { return end_ns - begin_ns - task_ns - sleeping_ns; }
};

struct WorkerActivity {
  std::string name;
  std::vector<ActivityPiece> pieces;  // by time
};

// A number that changes in steps; 0 before the first step.
struct StepCurve {
  std::vector<int64_t> time_ns;
  std::vector<double> value;
};

struct Activity {
  int64_t begin_ns = 0, end_ns = 0;
  std::vector<WorkerActivity> workers;
  StepCurve submitted, ready;  // of all ranks: submitted and not popped yet, ready and not popped
                               // yet
};

// Covers the time from the readiness of the first worker to the end, in `pieces` pieces of equal
// length, for each worker as long as it existed. REQUIRES: pieces > 0.
Activity ActivityOf(const TraceModel& model, uint32_t pieces);

// The sum of several curves.
StepCurve SumOf(const std::vector<const StepCurve*>& curves);

}  // namespace tasklens
