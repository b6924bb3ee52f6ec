// SPDX-License-Identifier: Apache-2.0
// Hardware counters of tasks on CPUs, read through PAPI (STARPU_PROF_PAPI_EVENTS). PAPI's library
// is loaded only if counters are asked for, so other programs do not need it.
//
// Threads: functions with a worker's number are called by that worker's thread; the others by any.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace tasklens::runtime {

struct Papi;

class HardwareCounters {
 public:
  // Returns nullptr if the variable is not set, or no event can be counted; prints a warning for
  // each event that cannot. `workers`: the number of workers.
  static std::unique_ptr<HardwareCounters> FromEnvironment(size_t workers);
  ~HardwareCounters();

  // PAPI's codes of the counted events, in the order of the variable.
  std::span<const int> codes() const { return codes_; }

  // Starts to count, before a task's function.
  void Begin(int worker);
  // Returns the counts since Begin(), one per code; empty if this worker cannot count.
  std::span<const long long> End(int worker);
  // Returns PAPI's event set of this worker.
  int EventSetOf(int worker) const { return workers_[static_cast<size_t>(worker)].event_set; }
  // Called before the worker's thread ends, or another thread becomes the worker.
  void Leave(int worker);

 private:
  struct OfWorker {
    int event_set = -1;  // PAPI_NULL
    bool counts = false, was_asked = false;
    std::vector<long long> values;
  };
  HardwareCounters(const Papi& papi, std::vector<int> codes, size_t workers);
  void Start(OfWorker& worker);

  const std::unique_ptr<const Papi> papi_;
  const std::vector<int> codes_;
  std::vector<OfWorker> workers_;
};

}  // namespace tasklens::runtime
