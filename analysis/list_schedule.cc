// SPDX-License-Identifier: Apache-2.0
#include "analysis/list_schedule.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "analysis/execution_order.h"
#include "analysis/sum.h"
#include "analysis/worker_kinds.h"

namespace tasklens {
namespace {

// The workers of one kind in one rank.
struct Pool {
  uint32_t workers = 0, free = 0;
  int64_t all_ns = 0, longest_ns = 0;                       // of its tasks
  std::priority_queue<std::pair<int64_t, uint32_t>> ready;  // chain behind it, ~task
};

class Schedule {
 public:
  Schedule(const TraceModel& model, Stop stop)
      : model_(model), order_(model), stop_(stop), pool_of_(model.workers.size()) {
    const std::vector<WorkerKind> kinds = WorkerKinds(model);
    std::map<std::pair<uint32_t, WorkerKind>, uint32_t> numbers;  // by rank
    for (uint32_t worker = 0; worker < kinds.size(); ++worker) {
      const auto [it, is_new] =
          numbers.try_emplace({model.workers.rank_index[worker], kinds[worker]}, pools_.size());
      if (is_new) pools_.emplace_back();
      pool_of_[worker] = it->second;
      ++pools_[it->second].workers;
    }
    for (Pool& pool : pools_) pool.free = pool.workers;
  }

  ListSchedule Run() {
    FindChains();
    ListSchedule found;
    for (const Pool& pool : pools_)
      found.independent_ns =
          std::max({found.independent_ns, pool.longest_ns,
                    pool.workers > 0 ? pool.all_ns / static_cast<int64_t>(pool.workers) : 0});
    for (const uint32_t task : order_.tasks)
      if (Counts(task) && waits_for_[task] == 0) Ready(task);
    int64_t now_ns = 0;
    StartWhatCan(now_ns);
    for (size_t done = 0; !running_.empty() && !Stopped(stop_, done); ++done) {
      now_ns = running_.top().first;
      do {
        const uint32_t task = running_.top().second;
        running_.pop();
        ++PoolOf(task).free;
        touched_.push_back(pool_of_[model_.tasks.worker[task]]);
        for (const DepEnd& dep : model_.successors[task])
          if (Counts(dep.task) && order_.Forward(model_.tasks, task, dep.task) &&
              --waits_for_[dep.task] == 0)
            Ready(dep.task);
      } while (!running_.empty() && running_.top().first == now_ns);
      StartWhatCan(now_ns);
    }
    found.span_ns = now_ns;
    return found;
  }

 private:
  bool Counts(uint32_t task) const {
    return order_.place[task] != kNone && model_.tasks.worker[task] < pool_of_.size();
  }
  Pool& PoolOf(uint32_t task) { return pools_[pool_of_[model_.tasks.worker[task]]]; }

  void FindChains() {
    const TaskTable& tasks = model_.tasks;
    chain_ns_.assign(tasks.size(), 0);
    waits_for_.assign(tasks.size(), 0);
    for (auto it = order_.tasks.rbegin(); it != order_.tasks.rend(); ++it) {
      const uint32_t task = *it;
      if (!Counts(task)) continue;
      const int64_t length_ns = tasks.RunNs(task);
      Pool& pool = PoolOf(task);
      AddNs(pool.all_ns, length_ns);
      pool.longest_ns = std::max(pool.longest_ns, length_ns);
      AddNs(chain_ns_[task], length_ns);
      for (const DepEnd& dep : model_.predecessors[task]) {
        if (!Counts(dep.task) || !order_.Forward(tasks, dep.task, task)) continue;
        ++waits_for_[task];
        chain_ns_[dep.task] = std::max(chain_ns_[dep.task], chain_ns_[task]);
      }
    }
  }

  void Ready(uint32_t task) {
    PoolOf(task).ready.emplace(chain_ns_[task], ~task);
    touched_.push_back(pool_of_[model_.tasks.worker[task]]);
  }

  void StartWhatCan(int64_t now_ns) {
    for (const uint32_t number : touched_) {
      Pool& pool = pools_[number];
      while (pool.free > 0 && !pool.ready.empty()) {
        const uint32_t task = ~pool.ready.top().second;
        pool.ready.pop();
        --pool.free;
        int64_t end_ns = now_ns;
        AddNs(end_ns, model_.tasks.RunNs(task));
        running_.emplace(end_ns, task);
      }
    }
    touched_.clear();
  }

  using Running = std::pair<int64_t, uint32_t>;  // until when, which task
  const TraceModel& model_;
  const ExecutionOrder order_;
  const Stop stop_;
  std::vector<uint32_t> pool_of_;  // by worker
  std::vector<Pool> pools_;
  std::vector<int64_t> chain_ns_;    // by task, with itself
  std::vector<uint32_t> waits_for_;  // by task
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  std::vector<uint32_t> touched_;  // pools in which something changed
};

}  // namespace

ListSchedule ScheduleByList(const TraceModel& model, Stop stop) {
  return Schedule(model, stop).Run();
}

}  // namespace tasklens
