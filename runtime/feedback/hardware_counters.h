// SPDX-License-Identifier: Apache-2.0
// Hardware counters of tasks on CPUs, read by PAPI (STARPU_PROF_PAPI_EVENTS). Its library is loaded
// when somebody asks for counters: programs that want none do without.
//
// Threads: what has a worker's number is called by that worker's thread; the rest by any.
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace tasklens::runtime {

struct Papi;

class HardwareCounters {
 public:
  // nullptr when the variable is not set, or nothing of it can be counted. A line on standard error
  // says what cannot, and why. `workers`: how many there will be.
  static std::unique_ptr<HardwareCounters> FromEnvironment(size_t workers);
  ~HardwareCounters();

  // PAPI's numbers of what is counted, in the order of the variable.
  std::span<const int> codes() const { return codes_; }

  // Around a task's function.
  void Begin(int worker);
  // What was counted since, one value for each of the codes; empty when this worker cannot count.
  std::span<const long long> End(int worker);
  // PAPI's number of what counts for this worker.
  int EventSetOf(int worker) const { return workers_[static_cast<size_t>(worker)].event_set; }
  // The worker's thread ends, or another is the worker from now on.
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
