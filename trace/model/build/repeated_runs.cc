// SPDX-License-Identifier: Apache-2.0
// One sort, then one pass over the events of each task.
#include "trace/model/build/repeated_runs.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace tasklens::build {
namespace {

struct Run {
  int64_t submit_ns = kNever, ready_ns = kNever, taken_ns = kNever, start_ns = kNever,
          last_start_ns = kNever;
  uint32_t worker = kNone, last_worker = kNone;
  uint64_t submit_order = 0;
};

// The executions of one task, which begin and end by worker.
class Executions {
 public:
  void BeginRun() { ++runs_; }
  void Begin(uint32_t worker, int64_t time_ns, int64_t submit_ns, uint64_t submit_order) {
    open_.push_back(rows_.size());
    rows_.push_back({worker, runs_ - 1, time_ns, kNever, submit_ns, submit_order});
  }
  // Ends the worker's latest execution; if it has none, the first open one.
  void End(uint32_t worker, int64_t time_ns) {
    if (open_.empty()) return;
    auto it = std::find_if(open_.begin(), open_.end(),
                           [&](size_t row) { return rows_[row].worker == worker; });
    if (it == open_.end()) it = open_.begin();
    rows_[*it].end_ns = time_ns;
    open_.erase(it);
  }
  // A single execution is in the task's own row.
  void AppendTo(ExecutionTable& table, uint32_t task) const {
    if (rows_.size() < 2) return;
    for (const Row& row : rows_) {
      table.task.push_back(task);
      table.worker.push_back(row.worker);
      table.start_ns.push_back(row.start_ns);
      table.end_ns.push_back(row.end_ns);
      table.run.push_back(row.run);
      table.submit_ns.push_back(row.submit_ns);
      table.submit_order.push_back(row.submit_order);
    }
  }

 private:
  struct Row {
    uint32_t worker, run;
    int64_t start_ns, end_ns, submit_ns;
    uint64_t submit_order;
  };

  uint32_t runs_ = 0;
  std::vector<Row> rows_;
  std::vector<size_t> open_;  // indices in rows_, by beginning; at most as many as workers
};

// A task's row describes its last run.
void SetRow(TaskTable& tasks, uint32_t task, const Run& run) {
  if (run.submit_ns != kNever) {
    tasks.submit_ns.Set(task, run.submit_ns);
    tasks.submit_order.Set(task, run.submit_order);
  }
  tasks.ready_ns.Set(task, run.ready_ns);
  tasks.pop_ns.Set(task, run.taken_ns);
  if (run.start_ns == kNever) return;
  tasks.start_ns.Set(task, run.start_ns);
  tasks.worker.Set(task, run.worker);
  if (run.last_worker == run.worker && run.last_start_ns == run.start_ns) return;
  tasks.last_start_ns.Set(task, run.last_start_ns);
  tasks.last_worker.Set(task, run.last_worker);
}

}  // namespace

// The events of one task, in order.
class RepeatedRuns::History {
 public:
  // If pushes to the scheduler were not recorded, pops are not checked.
  explicit History(bool tells_ready) : tells_ready_(tells_ready) {}

  // Returns false if the event was counted and must not count.
  bool Add(const Change& change) {
    switch (change.what) {
      case What::kSubmitted:
        next_.submit_ns = change.time_ns;
        next_.submit_order = change.order;
        break;
      case What::kReady: return Give(/*to_scheduler=*/true, change.time_ns, next_.ready_ns);
      case What::kTaken: return Give(/*to_scheduler=*/false, change.time_ns, next_.taken_ns);
      case What::kStart: Start(change.worker, change.time_ns); break;
      case What::kEnd:
      case What::kEndAtOnce:
        executions_.End(change.worker, change.time_ns);
        if (workers_ > 0) --workers_;
        break;
    }
    return true;
  }

