// SPDX-License-Identifier: Apache-2.0
// The data shared by the rules of advice, computed once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/advice.h"
#include "analysis/bounds.h"
#include "analysis/chain_causes.h"
#include "analysis/critical_path.h"
#include "analysis/efficiency.h"
#include "analysis/idle.h"
#include "analysis/list_schedule.h"
#include "analysis/message_waits.h"
#include "analysis/rules/copies_of_data.h"
#include "analysis/rules/fellows.h"
#include "analysis/rules/slow_worker.h"
#include "analysis/rules/submission_loss.h"
#include "trace/model/trace_model.h"

namespace tasklens {

inline bool IsDevice(WorkerArch arch) {
  return arch != WorkerArch::kCpu && arch != WorkerArch::kUnknown;
}

// With this number of tasks, averages are meaningful.
inline constexpr uint64_t kManyTasks = 20;

// Any scheduler needs one or two microseconds to give a task to a worker. If tasks are not much
// longer, some of them always wait for it while workers are free, whatever the policy.
inline constexpr int64_t kTinyTaskNs = 5'000;

// The tasks of one submission site (the last row: those without one) and the idle time before each
// of them.
struct SiteLoss {
  uint32_t site = kNone;
  uint64_t tasks = 0;  // that ran
  int64_t task_ns = 0;
  CauseTimes cause_ns{};
  // Callback functions that workers ran after one of these tasks, outside of tasks.
  uint64_t callbacks = 0;
  int64_t callbacks_ns = 0;
  // The part of cause_ns[kTransfer] for messages.
  int64_t messages_ns = 0;

  int64_t Of(IdleCause cause) const { return cause_ns[static_cast<size_t>(cause)]; }
  bool HasTinyTasks() const {
    return tasks >= kManyTasks && task_ns / static_cast<int64_t>(tasks) < kTinyTaskNs;
  }
  // The runtime's time without callbacks.
  int64_t OverheadNs() const {
    return std::max<int64_t>(Of(IdleCause::kRuntime) - callbacks_ns, 0);
  }
};

// The runtime's overhead for a task is at most this: a longer time means that it was interrupted,
// or did something else, such as freeing memory.
inline constexpr int64_t kMostOverheadNs = 100'000;

// A task of the observed critical path that took much longer than others of its codelet.
struct OutlyingTask {
  uint32_t task = kNone;
  int64_t length_ns = 0, usual_ns = 0;  // the median of the others
  int64_t cost_ns = 0;

  int64_t BeyondNs() const { return length_ns - usual_ns; }
};

// Returns the speed of each worker relative to the fastest kind of worker, 0..1, from the durations
// of codelets on both; 1 if no codelet is known on both. An hour of a CPU that is twenty times
// slower than the GPU beside it is three minutes of GPU time: no more can be gained from it.
std::vector<double> WorthOfWorkers(const TraceModel& model);

struct AdviceContext {
  // Both must outlive this.
  AdviceContext(const TraceModel& trace, const IdleReport& idle_report, Stop stop = nullptr);

  const TraceModel& model;

 private:
  std::optional<IdleReport> weighted_;

 public:
  // Causes and busy time in time of the fastest kind of worker (WorthOfWorkers()); their dates are
  // unchanged.
  const IdleReport& idle;
  Efficiency whole;
  std::vector<SiteLoss> sites;  // those with tasks that ran
  SubmissionLoss submission;
  CriticalPath path;
  LongestChain chain;
  MessageWaits message_waits;
  ChainCauses chain_causes;      // if the chain is a large part of the run
  ListSchedule good_order;       // if waiting for work is worth reporting
  ListSchedule order_of_run;     // if a good order is worth reporting, and the program gave no
                                 // priorities
  Reloads reloads;               // if waiting for data is worth reporting
  std::vector<AreaBound> areas;  // by rank row
  std::vector<Fellows> fellows;  // FellowsOf()
  SlowWorker slow_worker;
  // For each processor with several CPU workers bound to it: those that ran tasks.
  std::vector<std::vector<uint32_t>> sharing;
  OutlyingTask outlier;        // the costliest, if worth reporting
  std::vector<Span> windows;   // RunWindows(), by rank row
  int64_t span_ns = 0;         // the longest of them
  int64_t above_bound_ns = 0;  // how much that exceeds the lower bound of any schedule
  int64_t above_area_ns = 0;   // the same for the bound without dependencies
  int64_t workers = 0;         // measured, and able to run some of the tasks
  double wanted_workers = 1;   // how many of these had work that they could do, on average
  uint64_t tasks = 0;          // that ran
  std::string scheduler;       // "" unknown
  std::string runtime;         // that recorded the trace; "" unknown

  // Converts worker time to time of the run.
  int64_t RunNs(int64_t worker_ns) const {
    return static_cast<int64_t>(static_cast<double>(worker_ns) / wanted_workers);
  }
  bool WorthSaying(int64_t cost_ns) const {
    return cost_ns > 0 &&
           static_cast<double>(cost_ns) >= kWorthSaying * static_cast<double>(span_ns);
  }
  double ShareOfRun(int64_t cost_ns) const {
    return span_ns > 0 ? static_cast<double>(cost_ns) / static_cast<double>(span_ns) : 0;
  }
  // Describes a piece of data for people, with a suffix if others have the same description.
  std::string DataText(uint32_t handle) const;
  // Returns the site whose tasks lost most to `cause`; nullptr if none lost anything.
  const SiteLoss* WorstSite(IdleCause cause) const;
  // Returns how long workers had no ready task because of missing parallelism. Time in which a
  // ready task is kept from a worker, or waits for its data, and others wait for that task, does
  // not count.
  int64_t NothingReadyNs() const;
  // The cost of the slow worker, computed like that of an outlying task: the run may depend on it.
  // 0: there is none.
  int64_t SlowWorkerCostNs() const {
    return std::min(slow_worker.beyond_ns, RunNs(whole.no_work_ns + slow_worker.beyond_ns));
  }
  // Returns a finding of that cost, with its severity. The cost is limited to the length of the
  // run.
  Finding Make(int64_t cost_ns, uint32_t site, std::string message,
               std::vector<Evidence> evidence) const;
  // Lowers the costs of findings[first...] to the limit, and removes those that are then not worth
  // reporting.
  void LimitCosts(CostLimit limit, std::vector<Finding>& findings, size_t first) const;

 private:
  AdviceSeverity SeverityOf(int64_t cost_ns) const;
};

// The rules: one function for each row of advice_rules.inc.
#define RULE(Name, id, limit, summary) \
  void Find##Name(const AdviceContext& context, std::vector<Finding>& findings);
#include "analysis/advice_rules.inc"
#undef RULE

}  // namespace tasklens
