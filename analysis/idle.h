// SPDX-License-Identifier: Apache-2.0
// Why workers were idle: every nanosecond in which a worker ran no task has exactly one cause.
//
// A worker is measured in MeasuredSpans(): while it was there within its rank's RunWindows(). What
// lies between its tasks is idle time. At a moment of idle time the first of these that holds is
// the cause:
//   1. the worker fetches input or pushes output                                -> kTransfer
//      (kRuntime in a rank with one memory node and no copies: there is nothing to be moved)
//   2. it has taken its next task: while a copy to its memory node is under way -> kTransfer,
//      otherwise                                                                -> kRuntime
//   3. the runtime works on the worker's thread: callback, submission, overhead -> kRuntime
//   4. a ready task that this kind of worker can run waits for a worker         -> kScheduler
//      Of w free workers and t such tasks only min(w, t) could do better: those that have been free
//      longest. Which kinds can run a task: eligible_workers.h. A worker of another kind than the
//      one that ran it counts as long as it would have ended it sooner, by the mean of tasks like
//      it there (placements.h): to keep a task for a GPU is right while a CPU would take longer.
//   5. tasks that this kind of worker can run are submitted and wait for others: while a message to
//      this rank is under way -> kTransfer, otherwise                           -> kNothingReady
//   6. only other kinds of workers can run what is submitted and does not run, or any task of the
//      run, or would end it sooner                                              -> kNothingForIt
//   7. no submitted task is left that does not run                          -> kNothingSubmitted
// Where the trace does not tell what tasks waited for (TellsReadiness()), 4 and 5 cannot be told
// apart                                                                      -> kNotKnown
// nor, where it does not tell submissions either, 7.
// Polling for work (StarPU's Scheduling, Progressing, Sleeping) is no cause by itself: as the
// handbook's "split" view has it, it is overhead only while there are tasks to be scheduled.
// Where the trace has no states of workers but their tasks, 1 and 3 cannot be seen, and are not
// guessed: after a task the builder shows Overhead until the next event, which is then ignored.
//
// Pure; any thread. O((tasks + states) log) time whatever the number of workers; 16 bytes an event
// while it runs, one row for each pause of a worker afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "analysis/task_times.h"
#include "trace/model/trace_model.h"

namespace tasklens {

enum class IdleCause : uint8_t {
  kNothingSubmitted,
  kNothingReady,
  kTransfer,
  kScheduler,
  kRuntime,
  kNotKnown,
  kNothingForIt,
};
inline constexpr size_t kIdleCauses = 7;
// "nothing submitted", "nothing ready", "transfer", "scheduler", "runtime", "not known", "nothing
// for it".
std::string_view IdleCauseName(IdleCause cause);

using CauseTimes = std::array<int64_t, kIdleCauses>;  // by IdleCause

// A pause of a worker, as long as it lasted.
struct IdlePause {
  uint32_t worker;
  int64_t start_ns, end_ns;
  CauseTimes cause_ns;           // adds up to end_ns - start_ns
  uint32_t next_task = kNone;    // what the worker ran next
  IdleCause main_cause() const;  // the one with the largest share, the first of equals
};

struct WorkerTime {
  Span measured;
  int64_t busy_ns = 0, idle_ns = 0;  // add up to measured.length_ns()
  CauseTimes cause_ns{};             // adds up to idle_ns
  // Whether it can run any task of the run (WorkersThatCount()): else it was idle for no reason.
  bool counts = true;
  // Of kNothingReady: while the scheduler kept a ready task from another worker of the rank, or
  // another worker waited for the data of its task.
  int64_t behind_others_ns = 0;
};

struct IdleReport {
  std::vector<WorkerTime> workers;        // by row of model.workers
  std::vector<IdlePause> pauses;          // by worker, then by time
  std::vector<uint32_t> first_of_worker;  // worker w has pauses [first[w], first[w + 1])
};
IdleReport ExplainIdleness(const TraceModel& model, Stop stop = nullptr);

// What all workers did within a stretch of the run: together the time for which they were measured
// in it. Of a pause that an edge of the stretch cuts, the causes are taken to be spread evenly.
// O(workers log pauses + pauses in the stretch).
struct StretchTime {
  int64_t task_ns = 0;
  CauseTimes cause_ns{};
};
StretchTime TimeWithin(const IdleReport& report, Span stretch);

// The pause of `worker` at `time_ns`, nullptr when it ran a task or is not measured then.
const IdlePause* PauseAt(const IdleReport& report, uint32_t worker, int64_t time_ns);

// Where to begin: first the pauses in which a worker could have run tasks longest, which leaves out
// the time with nothing for it. Those of `worker`, or of all (kNone). Points into `report`.
std::vector<const IdlePause*> WorstPauses(const IdleReport& report, uint32_t worker = kNone);

// What a worker did at a moment when it was not idle.
struct NotIdle {
  enum class What : uint8_t { kBusy, kBefore, kAfter };
  What what;              // it ran a task; the run had not begun for it; it was over
  uint32_t task = kNone;  // with kBusy; kNone: the trace does not say which
  Span measured;          // when the worker was there to work
};
// "busy", "before the run", "after the run".
std::string_view NotIdleName(NotIdle::What what);
// REQUIRES: PauseAt(report, worker, time_ns) is nullptr, and the worker is a row of model.workers.
NotIdle WhyNotIdle(const TraceModel& model, const IdleReport& report, uint32_t worker,
                   int64_t time_ns);

}  // namespace tasklens
