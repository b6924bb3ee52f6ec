// SPDX-License-Identifier: Apache-2.0
// One sort, then one pass over what happened to each task.
#include "trace/model/build/repeated_runs.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace tasklens::build {
namespace {

struct Run {
  int64_t ready_ns = kNever, taken_ns = kNever, start_ns = kNever, last_start_ns = kNever;
  uint32_t worker = kNone, last_worker = kNone;
};

}  // namespace

void RepeatedRuns::Add(const TaskTable& tasks, uint32_t task, const Change& change) {
  if (known_.insert(task).second) {
    const auto add = [&](What what, int64_t time_ns, uint32_t worker = kNone) {
      if (time_ns != kNever) changes_.push_back({task, worker, time_ns, what});
    };
    add(What::kReady, tasks.ready_ns[task]);
    add(What::kTaken, tasks.pop_ns[task]);
    add(What::kStart, tasks.start_ns[task], tasks.worker[task]);
    add(What::kEnd, tasks.end_ns[task]);
  }
  changes_.push_back(change);
}

std::vector<RepeatedRuns::Surplus> RepeatedRuns::Finish(TaskTable& tasks) && {
  std::vector<Surplus> surplus;
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
    return std::tuple(a.task, a.time_ns, a.what) < std::tuple(b.task, b.time_ns, b.what);
  });
  for (size_t begin = 0, next = 0; begin < changes_.size(); begin = next) {
    const uint32_t task = changes_[begin].task;
    while (next < changes_.size() && changes_[next].task == task) ++next;
    const std::span<const Change> changes(&changes_[begin], next - begin);
    // Where giving to the scheduler was not recorded, nothing can be said of taking.
    const bool tells_ready = std::any_of(changes.begin(), changes.end(), [](const Change& change) {
      return change.what == What::kReady;
    });
    Run run;
    int64_t ready_ns = kNever, taken_ns = kNever;  // the latest that count
    bool waits = false;
    uint64_t workers = 0;
    for (const Change& change : changes) {
      switch (change.what) {
        case What::kReady:
        case What::kTaken: {
          const bool ready = change.what == What::kReady;
          if (tells_ready && waits == ready) {
            surplus.push_back({tasks.rank_index[task], change.time_ns, change.what});
          } else {
            waits = ready;
            (ready ? ready_ns : taken_ns) = change.time_ns;
          }
          break;
        }
        case What::kStart:
          if (workers++ == 0)
            run = {ready_ns, taken_ns, change.time_ns, change.time_ns, change.worker, kNone};
          run.last_start_ns = change.time_ns;
          run.last_worker = change.worker;
          break;
        case What::kEnd:
          if (workers > 0) --workers;
          break;
      }
    }
    if (run.start_ns == kNever) run = {.ready_ns = ready_ns, .taken_ns = taken_ns};
    tasks.ready_ns.Set(task, run.ready_ns);
    tasks.pop_ns.Set(task, run.taken_ns);
    if (run.start_ns == kNever) continue;
    tasks.start_ns.Set(task, run.start_ns);
    tasks.worker.Set(task, run.worker);
    if (run.last_worker == run.worker && run.last_start_ns == run.start_ns) continue;
    tasks.last_start_ns.Set(task, run.last_start_ns);
    tasks.last_worker.Set(task, run.last_worker);
  }
  return surplus;
}

}  // namespace tasklens::build
