// SPDX-License-Identifier: Apache-2.0
// The progress of a running program: how many tasks ran and for how long, the cost of its lines,
// and what its workers did since its trace was last read as a whole. A look reads only what the
// program has recorded since the last one, so it costs the same however long the program has run.
// Reading the whole trace (live_traces.h) costs more each time.
//
// Only trace files of our own format are followed. The numbers equal those of a model that is read
// from the whole files at the same moment, but the stretches of workers are coarser.
//
// Threads: any; a mutex serializes the calls.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

// Times use the clock of the model that was passed to Look().
struct RunProgress {
  struct Line {
    std::string file, function;
    uint32_t line;
    uint64_t tasks;
    int64_t total_ns;
  };
  // Tasks of a worker, ordered by time. Adjacent short tasks are merged into one stretch, which has
  // the name of the longest.
  struct Stretch {
    int64_t start_ns, end_ns;
    int64_t busy_ns;  // time in tasks; the rest of the stretch is between them
    uint32_t name;    // index into `names`
    uint32_t count;   // number of tasks
  };
  struct Worker {
    uint32_t worker;  // row of model.workers
    std::vector<Stretch> stretches;
  };

  bool is_behind = false;  // the files hold more data than was read
  int64_t end_ns = 0;      // end of the last event
  int64_t span_ns = 0;     // see RunSummary
  uint64_t tasks = 0, ran = 0;
  int64_t busy_ns = 0;
  std::vector<Line> lines;
  std::vector<Worker> workers;
  std::vector<std::string> names;
};

class LiveProgress {
 public:
  // `paths` as for LoadTrace(). The constructor reads nothing.
  explicit LiveProgress(std::vector<std::string> paths);
  ~LiveProgress();

  // Reads the new data and returns the progress of the run. `model` was read from the same files.
  // The answer has the stretches of workers that ended after `from_ns` (on the model's clock), and
  // leaves out ranks and workers that the model does not have. Stretches that ended before the last
  // two distinct values of `from_ns` are dropped: a viewer may be one reading of the whole trace
  // behind another.
  Result<RunProgress> Look(const TraceModel& model, int64_t from_ns);

 private:
  class File;

  Status ReadNew();

  const std::vector<std::string> paths_;
  std::mutex mutex_;                                    // guards the members below
  std::map<std::string, std::unique_ptr<File>> files_;  // by path
  std::chrono::steady_clock::time_point read_at_{};
  int64_t latest_from_ns_ = 0, from_ns_before_ = 0;  // from earlier calls
};

}  // namespace tasklens
