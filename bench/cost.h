// SPDX-License-Identifier: Apache-2.0
// What a piece of work costs, and a table of such costs.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tasklens {

// Milliseconds by the clock and of this process's processors; the second does not mind other
// programs on the machine.
struct Cost {
  double wall_ms = 0, cpu_ms = 0;
};

inline double NowMs(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

inline Cost CostOf(const std::function<void()>& work) {
  const Cost begin{NowMs(CLOCK_MONOTONIC), NowMs(CLOCK_PROCESS_CPUTIME_ID)};
  work();
  return {NowMs(CLOCK_MONOTONIC) - begin.wall_ms, NowMs(CLOCK_PROCESS_CPUTIME_ID) - begin.cpu_ms};
}

// The best of a few runs: what the code costs, not the neighbours on the machine.
inline Cost BestOf(int runs, const std::function<void()>& work) {
  Cost best = CostOf(work);
  for (int i = 1; i < runs; ++i) {
    const Cost cost = CostOf(work);
    best = {std::min(best.wall_ms, cost.wall_ms), std::min(best.cpu_ms, cost.cpu_ms)};
  }
  return best;
}

// Of each of the two the value that `share` of all costs do not exceed.
inline Cost Quantile(const std::vector<Cost>& costs, double share) {
  const auto quantile = [&](double Cost::*member) {
    std::vector<double> values;
    for (const Cost& cost : costs) values.push_back(cost.*member);
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1,
                           static_cast<size_t>(static_cast<double>(values.size()) * share))];
  };
  return {quantile(&Cost::wall_ms), quantile(&Cost::cpu_ms)};
}

// Prints what was measured, beside what it should be.
class Table {
 public:
  Table(std::string shape, double slower) : shape_(std::move(shape)), slower_(slower) {}

  // `target_ms` is that for a million tasks; 0: none is set.
  void Row(const char* what, Cost cost, double target_ms) {
    std::printf("%-12s %-34s %10.2f ms %10.2f ms cpu", shape_.c_str(), what, cost.wall_ms,
                cost.cpu_ms);
    const double limit_ms = target_ms * slower_;
    if (target_ms > 0)
      std::printf("   target %6.0f ms  %s", limit_ms,
                  cost.wall_ms <= limit_ms  ? "met"
                  : cost.cpu_ms <= limit_ms ? "met by cpu"
                                            : "MISSED");
    std::printf("\n");
    std::fflush(stdout);
  }

 private:
  const std::string shape_;
  const double slower_;  // than with a million tasks: allowed to be
};

}  // namespace tasklens
