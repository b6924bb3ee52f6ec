// SPDX-License-Identifier: Apache-2.0
// What the processors consume, by their own counters: one a package, of microjoules, in the
// system's files (RAPL).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

class EnergyMeter {
 public:
  // 0; -ENOSYS, with a line, where there are no counters to read; -EBUSY when it runs.
  int Start();
  // The joules since then; -EINVAL when it does not run, and else as Start().
  int Stop(double& joules);

  // What the program says was used; all threads.
  void Account(double joules) { accounted_j_.fetch_add(joules, std::memory_order_relaxed); }
  double accounted_j() const { return accounted_j_.load(std::memory_order_relaxed); }

 private:
  struct Counter {
    std::string path;
    uint64_t range_uj;  // where it begins at 0 again
    uint64_t start_uj;
  };
  Mutex lock_;
  std::vector<Counter> counters_ GUARDED_BY(lock_);  // empty: it does not run
  std::atomic<double> accounted_j_{0};
};

}  // namespace tasklens::runtime
