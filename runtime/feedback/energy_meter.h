// SPDX-License-Identifier: Apache-2.0
// EnergyMeter: the energy that the processors consume, by their own counters in the system's files
// (RAPL): one counter per package, in microjoules.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

class EnergyMeter {
 public:
  // Starts a measurement. Returns 0; -ENOSYS, with a warning, if there are no readable counters;
  // -EBUSY if a measurement is running.
  int Start();
  // Ends the measurement and sets `joules`. Returns -EINVAL if none is running, otherwise as
  // Start().
  int Stop(double& joules);

  // Adds energy that the program reports. Threads: any.
  void Account(double joules) { accounted_j_.fetch_add(joules, std::memory_order_relaxed); }
  double accounted_j() const { return accounted_j_.load(std::memory_order_relaxed); }

 private:
  struct Counter {
    std::string path;
    uint64_t range_uj;  // the counter wraps to 0 at this value
    uint64_t start_uj;
  };
  Mutex lock_;
  std::vector<Counter> counters_ GUARDED_BY(lock_);  // empty: not running
  std::atomic<double> accounted_j_{0};
};

}  // namespace tasklens::runtime
