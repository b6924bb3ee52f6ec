// SPDX-License-Identifier: Apache-2.0
// The tasks between starpu_bound_start() and stop(), as linear programs are made of them: a value,
// which knows nothing of the runtime. Times are in milliseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tasklens::runtime {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

struct BoundWorker {
  std::string name;
  unsigned node = 0;  // its memory
};

// Tasks of one codelet and footprint, which take equally long.
struct BoundKind {
  std::string name;  // the model's, else the codelet's
  uint32_t footprint = 0;
  uint64_t count = 0;
  std::vector<double> length_ms;  // by worker; kNever: it cannot run there
  bool IsKnown() const;           // it can run somewhere
};

struct BoundTask {
  struct After {
    size_t task = 0;     // of BoundWork::tasks
    uint64_t bytes = 0;  // of data that come from it
  };
  uint64_t id = 0;
  size_t kind = 0;
  int priority = 0;
  std::vector<After> after;
};

struct BoundWork {
  std::vector<BoundWorker> workers;
  std::vector<BoundKind> kinds;
  // Only where dependencies were asked for; in the order of their submission.
  bool with_dependencies = false;
  bool with_priorities = false;
  std::vector<BoundTask> tasks;
  std::vector<std::pair<uint64_t, uint64_t>> tags;  // a tag, and one that it depends on
  // What bytes take from one memory node to another.
  std::function<double(unsigned, unsigned, uint64_t)> transfer_ms;
};

}  // namespace tasklens::runtime
