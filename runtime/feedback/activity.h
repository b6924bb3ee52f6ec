// SPDX-License-Identifier: Apache-2.0
// ActivityClock: the current activity of a worker, and the time spent in each; the numbers behind
// starpu_profiling_worker_get_info().
//
// A worker has one activity at a time, but it may count under two headings: a callback that runs
// inside a task also counts as execution. A row of kActivities lists the headings of an activity:
// exactly one of the five in the split view, all that apply in the view of all.
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
  kSearching,       // asks the policy repeatedly, which has none
  kSleeping,        // sleeps until there is a task
  kWaiting,         // has a task, waits for its data
  kExecuting,       // runs the function
  kCallback,        // runs a callback of the program
  kCallbackInTask,  // the same, triggered by the running function's own calls
  kCount,
};
inline constexpr size_t kActivityCount = static_cast<size_t>(Activity::kCount);

// The headings, as bits; kOverheadHeading is the rest of the total.
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
  // Enters an activity and returns the previous one. Called by the worker's own thread only. Does
  // not read the clock while profiling is off.
  Activity Enter(Activity activity) {
    const Activity before = activity_.load(std::memory_order_relaxed);
    if (on_.load(std::memory_order_relaxed)) [[unlikely]] {
      Switch(activity);
    } else {
      activity_.store(activity, std::memory_order_relaxed);
    }
    return before;
  }
  // Counts an executed task. Called by the worker's own thread only.
  void CountTask(double flops);

  // Called from any thread. TurnOn() starts a new interval, unless profiling is on already.
  void TurnOn();
  void TurnOff();
  // Returns the times of the current interval. `restart`: starts a new one.
  WorkerTimes Read(bool restart);
  // Returns the activity as which a callback that starts now counts.
  Activity CallbackNow() const {
    const Activity now = activity_.load(std::memory_order_relaxed);
    const bool in_task = now == Activity::kExecuting || now == Activity::kCallbackInTask;
    return in_task ? Activity::kCallbackInTask : Activity::kCallback;
  }

 private:
  void Switch(Activity activity);
  // Adds the time since the last change to the current activity. REQUIRES: lock_, on_.
  void Book(uint64_t now_ns) REQUIRES(lock_);

  std::atomic<bool> on_{false};
  std::atomic<Activity> activity_{Activity::kOverhead};
  Mutex lock_;  // guards what follows
  uint64_t start_ns_ = 0, stop_ns_ = 0, since_ns_ = 0;
  uint64_t spent_ns_[kActivityCount] GUARDED_BY(lock_) = {};
  uint64_t tasks_ GUARDED_BY(lock_) = 0;
  double flops_ GUARDED_BY(lock_) = 0;
};

// Enters an activity while the object lives.
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