  const Executions& executions() const { return executions_; }
  // For a task that never started: the events before its first start.
  const Run& LastRun() const { return run_.start_ns == kNever ? next_ : run_; }

 private:
  // A push to the scheduler, or a pop by a worker.
  bool Give(bool to_scheduler, int64_t time_ns, int64_t& latest_ns) {
    if (tells_ready_ && waits_ == to_scheduler) return false;
    waits_ = to_scheduler;
    latest_ns = time_ns;
    return true;
  }

  void Start(uint32_t worker, int64_t time_ns) {
    if (workers_++ == 0) {
      executions_.BeginRun();
      run_ = next_;
      run_.start_ns = time_ns;
      run_.worker = worker;
    }
    run_.last_start_ns = time_ns;
    run_.last_worker = worker;
    executions_.Begin(worker, time_ns, next_.submit_ns, next_.submit_order);
  }

  const bool tells_ready_;
  bool waits_ = false;    // in the scheduler
  uint64_t workers_ = 0;  // workers that started and did not end
  Run run_;               // the latest run that started
  Run next_;              // the latest of each event before the next start
  Executions executions_;
};

void RepeatedRuns::Add(const TaskTable& tasks, uint32_t task, Change change) {
  const auto [it, is_new] = known_.try_emplace(task);
  Known& known = it->second;
  if (is_new) {
    const auto add = [&](What what, int64_t time_ns, uint32_t worker = kNone, uint64_t order = 0) {
      if (time_ns != kNever) changes_.push_back({task, worker, time_ns, order, what});
    };
    add(What::kSubmitted, tasks.submit_ns[task], kNone, tasks.submit_order[task]);
    add(What::kReady, tasks.ready_ns[task]);
    add(What::kTaken, tasks.pop_ns[task]);
    add(What::kStart, tasks.start_ns[task], tasks.worker[task]);
    const bool at_once = tasks.start_ns[task] == tasks.end_ns[task];
    add(at_once ? What::kEndAtOnce : What::kEnd, tasks.end_ns[task], tasks.worker[task]);
    known.open = tasks.start_ns[task] != kNever && tasks.end_ns[task] == kNever;
    if (known.open > 0) known.latest_ns = tasks.start_ns[task], known.latest = {tasks.worker[task]};
  }
  switch (change.what) {
    case What::kSubmitted: ++known.run; break;
    case What::kStart:
      if (known.open++ == 0) ++known.run;
      if (std::exchange(known.latest_ns, change.time_ns) != change.time_ns) known.latest.clear();
      known.latest.push_back(change.worker);
      break;
    case What::kEnd:
    case What::kEndAtOnce:
      if (known.open > 0) --known.open;
      if (known.latest_ns == change.time_ns && std::erase(known.latest, change.worker) > 0)
        change.what = What::kEndAtOnce;
      break;
    case What::kReady:
    case What::kTaken: break;
  }
  changes_.push_back(change);
}

std::vector<RepeatedRuns::Surplus> RepeatedRuns::Finish(TaskTable& tasks,
                                                        ExecutionTable& executions) && {
  std::vector<Surplus> surplus;
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
    return std::tuple(a.task, a.time_ns, a.what) < std::tuple(b.task, b.time_ns, b.what);
  });
  for (size_t begin = 0, next = 0; begin < changes_.size(); begin = next) {
    const uint32_t task = changes_[begin].task;
    while (next < changes_.size() && changes_[next].task == task) ++next;
    const std::span<const Change> changes(&changes_[begin], next - begin);
    History history(std::any_of(changes.begin(), changes.end(),
                                [](const Change& change) { return change.what == What::kReady; }));
    for (const Change& change : changes)
      if (!history.Add(change))
        surplus.push_back({tasks.rank_index[task], change.time_ns, change.what});
    history.executions().AppendTo(executions, task);
    SetRow(tasks, task, history.LastRun());
  }
  return surplus;
}

}  // namespace tasklens::build
