// SPDX-License-Identifier: Apache-2.0
#include "analysis/list_schedule.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/execution_order.h"
#include "analysis/sum.h"
#include "analysis/waits.h"
#include "analysis/worker_kinds.h"

namespace tasklens {
namespace {

// The workers of one kind in one rank.
struct Pool {
  uint32_t workers = 0, free = 0;
  int64_t all_ns = 0, longest_ns = 0;                       // of its tasks
  std::priority_queue<std::pair<int64_t, uint32_t>> ready;  // by Schedule::Rank(); ~place
};

// The edges between places in the sequence of Waits; a passage ends as soon as it opens. An edge
// with a message has the time from the end of the task that produced its data.
class Edges {
 public:
  Edges(const TraceModel& model, const Waits& waits) : first_(waits.sequence().size() + 1) {
    const auto for_each = [&](const auto& visit) {
      for (uint32_t after = 0; after < waits.sequence().size(); ++after)
        waits.ForEach(waits.sequence()[after],
                      [&](const Waits::Edge& edge) { visit(edge, after); });
    };
    for_each([&](const Waits::Edge& edge, uint32_t) { ++first_[waits.position(edge.before) + 1]; });
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    after_.resize(first_.back());
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    for_each([&](const Waits::Edge& edge, uint32_t after) {
      const size_t number = next[waits.position(edge.before)]++;
      after_[number] = after;
      if (edge.message != kNone) delay_ns_[number] = DelayNs(model, waits, edge);
    });
  }

  // Calls visit(after, delay_ns) for each edge from `before`.
  template <class Visit>
  void ForEach(uint32_t before, const Visit& visit) const {
    for (size_t i = first_[before]; i < first_[before + 1]; ++i) {
      const auto delay = delay_ns_.empty() ? delay_ns_.end() : delay_ns_.find(i);
      visit(after_[i], delay == delay_ns_.end() ? int64_t{0} : delay->second);
    }
  }

 private:
  static int64_t DelayNs(const TraceModel& model, const Waits& waits, const Waits::Edge& edge) {
    const uint32_t made_by =
        waits.IsPassage(edge.before) ? waits.Behind(edge.before).task : edge.before;
    const int64_t received_ns = model.messages.receive_ns[edge.message];
    return made_by == kNone ? 0 : std::max<int64_t>(0, received_ns - model.tasks.end_ns[made_by]);
  }

  std::vector<size_t> first_;    // by `before`
  std::vector<uint32_t> after_;  // by edge
  std::unordered_map<size_t, int64_t> delay_ns_;
};

class Schedule {
 public:
  Schedule(const TraceModel& model, Stop stop, ListOrder by)
      : model_(model),
        by_(by),
        order_(model),
        waits_(model, order_, stop),
        edges_(model, waits_),
        stop_(stop),
        pool_of_(model.workers.size()) {
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
    for (uint32_t place = 0; place < waits_for_.size(); ++place)
      if (waits_for_[place] == 0) events_.push({0, place, false});
    for (size_t step = 0; !events_.empty() && !Stopped(stop_, step); ++step) {
      const int64_t now_ns = events_.top().time_ns;
      for (; !events_.empty() && events_.top().time_ns == now_ns; events_.pop()) {
        const Event event = events_.top();
        if (event.is_end) ++PoolOf(event.place).free;
        if (event.is_end || !TakesAWorker(event.place))
          over_.push_back(event.place);
        else
          Ready(event.place);
        if (event.is_end) found.span_ns = now_ns;
      }
      for (; !over_.empty();) {
        const uint32_t place = over_.back();
        over_.pop_back();
        LeadOn(place, now_ns);
      }
      StartWhatCan(now_ns);
    }
    return found;
  }

 private:
  // A task can start or a passage opens; or a task ends.
  struct Event {
    int64_t time_ns;
    uint32_t place;
    bool is_end;
    bool operator>(const Event& other) const {
      return std::tie(time_ns, place) > std::tie(other.time_ns, other.place);
    }
  };

