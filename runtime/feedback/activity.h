// SPDX-License-Identifier: Apache-2.0
// What a worker is doing, and for how long it has: the numbers behind
// starpu_profiling_worker_get_info().
//
// A worker does one thing at a time, but a thing may count as two: in a callback that runs inside a
// task it executes as well. A row of kActivities says under which of the five headings an activity
// counts: in the split view under one, in the view of all under each that is true.
#pragma once

#include <starpu.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "runtime/support/sync.h"

namespace tasklens::runtime {

enum class Activity : uint8_t {
  kOverhead,
  kScheduling,      // asks the policy, which has a task
  kSearching,       // asks the policy again and again, which has none
  kSleeping,        // is asleep until there is one
  kWaiting,         // has a task whose data are not in place yet
  kExecuting,       // runs the function
  kCallback,        // runs a callback of the program
  kCallbackInTask,  // the same, that the function's own calls made due
  kCount,
};
inline constexpr size_t kActivityCount = static_cast<size_t>(Activity::kCount);

// The headings, as bits; kOverheadHeading is what is left of the total.
enum Heading : uint8_t {
  kExecutingHeading,
  kCallbackHeading,
  kWaitingHeading,
  kSleepingHeading,
  kSchedulingHeading,
  kHeadingCount,
  kOverheadHeading = kHeadingCount,
};

// Times by heading. The five of `split` and `overhead_ns` add up to `total_ns`.
struct WorkerTimes {
  uint64_t start_ns = 0;
  uint64_t total_ns = 0;
  uint64_t split_ns[kHeadingCount] = {};
  uint64_t all_ns[kHeadingCount] = {};
  uint64_t overhead_ns = 0;
  uint64_t tasks = 0;
  double flops = 0;
};

class ActivityClock {
 public:
  // Enters an activity and returns the one before. The worker's own thread only. Reads no clock
  // while it is off.
  Activity Enter(Activity activity) {
    const Activity before = activity_.load(std::memory_order_relaxed);
    if (on_.load(std::memory_order_relaxed)) [[unlikely]] {
      Switch(activity);
    } else {
      activity_.store(activity, std::memory_order_relaxed);
    }
    return before;
  }
  // A task has run. The worker's own thread only.
  void CountTask(double flops);

  // From any thread. Turning it on begins a new interval, unless it is on already.
  void TurnOn();
  void TurnOff();
  // The interval so far; a new one begins if `restart`.
  WorkerTimes Read(bool restart);
  // What a callback that begins now counts as.
  Activity CallbackNow() const {
    const Activity now = activity_.load(std::memory_order_relaxed);
    const bool in_task = now == Activity::kExecuting || now == Activity::kCallbackInTask;
    return in_task ? Activity::kCallbackInTask : Activity::kCallback;
  }

 private:
  void Switch(Activity activity);
  // Books the time since the last change. REQUIRES: lock_, on_.
  void Book(uint64_t now_ns) REQUIRES(lock_);

  std::atomic<bool> on_{false};
  std::atomic<Activity> activity_{Activity::kOverhead};
  Mutex lock_;  // guards what follows
  uint64_t start_ns_ = 0, stop_ns_ = 0, since_ns_ = 0;
  uint64_t spent_ns_[kActivityCount] GUARDED_BY(lock_) = {};
  uint64_t tasks_ GUARDED_BY(lock_) = 0;
  double flops_ GUARDED_BY(lock_) = 0;
};

// An activity for the time of a block.
class Doing {
 public:
  Doing(ActivityClock& clock, Activity activity) : clock_(clock), before_(clock.Enter(activity)) {}
  ~Doing() { clock_.Enter(before_); }
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

 private:
  ActivityClock& clock_;
  const Activity before_;
};

}  // namespace tasklens::runtime
