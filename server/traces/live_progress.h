// SPDX-License-Identifier: Apache-2.0
// How far a program has come that still runs: how many tasks, for how long, what its lines cost,
// and what its workers did since its trace was last read as a whole. To know this a few times a
// second costs what the program records meanwhile, however long it has run already, where reading
// the trace as a whole (live_traces.h) costs more each time.
//
// Only our own trace files are followed. Numbers are those of the model that a reading of the whole
// would give at the same moment; stretches of workers are coarser.
//
// Threads: any; callers wait for each other.
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

// Times are those of the model that was asked with.
struct RunProgress {
  struct Line {
    std::string file, function;
    uint32_t line;
    uint64_t tasks;
    int64_t total_ns;
  };
  // Tasks of a worker, by time. Short ones side by side are one stretch with the longest's name.
  struct Stretch {
    int64_t start_ns, end_ns;
    int64_t busy_ns;  // in its tasks; the rest of it lies between them
    uint32_t name;    // of `names`
    uint32_t count;   // of tasks
  };
  struct Worker {
    uint32_t worker;  // row of model.workers
    std::vector<Stretch> stretches;
  };

  bool is_behind = false;  // there is more in the files already than was read
  int64_t end_ns = 0;      // of the last event
  int64_t span_ns = 0;     // see RunSummary
  uint64_t tasks = 0, ran = 0;
  int64_t busy_ns = 0;
  std::vector<Line> lines;
  std::vector<Worker> workers;
  std::vector<std::string> names;
};

class LiveProgress {
 public:
  // `paths` as for LoadTrace(). Nothing is read yet.
  explicit LiveProgress(std::vector<std::string> paths);
  ~LiveProgress();

  // Reads what is new and says where the run is now. `model` is a reading of the same files; of
  // workers comes what ended after `from_ns` (of the model's clock). What ended before the last two
  // of these times is not kept: a viewer may be one reading of the whole behind another. Ranks and
  // workers that the model does not know are left out.
  Result<RunProgress> Look(const TraceModel& model, int64_t from_ns);

 private:
  class File;

  Status ReadNew();

  const std::vector<std::string> paths_;
  std::mutex mutex_;                                    // guards what follows
  std::map<std::string, std::unique_ptr<File>> files_;  // by path
  std::chrono::steady_clock::time_point read_at_{};
  int64_t latest_from_ns_ = 0, from_ns_before_ = 0;  // that were asked for
};

}  // namespace tasklens