  uint32_t TaskAt(uint32_t place) const { return waits_.sequence()[place]; }
  // False for a passage, and for a task with unknown worker.
  bool TakesAWorker(uint32_t place) const {
    const uint32_t task = TaskAt(place);
    return !waits_.IsPassage(task) && model_.tasks.worker[task] < pool_of_.size();
  }
  Pool& PoolOf(uint32_t place) { return pools_[pool_of_[model_.tasks.worker[TaskAt(place)]]]; }

  // The largest rank goes first.
  int64_t Rank(uint32_t place) const {
    return by_ == ListOrder::kLongestChain ? chain_ns_[place]
                                           : ~model_.tasks.start_ns[TaskAt(place)];
  }

  void FindChains() {
    chain_ns_.assign(waits_.sequence().size(), 0);
    waits_for_.assign(chain_ns_.size(), 0);
    opens_ns_.assign(chain_ns_.size(), 0);
    for (uint32_t place = static_cast<uint32_t>(chain_ns_.size()); place-- > 0;) {
      edges_.ForEach(place, [&](uint32_t after, int64_t delay_ns) {
        ++waits_for_[after];
        int64_t behind_ns = chain_ns_[after];
        AddNs(behind_ns, delay_ns);
        chain_ns_[place] = std::max(chain_ns_[place], behind_ns);
      });
      if (!TakesAWorker(place)) continue;
      const int64_t length_ns = model_.tasks.RunNs(TaskAt(place));
      Pool& pool = PoolOf(place);
      AddNs(pool.all_ns, length_ns);
      pool.longest_ns = std::max(pool.longest_ns, length_ns);
      AddNs(chain_ns_[place], length_ns);
    }
  }

  void LeadOn(uint32_t place, int64_t now_ns) {
    edges_.ForEach(place, [&](uint32_t after, int64_t delay_ns) {
      int64_t arrival_ns = now_ns;
      AddNs(arrival_ns, delay_ns);
      opens_ns_[after] = std::max(opens_ns_[after], arrival_ns);
      if (--waits_for_[after] > 0) return;
      if (opens_ns_[after] > now_ns)
        events_.push({opens_ns_[after], after, false});
      else if (TakesAWorker(after))
        Ready(after);
      else
        over_.push_back(after);
    });
    if (TakesAWorker(place)) touched_.push_back(pool_of_[model_.tasks.worker[TaskAt(place)]]);
  }

  void Ready(uint32_t place) {
    PoolOf(place).ready.emplace(Rank(place), ~place);
    touched_.push_back(pool_of_[model_.tasks.worker[TaskAt(place)]]);
  }

  void StartWhatCan(int64_t now_ns) {
    for (const uint32_t number : touched_) {
      Pool& pool = pools_[number];
      while (pool.free > 0 && !pool.ready.empty()) {
        const uint32_t place = ~pool.ready.top().second;
        pool.ready.pop();
        --pool.free;
        int64_t end_ns = now_ns;
        AddNs(end_ns, model_.tasks.RunNs(TaskAt(place)));
        events_.push({end_ns, place, true});
      }
    }
    touched_.clear();
  }

  const TraceModel& model_;
  const ListOrder by_;
  const ExecutionOrder order_;
  const Waits waits_;
  const Edges edges_;
  const Stop stop_;
  std::vector<uint32_t> pool_of_;  // by worker
  std::vector<Pool> pools_;
  // By place in the sequence.
  std::vector<int64_t> chain_ns_;    // including the task itself
  std::vector<uint32_t> waits_for_;  // number of predecessors that have not ended
  std::vector<int64_t> opens_ns_;    // arrival of the last message for it
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<uint32_t> over_;     // just ended; its successors were not updated yet
  std::vector<uint32_t> touched_;  // pools that changed
};

}  // namespace

ListSchedule ScheduleByList(const TraceModel& model, Stop stop, ListOrder order) {
  return Schedule(model, stop, order).Run();
}

}  // namespace tasklens
