// SPDX-License-Identifier: Apache-2.0
// Assigns exactly one cause to every nanosecond in which a worker ran no task.
//
// A worker is measured in MeasuredSpans(): its life within its rank's RunWindows(). The time
// between its tasks is idle time. At each moment of idle time the cause is the first of these that
// holds:
//   1. the worker fetches input or pushes output                                -> kTransfer
//      (kRuntime in a rank with one memory node and no copies: there are no data to move)
//   2. it has taken its next task: while a copy to its memory node is under way -> kTransfer,
//      otherwise                                                                -> kRuntime
//   3. the runtime works on the worker's thread: callback, submission, overhead -> kRuntime
//   4. a ready task that this kind of worker can run waits for a worker         -> kScheduler
//      Of w free workers and t such tasks only min(w, t) could do better: those that have been free
//      longest. eligible_workers.h says which kinds can run a task. A worker of another kind than
//      the one that ran it counts only while it would have ended it sooner, by the mean of tasks
//      like it there (placements.h): to keep a task for a GPU is right while a CPU takes longer.
//   5. tasks that this kind of worker can run are submitted and wait for others: while a message to
//      this rank is under way -> kTransfer, otherwise                           -> kNothingReady
//   6. all submitted tasks that do not run, or all tasks of the run, can only run on other kinds of
//      workers, or would end sooner there                                       -> kNothingForIt
//   7. no submitted task is left that does not run                          -> kNothingSubmitted
// If the trace does not record what tasks waited for (TellsReadiness()), 4 and 5 cannot be told
// apart                                                                      -> kNotKnown
// and neither can 7, if it does not record submissions either.
// Polling for work (StarPU's Scheduling, Progressing, Sleeping) is not a cause by itself: as in the
// handbook's "split" view, it is overhead only while there are tasks to be scheduled. If the trace
// has no states of workers except their tasks, 1 and 3 cannot be seen and are not guessed: the
// builder shows Overhead from the end of a task to the next event, which is then ignored.
//
// Pure; any thread. O((tasks + states) log) time whatever the number of workers; 16 bytes per event
// while it runs, one row for each pause of a worker afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <span>
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

// The whole time between two tasks of a worker.
struct IdlePause {
  uint32_t worker;
  int64_t start_ns, end_ns;
  CauseTimes cause_ns;           // adds up to end_ns - start_ns
  uint32_t next_task = kNone;    // the worker's next task
  IdleCause main_cause() const;  // the cause with the largest share, the first of equals
};

struct WorkerTime {
  Span measured;
  int64_t busy_ns = 0, idle_ns = 0;  // add up to measured.length_ns()
  CauseTimes cause_ns{};             // adds up to idle_ns
  // Whether it can run any task of the run (WorkersThatCount()); if not, its idle time has no
  // cause.
  bool counts = true;
  // The part of kNothingReady during which the scheduler kept a ready task from another worker of
  // the rank, or another worker waited for the data of its task.
  int64_t behind_others_ns = 0;
};

struct IdleReport {
  std::vector<WorkerTime> workers;        // by row of model.workers
  std::vector<IdlePause> pauses;          // by worker, then by time
  std::vector<uint32_t> first_of_worker;  // worker w has pauses [first[w], first[w + 1])

  // None for a worker that is not in the report.
  std::span<const IdlePause> PausesOf(uint32_t worker) const {
    if (worker + size_t{1} >= first_of_worker.size()) return {};
    return std::span(pauses).subspan(first_of_worker[worker],
                                     first_of_worker[worker + 1] - first_of_worker[worker]);
  }
};
IdleReport ExplainIdleness(const TraceModel& model, Stop stop = nullptr);

// The time of all workers in a stretch of the run, by task and cause; the sum is their measured
// time in it. If an edge of the stretch cuts a pause, its causes are taken to be spread evenly.
// O(workers log pauses + pauses in the stretch).
struct StretchTime {
  int64_t task_ns = 0;
  CauseTimes cause_ns{};
};
StretchTime TimeWithin(const IdleReport& report, Span stretch);

// Returns the pause of `worker` at `time_ns`; nullptr if it ran a task or is not measured then.
const IdlePause* PauseAt(const IdleReport& report, uint32_t worker, int64_t time_ns);

// Returns the pauses of `worker`, or of all workers (kNone), the worst first: those in which it
// could have run tasks longest, so that time with nothing for it does not count. Points into
// `report`.
std::vector<const IdlePause*> WorstPauses(const IdleReport& report, uint32_t worker = kNone);

// The state of a worker at a time when it was not idle.
struct NotIdle {
  enum class What : uint8_t { kBusy, kBefore, kAfter };
  What what;              // it ran a task; the run had not begun for it; the run was over
  uint32_t task = kNone;  // with kBusy; kNone: the trace does not say
  Span measured;          // when the worker was available
};
// "busy", "before the run", "after the run".
std::string_view NotIdleName(NotIdle::What what);
// REQUIRES: PauseAt(report, worker, time_ns) is nullptr, and the worker is a row of model.workers.
NotIdle WhyNotIdle(const TraceModel& model, const IdleReport& report, uint32_t worker,
                   int64_t time_ns);

}  // namespace tasklens
