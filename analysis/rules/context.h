// SPDX-License-Identifier: Apache-2.0
// What rules of advice look at, computed once.
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

// So many tasks have averages that mean something.
inline constexpr uint64_t kManyTasks = 20;

// To hand a task to a worker takes any scheduler a microsecond or two. Where tasks are not much
// longer, some of them always wait for that while workers are free, whatever the policy is.
inline constexpr int64_t kTinyTaskNs = 5'000;

// The tasks of one submission site (or without one, the last row) and the idle time that ended with
// one of them.
struct SiteLoss {
  uint32_t site = kNone;
  uint64_t tasks = 0;  // that ran
  int64_t task_ns = 0;
  CauseTimes cause_ns{};
  // Callback functions that workers ran after one of these tasks, outside of tasks.
  uint64_t callbacks = 0;
  int64_t callbacks_ns = 0;
  // Of cause_ns[kTransfer], for messages.
  int64_t messages_ns = 0;

  int64_t Of(IdleCause cause) const { return cause_ns[static_cast<size_t>(cause)]; }
  bool HasTinyTasks() const {
    return tasks >= kManyTasks && task_ns / static_cast<int64_t>(tasks) < kTinyTaskNs;
  }
  // What the runtime did, without callbacks.
  int64_t OverheadNs() const {
    return std::max<int64_t>(Of(IdleCause::kRuntime) - callbacks_ns, 0);
  }
};

// What the runtime does for a task takes no longer: what is above was taken from it, or is
// something else that it does, as making room in memory.
inline constexpr int64_t kMostOverheadNs = 100'000;

// A task of the observed critical path that took far longer than others of its codelet.
struct OutlyingTask {
  uint32_t task = kNone;
  int64_t length_ns = 0, usual_ns = 0;  // the median of the others
  int64_t cost_ns = 0;

  int64_t BeyondNs() const { return length_ns - usual_ns; }
};

// What the time of each worker is worth in that of the fastest kind of worker, 0..1, by how long
// codelets take on both; 1 where none is known on both. An hour of a CPU that is twenty times
// slower than the GPU beside it is three minutes of that: so much could be won of it.
std::vector<double> WorthOfWorkers(const TraceModel& model);

struct AdviceContext {
  // Both must outlive this.
  AdviceContext(const TraceModel& trace, const IdleReport& idle_report, Stop stop = nullptr);

  const TraceModel& model;

 private:
  std::optional<IdleReport> weighted_;

 public:
  // Causes and busy time in that of the fastest kind of worker (WorthOfWorkers()), when is as it
  // was.
  const IdleReport& idle;
  Efficiency whole;
  std::vector<SiteLoss> sites;  // those with tasks that ran
  SubmissionLoss submission;
  CriticalPath path;
  LongestChain chain;
  MessageWaits message_waits;
  ChainCauses chain_causes;      // where the chain is a good part of the run
  ListSchedule good_order;       // where waiting for work is worth saying
  ListSchedule order_of_run;     // where a good order is worth saying, and the program gave none
  Reloads reloads;               // where waiting for data is worth saying
  std::vector<AreaBound> areas;  // by rank row
  std::vector<Fellows> fellows;  // FellowsOf()
  SlowWorker slow_worker;
  // CPU workers that ran tasks, of each processor to which several of them are bound.
  std::vector<std::vector<uint32_t>> sharing;
  OutlyingTask outlier;        // the costliest, if that is worth saying
  std::vector<Span> windows;   // RunWindows(), by rank row
  int64_t span_ns = 0;         // the longest of them
  int64_t above_bound_ns = 0;  // by how much that is longer than any schedule must be
  int64_t above_area_ns = 0;   // the same, if no task waited for another
  int64_t workers = 0;         // that were measured, and can run some of the tasks
  double wanted_workers = 1;   // how many of these had something to be done for them, on average
  uint64_t tasks = 0;          // that ran
  std::string scheduler;       // "" unknown
  std::string runtime;         // that recorded the trace; "" unknown

  // Worker time as time of the run.
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
  // A piece of data, for people: told apart from those that are described alike.
  std::string DataText(uint32_t handle) const;
  // The site whose tasks lost most to `cause`, nullptr when none lost anything.
  const SiteLoss* WorstSite(IdleCause cause) const;
  // For how long workers had nothing ready, for want of parallelism. While a ready task is kept
  // from a worker, or waits for its data, what waits for that task is not.
  int64_t NothingReadyNs() const;
  // What the slow worker costs, as an outlying task does: the run may hang on it. 0: none is.
  int64_t SlowWorkerCostNs() const {
    return std::min(slow_worker.beyond_ns, RunNs(whole.no_work_ns + slow_worker.beyond_ns));
  }
  // A finding of that cost, its severity set. No run can become shorter by more than it took.
  Finding Make(int64_t cost_ns, uint32_t site, std::string message,
               std::vector<Evidence> evidence) const;
  // Lowers the costs of findings[first...] to the limit, and takes away those that are not worth
  // saying then.
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
