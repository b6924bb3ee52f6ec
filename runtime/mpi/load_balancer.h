// SPDX-License-Identifier: Apache-2.0
// Load balancing between ranks, policy "heat": data go from a rank to that of its neighbours which
// has least to do, as heat goes to what is colder.
//
// Owners change between two tasks of the program, the same two in all ranks: each task has a number
// (its tag, else how many were submitted before it), and whenever that passes a multiple of
// LB_HEAT_SLEEP_THRESHOLD, all ranks stop before it, compare how long their tasks took, and tell
// each other what moves. So all ranks have to submit all tasks, from one thread.
#pragma once

#include <starpu_mpi.h>
#include <starpu_mpi_lb.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace tasklens::mpi {

class LoadBalancer {
 public:
  // Of the process.
  static LoadBalancer& Instance();
  static bool IsOn() { return is_on_.load(std::memory_order_relaxed); }

  // By all ranks. It stays off where it cannot work, after a line that says why.
  void Start(const char* policy, const starpu_mpi_lb_conf* conf);
  // By all ranks, before the data are unregistered, which go back to where they came from.
  void Stop();
  // A task is about to be inserted, in all ranks; number -1: it has no tag.
  void BeforeTask(int64_t number);

 private:
  struct Move {
    int64_t tag;  // of the data
    int64_t new_owner;
  };

  void Balance();
  // Microseconds since the last time until LB_HEAT_WAKEUP_RATIO of our tasks had ended.
  double MeasureLoad();
  std::vector<Move> ChooseMoves(const std::vector<double>& load_us);
  static void Apply(const std::vector<Move>& moves);

  static std::atomic<bool> is_on_;
  starpu_mpi_lb_conf conf_{};
  std::vector<int> neighbors_;
  int64_t tasks_between_ = 0;
  double share_to_await_ = 0;
  double threshold_us_ = 0;
  int64_t submitted_ = 0;
  int64_t phase_ = 0;
  double began_us_ = 0;
};

}  // namespace tasklens::mpi
