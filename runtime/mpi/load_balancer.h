// SPDX-License-Identifier: Apache-2.0
// Load balancing between ranks with the policy "heat": data move from a rank to its least loaded
// neighbour, as heat flows to colder places.
//
// Owners change between the same two tasks in all ranks. Each task has a number (its tag, else the
// number of tasks submitted before it). Whenever that passes a multiple of LB_HEAT_SLEEP_THRESHOLD,
// all ranks stop before the task, compare how long their tasks took, and exchange the moves of
// data. Therefore all ranks have to submit all tasks, from one thread.
#pragma once

#include <starpu_mpi.h>
#include <starpu_mpi_lb.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace tasklens::mpi {

class LoadBalancer {
 public:
  // Returns the instance of the process.
  static LoadBalancer& Instance();
  static bool IsOn() { return is_on_.load(std::memory_order_relaxed); }

  // Called by all ranks. Stays off, and prints a warning, if it cannot work.
  void Start(const char* policy, const starpu_mpi_lb_conf* conf);
  // Called by all ranks before the data are unregistered: moves the data back to their first
  // owners.
  void Stop();
  // Called in all ranks before a task is inserted. `number` -1: the task has no tag.
  void BeforeTask(int64_t number);

 private:
  struct Move {
    int64_t tag;  // tag of the data
    int64_t new_owner;
  };

  void Balance();
  // Waits until LB_HEAT_WAKEUP_RATIO of this rank's tasks have ended; returns the microseconds
  // since the last balancing.
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
