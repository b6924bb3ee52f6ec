// SPDX-License-Identifier: Apache-2.0
// Performance counters (starpu_perf_monitoring.h): their values, and who listens.
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

// What a program holds of them.
struct starpu_perf_counter_set {
  int scope;
  uint32_t enabled;  // a bit for each position in the scope
};
struct starpu_perf_counter_listener {
  starpu_perf_counter_set* set;
  void (*callback)(starpu_perf_counter_listener*, starpu_perf_counter_sample*, void*);
  void* argument;  // for the listener itself: StarPU's callbacks are not given it either
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

// One place whose counters can be listened to: the runtime, a worker, a codelet.
struct CounterPlace {
  Mutex lock;  // guards the rest; no listener runs under it
  starpu_perf_counter_listener* listener GUARDED_BY(lock) = nullptr;
  const void* caller GUARDED_BY(lock) =
      nullptr;  // the thread that is calling the listener, as &ThisThread()
  uint64_t news GUARDED_BY(lock) =
      0;  // how often something was counted that the listener was not told
  CounterValue values[kMaxCountersOfScope] GUARDED_BY(lock);  // by position in the scope
};

// Where a task that counts is in its life, kept in its job.
enum class Counted : uint8_t { kNot, kSubmitted, kReady };

class PerfCounters {
 public:
  explicit PerfCounters(size_t workers) : workers_(workers) {}

  // Nothing below Stop() needs to be called while this is false.
  bool on() const { return depth_.load(std::memory_order_relaxed) > 0; }
  void Start() { depth_.fetch_add(1); }
  void Stop() {
    int depth = depth_.load();
    while (depth > 0 && !depth_.compare_exchange_weak(depth, depth - 1)) {
    }
  }

  // A task's life. Tasks of the runtime's own do not count.
  void Submitted(Job* job);
  void Ready(Job* job);
  void Taken(Job* job);
  // `context`: what listeners of that worker are given.
  void Executed(size_t worker, void* context, starpu_codelet* codelet, uint64_t ns);
  // The program waits: the global listener gets a sample.
  void ProgramWaits();

  // From when it returns the listener before it is not running, unless it is who calls this.
  void Listen(CounterPlace& place, starpu_perf_counter_listener* listener);
  CounterPlace& global() { return global_; }
  CounterPlace& worker(size_t id) { return workers_[id]; }
  size_t worker_count() const { return workers_.size(); }
  CounterPlace& codelet(starpu_codelet* codelet);

 private:
  // How many tasks are in a state now, for the peaks.
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
