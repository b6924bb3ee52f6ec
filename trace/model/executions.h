// SPDX-License-Identifier: Apache-2.0
// Every execution of every task: those in the table of executions and those in the tasks' own rows.
//
// Threads: as TraceModel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens {

// A worker that executed a task once. A task is submitted, and may be submitted again; each
// submission is carried out by one run, which is one execution or, of a parallel task, one on each
// of its workers. Tasks, submissions, runs and executions are different counts.
struct Execution {
  uint32_t task, worker;  // rows; worker may be kNone
  int64_t start_ns, end_ns;
  int64_t paused_ns;  // pauses between start and end, see StretchTable
  int64_t submit_ns;
  uint64_t submit_order;
  bool cut;     // the trace ended before the execution did
  uint32_t id;  // for ExecutionOf()

  // How long it ran. REQUIRES: it ended.
  int64_t length_ns() const { return end_ns - start_ns - paused_ns; }
};

// Ids are rows of tasks, for their only execution, and then those of the table.
inline Execution ExecutionOf(const TraceModel& model, uint32_t id) {
  const TaskTable& tasks = model.tasks;
  const ExecutionTable& table = model.executions;
  if (id < tasks.size())
    return {id,
            tasks.worker[id],
            tasks.start_ns[id],
            tasks.end_ns[id],
            tasks.paused_ns[id],
            tasks.submit_ns[id],
            tasks.submit_order[id],
            tasks.cut[id] != 0,
            id};
  const size_t row = id - tasks.size();
  return {table.task[row],
          table.worker[row],
          table.start_ns[row],
          table.end_ns[row],
          0,
          table.submit_ns[row],
          table.submit_order[row],
          table.cut[row] != 0,
          id};
}

// Only the start of ExecutionOf(), for sorting.
inline int64_t StartOfExecution(const TraceModel& model, uint32_t id) {
  const size_t tasks = model.tasks.size();
  return id < tasks ? model.tasks.start_ns[id] : model.executions.start_ns[id - tasks];
}
inline int64_t EndOfExecution(const TraceModel& model, uint32_t id) {
  const size_t tasks = model.tasks.size();
  return id < tasks ? model.tasks.end_ns[id] : model.executions.end_ns[id - tasks];
}

// Calls f(const Execution&) for each, in the order of tasks and then of starts.
template <class F>
void ForEachExecution(const TraceModel& model, F f) {
  const auto tasks = static_cast<uint32_t>(model.tasks.size());
  const ExecutionTable& table = model.executions;
  uint32_t row = 0;
  for (uint32_t task = 0; task < tasks; ++task) {
    if (row < table.size() && table.task[row] == task) {
      for (; row < table.size() && table.task[row] == task; ++row)
        f(ExecutionOf(model, tasks + row));
    } else if (model.tasks.start_ns[task] != kNever) {
      f(ExecutionOf(model, task));
    }
  }
}

// A run of a task that is not its last one. (The task's row has the last one.)
struct EarlierRun {
  uint32_t task, worker;  // rows; the worker that started first
  int64_t start_ns, end_ns, submit_ns;
};
// Calls f(const EarlierRun&) for each.
template <class F>
void ForEachEarlierRun(const TraceModel& model, F f) {
  const ExecutionTable& table = model.executions;
  for (size_t row = 0; row < table.size();) {
    EarlierRun run{table.task[row], table.worker[row], table.start_ns[row], table.end_ns[row],
                   table.submit_ns[row]};
    const uint32_t number = table.run[row];
    while (++row < table.size() && table.task[row] == run.task && table.run[row] == number)
      run.end_ns = std::max<int64_t>(run.end_ns, table.end_ns[row]);
    if (row < table.size() && table.task[row] == run.task) f(run);
  }
}

// Returns the last execution of `task` on `worker` that began at or before `time_ns`. If the table
// has none, returns the execution in the task's own row. Binary search.
Execution ExecutionAt(const TraceModel& model, uint32_t task, uint32_t worker, int64_t time_ns);

// Returns the ids of the executions that ended on a known worker, in the order of their ends.
std::vector<uint32_t> EndedExecutions(const TraceModel& model);

}  // namespace tasklens
