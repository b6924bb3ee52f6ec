// SPDX-License-Identifier: Apache-2.0
// Performance counters (starpu_perf_monitoring.h): their values and their listeners.
#pragma once

#include <starpu.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/feedback/catalogue.h"
#include "runtime/jobs/job.h"
#include "runtime/support/sync.h"

// The objects that a program holds.
struct starpu_perf_counter_set {
  int scope;
  uint32_t enabled;  // a bit for each position in the scope
};
struct starpu_perf_counter_listener {
  starpu_perf_counter_set* set;
  void (*callback)(starpu_perf_counter_listener*, starpu_perf_counter_sample*, void*);
  void* argument;  // not passed to the callback, as in StarPU
};

namespace tasklens::runtime {

const Catalogue& CounterCatalogue();

struct CounterValue {
  int64_t integer = 0;
  double real = 0;
};
inline constexpr size_t kMaxCountersOfScope = 5;

}  // namespace tasklens::runtime

struct starpu_perf_counter_sample {
  const starpu_perf_counter_set* set;
  const tasklens::runtime::CounterValue* values;
};

namespace tasklens::runtime {

// The counters of the runtime, of a worker or of a codelet, and their listener.
struct CounterPlace {
  Mutex lock;  // guards the rest; no listener runs under it
  starpu_perf_counter_listener* listener GUARDED_BY(lock) = nullptr;
  // The thread that is calling the listener, as &ThisThread(); nullptr: none.
  const void* caller GUARDED_BY(lock) = nullptr;
  // Number of changes that the listener was not told of yet.
  uint64_t news GUARDED_BY(lock) = 0;
  CounterValue values[kMaxCountersOfScope] GUARDED_BY(lock);  // by position in the scope
};

// The state of a counted task, kept in its job.
enum class Counted : uint8_t { kNot, kSubmitted, kReady };

class PerfCounters {
 public:
  explicit PerfCounters(size_t workers) : workers_(workers) {}

  // The functions below Stop() need not be called while this is false.
  bool on() const { return depth_.load(std::memory_order_relaxed) > 0; }
  void Start() { depth_.fetch_add(1); }
  void Stop() {
    int depth = depth_.load();
    while (depth > 0 && !depth_.compare_exchange_weak(depth, depth - 1)) {
    }
  }

  // Count the stages of a task. The runtime's own tasks are not counted.
  void Submitted(Job* job);
  void Ready(Job* job);
  void Taken(Job* job);
  // `context`: the argument for listeners of that worker.
  void Executed(size_t worker, void* context, starpu_codelet* codelet, uint64_t ns);
  // Called when the program waits: calls the global listener.
  void ProgramWaits();

  // Sets the listener. When it returns, the previous listener is not running, unless the caller is
  // the previous listener.
  void Listen(CounterPlace& place, starpu_perf_counter_listener* listener);
  CounterPlace& global() { return global_; }
  CounterPlace& worker(size_t id) { return workers_[id]; }
  size_t worker_count() const { return workers_.size(); }
  CounterPlace& codelet(starpu_codelet* codelet);

 private:
  // Current number of tasks per state, for the peaks.
  struct Crowd {
    std::atomic<int64_t> submitted{0}, ready{0};
  };
  struct OfCodelet {
    CounterPlace place;
    Crowd crowd;
  };
  OfCodelet& Of(starpu_codelet* codelet);

  std::atomic<int> depth_{0};
  CounterPlace global_;
  Crowd crowd_;
  std::vector<CounterPlace> workers_;
  Mutex codelets_lock_;
  std::unordered_map<starpu_codelet*, std::unique_ptr<OfCodelet>> codelets_
      GUARDED_BY(codelets_lock_);
};

}  // namespace tasklens::runtime
